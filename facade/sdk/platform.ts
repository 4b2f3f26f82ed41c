/*
 * What this client uses of the platform, so that it runs without anything specific to Node or a browser, and its types
 * need neither.
 */

/** The global `fetch`, or one like it. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

export interface FetchInit {
  method: 'GET';
  headers: Record<string, string>;
  cache: 'no-store';
  credentials: 'omit';
  redirect: 'error';
  signal: never;
}

export interface FetchAnswer {
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** The class of the global `WebSocket`, or one like it, such as that of the package ws. */
export type WebSocketClass = new (url: string, protocols: string[]) => Socket;

export interface Socket {
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: unknown) => void): void;
  send(text: string): void;
  close(): void;
}

/** Time, so that tests can move it by hand. */
export interface Clock {
  /** Milliseconds since any fixed moment. Only differences count. */
  now(): number;
  /** Calls `act` once after so many milliseconds. Returns the function that prevents it. */
  after(ms: number, act: () => void): () => void;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};
