import type { Clock } from '../../facade/sdk/client.ts';

interface Timer {
  at: number;
  act: () => void;
}

/** Time that stands still until a test moves it. */
export class HandClock implements Clock {
  #now = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  after(ms: number, act: () => void): () => void {
    const timer = { at: this.#now + ms, act };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Moves on, and does on the way what is due, in order of time. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.act();
    }
    this.#now = end;
  }

  /** How long until each of the timers, soonest first. */
  get waiting(): number[] {
    return [...this.#timers].map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }
}
