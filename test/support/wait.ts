import { inspect } from 'node:util';

/**
 * Waits until `probe` gives something truthy, and gives that. A probe that throws means "not yet". After `within`
 * milliseconds (30,000 where absent) it throws a sentence that says what was waited for and what was seen last.
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  { what, within = 30_000 }: { what: string; within?: number },
): Promise<Exclude<Awaited<T>, Falsy>> {
  const deadline = Date.now() + within;
  let seen: Seen<T> = { kind: 'nothing' };
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    seen = await look(probe, deadline, seen);
    if (seen.kind === 'value' && isTruthy(seen.value)) return seen.value;
    if (Date.now() + pause > deadline) {
      throw new Error(`Waited ${within} ms for ${what}. Last seen: ${describe(seen)}.`);
    }
    await new Promise(resolve => setTimeout(resolve, pause));
  }
}

/**
 * Throws unless something took less than so many milliseconds. What else goes on on a machine may make it late once: such a test
 * gets a second try (second-tries.ts).
 */
export function expectInTime(tookMs: number, mostMs: number, what = 'it'): void {
  if (tookMs < mostMs) return;
  throw new Error(`Too late: ${what} took ${Math.round(tookMs)} ms, and has ${Math.round(mostMs)}.`);
}

type Falsy = false | null | undefined | 0 | '';

type Seen<T> = { kind: 'nothing' } | { kind: 'value'; value: Awaited<T> } | { kind: 'error'; error: unknown };

/** One look, which may not outlast the deadline either; what was seen before stands where it does. */
async function look<T>(probe: () => T | Promise<T>, deadline: number, before: Seen<T>): Promise<Seen<T>> {
  const timeout = Promise.withResolvers<Seen<T>>();
  const timer = setTimeout(() => timeout.resolve(before), deadline - Date.now());
  const seen = (async (): Promise<Seen<T>> => ({ kind: 'value', value: await probe() }))();
  try {
    return await Promise.race([seen, timeout.promise]);
  } catch (error) {
    return { kind: 'error', error };
  } finally {
    clearTimeout(timer);
  }
}

function isTruthy<V>(value: V): value is Exclude<V, Falsy> {
  return Boolean(value);
}

function describe(seen: Seen<unknown>): string {
  if (seen.kind === 'nothing') return 'nothing, the probe never came back';
  if (seen.kind === 'error')
    return `an error, ${seen.error instanceof Error ? seen.error.message : inspect(seen.error)}`;
  return inspect(seen.value, { depth: 4, breakLength: 120 });
}
