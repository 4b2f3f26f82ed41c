/** What the bench uses of autocannon 9, which comes without types. */
declare module 'autocannon' {
  interface Request {
    method: 'GET' | 'POST';
    path: string;
    headers: Record<string, string>;
    body?: string;
  }
  interface Client {
    setRequests(requests: Request[]): void;
  }
  interface Options {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    setupClient(client: Client): void;
  }
  interface Result {
    /** Seconds. */
    duration: number;
    errors: number;
  }
  interface Run extends PromiseLike<Result> {
    /** `milliseconds` from sending a request to the end of its answer. */
    on(
      event: 'response',
      listener: (client: Client, status: number, bytes: number, milliseconds: number) => void,
    ): void;
  }
  export default function autocannon(options: Options): Run;
}
