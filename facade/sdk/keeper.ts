import { backoff } from './backoff.ts';
import { type LinkEvents, openLink } from './link.ts';
import type { Clock, WebSocketClass } from './platform.ts';
import type { Realtime } from './types.ts';

/** In milliseconds. A socket that was up this long was a good one: after it tries count from the beginning. */
const GOOD_MS = 60_000;

export interface KeeperOptions {
  url: string;
  key: string;
  WebSocket: WebSocketClass;
  clock: Clock;
  random: () => number;
}

export interface KeeperEvents {
  /** A socket is subscribed. */
  up(): void;
  /** A socket, or a try to open one, has ended. The next try follows by itself. */
  down(how: 'refused' | 'lost', why: string): void;
  signal: LinkEvents['signal'];
}

/** Keeps one socket open as the recipe says, and opens the next when one ends, after growing pauses. */
export class Keeper {
  readonly #on: KeeperOptions;
  readonly #events: KeeperEvents;
  #realtime: Realtime | null = null;
  #failures = 0;
  #upSince: number | null = null;
  /** Ends the socket, or the pause before the next. */
  #end = () => {};

  constructor(on: KeeperOptions, events: KeeperEvents) {
    this.#on = on;
    this.#events = events;
  }

  get status(): 'up' | 'down' {
    return this.#upSince === null ? 'down' : 'up';
  }

  /** Connects as this recipe says; null: not at all. Nothing changes if it is the present recipe. */
  follow(realtime: Realtime | null): void {
    if (isSame(realtime, this.#realtime)) return;
    const wasUp = this.status === 'up';
    this.#end();
    this.#end = () => {};
    this.#upSince = null;
    this.#failures = 0;
    this.#realtime = realtime;
    if (realtime !== null) this.#open(realtime);
    if (wasUp) this.#events.down('lost', 'The service listens elsewhere now.');
  }

  close(): void {
    this.#end();
    this.#upSince = null;
  }

  #open(realtime: Realtime): void {
    const { clock, random } = this.#on;
    this.#end = openLink(
      { ...this.#on, realtime },
      {
        subscribed: () => {
          this.#upSince = clock.now();
          this.#events.up();
        },
        signal: what => this.#events.signal(what),
        ended: (how, why) => {
          const wasGood = this.#upSince !== null && clock.now() - this.#upSince >= GOOD_MS;
          this.#failures = wasGood ? 1 : this.#failures + 1;
          this.#upSince = null;
          this.#end = clock.after(backoff(this.#failures, random()), () => this.#open(realtime));
          this.#events.down(how, why);
        },
      },
    );
  }
}

function isSame(a: Realtime | null, b: Realtime | null): boolean {
  return a?.realtimeHost === b?.realtimeHost && a?.httpHost === b?.httpHost && a?.channel === b?.channel;
}
