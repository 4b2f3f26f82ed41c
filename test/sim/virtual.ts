/*
 * Time and randomness of whatever runs inside a simulated process are the simulation's: timers, immediates, both clocks and random
 * bytes. AsyncLocalStorage tells whose code runs; what belongs to no process keeps the real ones. To be imported before
 * anything of the product, of which nothing is changed.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { BEGIN } from './lived.ts';
import { type Random, randomOf } from './random.ts';

/** A process of the product that is simulated. */
export interface Process {
  name: string;
  version: 'this' | 'next';
  /** `frozen`: it stands still, as a machine does whose host moves it. */
  state: 'up' | 'frozen' | 'dead';
  /** When it goes on, or starts again, in virtual milliseconds. */
  wakesAt: number;
  /** By how many milliseconds its wall clock is wrong. */
  skewMs: number;
}

/** A timer of a simulated process. */
export interface Timer {
  id: number;
  at: number;
  of: Process;
  run(): void;
  everyMs: number | null;
}

const whose = new AsyncLocalStorage<Process>();

/** What belongs to no simulated process. */
export const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  setImmediate: globalThis.setImmediate,
  now: performance.now.bind(performance),
  date: Date.now,
  random: Math.random,
  sleep: (ms: number) => new Promise<void>(resolve => real.setTimeout(resolve, ms)),
};

/** What `performance.now` of a simulated process counts from. */
const COUNTS_FROM_MS = 1_000_000;

/** The time of the life that is simulated. */
export const time = {
  /** Milliseconds since the life began. */
  now: 0,
  timers: [] as Timer[],
  immediates: [] as { of: Process; run(): void }[],
  made: 0,
  random: randomOf(1) as Random,
};

/** Begins a new life: nothing of the one before is left. */
export function resetTime(seed: number): void {
  Object.assign(time, { now: 0, timers: [], immediates: [], made: 0, random: randomOf(seed * 31 + 5) });
}

/** Runs something as the code of a process. */
export function within<T>(of: Process, run: () => T): T {
  return whose.run(of, run);
}

/** The process whose code runs; undefined for the simulation's own. */
export function current(): Process | undefined {
  return whose.getStore();
}

/** Milliseconds as no clock that is set counts them: `performance.now` and the machine's uptime. */
export function steadyNow(): number {
  return COUNTS_FROM_MS + time.now;
}

/** Runs what a timer does, which is over then or due again. */
export function fire(timer: Timer): void {
  if (timer.everyMs === null) drop(timer.id);
  else timer.at = time.now + timer.everyMs;
  whose.run(timer.of, timer.run);
}

/** Forgets the timers of a process that is gone. */
export function dropTimersOf(of: Process): void {
  time.timers = time.timers.filter(timer => timer.of !== of);
}

/** Lets all JavaScript run until every process waits for the simulation. */
export async function quiesce(): Promise<void> {
  for (;;) {
    await new Promise<void>(resolve => real.setImmediate(resolve));
    const next = time.immediates.shift();
    if (next === undefined) return;
    if (next.of.state !== 'dead') whose.run(next.of, next.run);
  }
}

function drop(id: number): void {
  time.timers = time.timers.filter(timer => timer.id !== id);
}

/** What `setTimeout` returns, as far as anybody here looks. */
class Handle {
  readonly #timer: Timer;
  readonly #ms: number;

  constructor(timer: Timer, ms: number) {
    this.#timer = timer;
    this.#ms = ms;
  }

  get id(): number {
    return this.#timer.id;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    this.#timer.at = time.now + this.#ms;
    return this;
  }

  close(): this {
    drop(this.#timer.id);
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.#timer.id;
  }

  [Symbol.dispose](): void {
    drop(this.#timer.id);
  }
}

function addTimer(of: Process, run: () => void, ms: number, repeats: 'once' | 'again'): Handle {
  const waits = Math.max(1, Number.isFinite(ms) ? ms : 1);
  const timer = { id: ++time.made, at: time.now + waits, of, run, everyMs: repeats === 'once' ? null : waits };
  if (of.state !== 'dead') time.timers.push(timer);
  return new Handle(timer, waits);
}

type Args = unknown[];
type Told = (...args: Args) => void;

function patchTimers(): void {
  const later = (run: Told, ms = 1, ...args: Args) => {
    const of = current();
    return of === undefined ? real.setTimeout(run, ms, ...args) : addTimer(of, () => run(...args), ms, 'once');
  };
  const again = (run: Told, ms = 1, ...args: Args) => {
    const of = current();
    return of === undefined ? real.setInterval(run, ms, ...args) : addTimer(of, () => run(...args), ms, 'again');
  };
  const soon = (run: Told, ...args: Args) => {
    const of = current();
    if (of === undefined) return real.setImmediate(run, ...args);
    time.immediates.push({ of, run: () => run(...args) });
    return {};
  };
  const clear = (handle: unknown) => {
    if (handle instanceof Handle) handle.close();
    else real.clearTimeout(handle as NodeJS.Timeout);
  };
  Object.assign(globalThis, {
    setTimeout: later,
    setInterval: again,
    setImmediate: soon,
    clearTimeout: clear,
    clearInterval: clear,
  });
}

function patchClocks(): void {
  performance.now = () => (current() === undefined ? real.now() : steadyNow());
  Date.now = () => {
    const of = current();
    return of === undefined ? real.date() : BEGIN + time.now + of.skewMs;
  };
  Math.random = () => (current() === undefined ? real.random() : time.random());
}

/** The modules of Node as CommonJS sees them: what is set there, every module sees that imports by name. */
function patchModules(): void {
  const require = createRequire(import.meta.url);
  const promises = require('node:timers/promises');
  const before = { ...promises };
  promises.setTimeout = (ms: number, value: unknown, options: { signal?: AbortSignal } = {}) => {
    if (current() === undefined) return before.setTimeout(ms, value, options);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(value), ms);
      options.signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(options.signal!.reason);
      });
    });
  };
  promises.setImmediate = (value: unknown) =>
    current() === undefined
      ? before.setImmediate(value)
      : new Promise(resolve => {
          setImmediate(() => resolve(value));
        });

  const crypto = require('node:crypto');
  const realBytes = crypto.randomBytes;
  const realUuid = crypto.randomUUID;
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => Math.floor(time.random() * 256)));
  crypto.randomBytes = (count: number, done?: (fault: null, bytes: Buffer) => void) => {
    if (current() === undefined) return realBytes(count, done);
    const made = bytes(count);
    return done === undefined ? made : done(null, made);
  };
  crypto.randomUUID = () => {
    if (current() === undefined) return realUuid();
    const digits = bytes(16).toString('hex');
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
  };
  syncBuiltinESMExports();
}

patchTimers();
patchClocks();
patchModules();
