import { connect, type Socket } from 'node:net';
import { APPSYNC, type Speech, upgradeOf } from './speech.ts';

/** One client among thousands: a connection that counts the signals that come over it. */
interface Member {
  socket: Socket;
  signals: number;
}

/** Many clients in this process, as cheap as they can be, so that what is measured is the server. */
export class Crowd {
  readonly members: Member[] = [];
  readonly #speech: Speech;
  signals = 0;
  /** When the last signal came, in milliseconds of performance.now. */
  lastAt = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #reached: () => void = () => {};

  constructor(speech: Speech = APPSYNC) {
    this.#speech = speech;
  }

  /** Opens so many sockets more and subscribes each; `key` and `channel` are shown to all kinds of servers alike. */
  async open(count: number, url: string, key: string, channel: string): Promise<void> {
    const { hostname, port } = new URL(url);
    const one = () => this.#open({ host: hostname, port: Number(port) }, key, channel);
    for (let left = count; left > 0; left -= AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, one));
    }
  }

  /** Resolves when so many signals more have come. Rejects after 30 s. */
  expect(more: number): Promise<void> {
    const wanted = this.signals + more;
    this.#wanted = wanted;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${wanted - this.signals} signals never came.`)), 30_000);
      this.#reached = () => {
        clearTimeout(late);
        resolve();
      };
    });
  }

  close(): void {
    for (const { socket } of this.members.splice(0)) socket.destroy();
  }

  #open(to: { host: string; port: number }, key: string, channel: string): Promise<void> {
    const socket = connect(to);
    const member: Member = { socket, signals: 0 };
    this.members.push(member);
    socket.setNoDelay();
    socket.write(upgradeOf(to, this.#speech, key));
    return new Promise((resolve, reject) => {
      let greeting = '';
      const greet = (chunk: Buffer) => {
        const before = greeting;
        greeting += chunk.toString('latin1');
        if (!greeting.includes('\r\n\r\n')) return;
        if (!before.includes('\r\n\r\n')) {
          if (!greeting.startsWith('HTTP/1.1 101')) reject(new Error(`No socket: ${greeting.slice(0, 300)}`));
          socket.write(this.#speech.subscribe(key, channel));
        }
        if (greeting.includes(this.#speech.refusal)) reject(new Error(`No subscription: ${greeting.slice(-300)}`));
        if (!greeting.includes(this.#speech.welcome)) return;
        socket.off('data', greet).on('data', data => this.#count(member, data));
        resolve();
      };
      socket.on('data', greet).on('error', reject);
    });
  }

  /** Frames of a server are not masked and, being short and few, come whole. Keep-alives and pings are not counted. */
  #count(member: Member, data: Buffer): void {
    for (let at = 0; at < data.length; ) {
      const length = data[at + 1]!;
      if (length > 125) throw new Error('A signal is longer than the bench can read.');
      if (this.#speech.isSignal(data, at)) {
        member.signals += 1;
        this.signals += 1;
      }
      at += 2 + length;
    }
    this.lastAt = performance.now();
    if (this.signals >= this.#wanted) this.#reached();
  }
}

const AT_ONCE = 50;
