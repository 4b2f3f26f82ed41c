import { backoff } from './backoff.ts';
import type { TocsinError } from './errors.ts';
import type { Clock } from './platform.ts';

/** The longest a reader pauses, in milliseconds, however long the service asks to wait. */
const MOST_PATIENCE_MS = 300_000;

export interface ReaderOptions<T> {
  read(): Promise<T>;
  /** Returns how long it waits, in milliseconds, before it reads without being asked. */
  everyMs(): number;
  got(value: T): void;
  failed(error: TocsinError): void;
  clock: Clock;
  random: () => number;
}

/**
 * Reads one thing on request: never twice at once, and once more if a request came while it was reading, because the
 * result may then be older than the request. Retries failed reads with growing pauses.
 */
export class Reader<T> {
  readonly #on: ReaderOptions<T>;
  #phase: 'idle' | 'reading' | 'wanted_again' | 'told_to_wait' | 'stopped' = 'idle';
  #failures = 0;
  #lastReadAt = 0;
  #cancelTimer = () => {};

  constructor(on: ReaderOptions<T>) {
    this.#on = on;
  }

  want(): void {
    if (this.#phase === 'idle') this.#read();
    else if (this.#phase === 'reading') this.#phase = 'wanted_again';
  }

  /** Call this when `everyMs` returns something else. */
  intervalChanged(): void {
    if (this.#phase === 'idle' && this.#failures === 0) this.#readLater();
  }

  stop(): void {
    this.#phase = 'stopped';
    this.#cancelTimer();
  }

  #read(): void {
    const { read, got, failed, random } = this.#on;
    this.#cancelTimer();
    this.#phase = 'reading';
    read().then(
      value => {
        if (this.#isStopped()) return;
        this.#failures = 0;
        this.#lastReadAt = this.#on.clock.now();
        this.#goOn(() => this.#readLater());
        got(value);
      },
      (error: TocsinError) => {
        if (this.#isStopped()) return;
        this.#failures += 1;
        const pause = error.kind === 'unavailable' ? error.retryAfterMs : null;
        const wait = Math.max(backoff(this.#failures, random()), Math.min(pause ?? 0, MOST_PATIENCE_MS));
        this.#phase = pause === null ? 'idle' : 'told_to_wait';
        this.#readIn(wait);
        failed(error);
      },
    );
  }

  #isStopped(): boolean {
    return this.#phase === 'stopped';
  }

  #goOn(otherwise: () => void): void {
    const wantedAgain = this.#phase === 'wanted_again';
    this.#phase = 'idle';
    if (wantedAgain) this.#read();
    else otherwise();
  }

  #readLater(): void {
    this.#readIn(Math.max(0, this.#lastReadAt + this.#on.everyMs() - this.#on.clock.now()));
  }

  #readIn(ms: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#on.clock.after(ms, () => this.#read());
  }
}
