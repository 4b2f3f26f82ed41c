/**
 * One timer for all sockets (REALTIME.md 5.5): each is visited once in every `periodMs`, and they are spread over the
 * period in the order in which they came.
 */
export class Wheel<T> {
  readonly #slots: Set<T>[];
  readonly #timer: NodeJS.Timeout;
  #added = 0;
  #turn = 0;

  constructor(periodMs: number, visit: (item: T) => void) {
    this.#slots = Array.from({ length: SLOTS }, () => new Set<T>());
    this.#timer = setInterval(() => {
      this.#turn = (this.#turn + 1) % SLOTS;
      for (const item of this.#slots[this.#turn]!) visit(item);
    }, periodMs / SLOTS);
    this.#timer.unref();
  }

  /** Returns the place to pass to `remove`; -1 is never one. The first visit comes within a whole period. */
  add(item: T): number {
    const slot = this.#added++ % SLOTS;
    this.#slots[slot]!.add(item);
    return slot;
  }

  remove(item: T, slot: number): void {
    this.#slots[slot]?.delete(item);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

const SLOTS = 30;
