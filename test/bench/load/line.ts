import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What is told of each request: the status of its answer (0: the connection broke), and what `ask` was given as `since`. */
export type Ended = (line: Line, status: number, since: number) => void;

/** A keep-alive connection to a server that answers with a content-length. One request at a time. */
export class Line {
  readonly #host: string;
  readonly #port: number;
  readonly #ended: Ended;
  #socket!: Socket;
  #came = '';
  #since: number | null = null;

  private constructor(host: string, port: number, ended: Ended) {
    this.#host = host;
    this.#port = port;
    this.#ended = ended;
  }

  /** Opens one. Rejects where nobody listens. */
  static async open(host: string, port: number, ended: Ended): Promise<Line> {
    const line = new Line(host, port, ended);
    line.#connect();
    await once(line.#socket, 'connect');
    return line;
  }

  /** Sends a whole request, over a new connection where the old one broke; `since` is given back with its end. */
  ask(text: string, since: number): void {
    this.#since = since;
    if (this.#socket.destroyed) this.#connect();
    this.#socket.write(text, 'latin1');
  }

  #connect(): void {
    this.#came = '';
    this.#socket = connect({ host: this.#host, port: this.#port, noDelay: true }).setEncoding('latin1');
    this.#socket.on('data', (text: string) => this.#take(text));
    // What it means shows in `close`.
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => this.#end(0));
  }

  #take(text: string): void {
    this.#came += text;
    const head = this.#came.indexOf('\r\n\r\n');
    if (head === -1) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#came)?.[1];
    if (length === undefined) throw new Error(`An answer without a length: ${this.#came.slice(0, head)}`);
    if (this.#came.length < head + 4 + Number(length)) return;
    const status = Number(this.#came.slice(9, 12));
    this.#came = '';
    this.#end(status);
  }

  #end(status: number): void {
    if (this.#since === null) return;
    const since = this.#since;
    this.#since = null;
    this.#ended(this, status, since);
  }
}
