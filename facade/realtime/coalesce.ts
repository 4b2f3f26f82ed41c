/**
 * Lets the first of many signals through at once and then at most one in every `windowMs` (DECISIONS.md "When"). What is
 * held back is one bit for each alarm: signals say only that something changed, so two say no more than one.
 */
export class Coalescer {
  readonly #windowMs: number;
  readonly #emit: (alarmIds: ReadonlySet<string>) => void;
  #held = new Set<string>();
  #window: NodeJS.Timeout | undefined;

  constructor(windowMs: number, emit: (alarmIds: ReadonlySet<string>) => void) {
    this.#windowMs = windowMs;
    this.#emit = emit;
  }

  /** `alarmId` empty: not about one alarm. */
  signal(alarmId: string): void {
    this.#held.add(alarmId);
    if (this.#window === undefined) this.#let();
  }

  stop(): void {
    clearTimeout(this.#window);
    this.#held.clear();
  }

  #let(): void {
    const alarmIds = this.#held;
    this.#held = new Set();
    this.#window = setTimeout(() => {
      this.#window = undefined;
      if (this.#held.size > 0) this.#let();
    }, this.#windowMs);
    this.#emit(alarmIds);
  }
}
