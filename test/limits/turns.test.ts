import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTurns } from '../../services/limits/turns.ts';

/* DECISIONS.md "Could not commit, deadline, overload": an account has its share of the time for files and readiness. */

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Takes a turn and holds it for so many milliseconds. Returns the time at which it was given. */
async function hold(turn: ReturnType<typeof createTurns>, name: string, ms: number): Promise<number> {
  const call = new AbortController();
  const given = turn(name, call.signal).then(() => performance.now());
  let at: number | null = null;
  void given.then(now => (at = now));
  for (let waited = 0; at === null && waited < 10_000; waited += 10) await vi.advanceTimersByTimeAsync(10);
  await vi.advanceTimersByTimeAsync(ms);
  call.abort();
  return given;
}

test('a turn rests for so many times as long as it was taken, and holds up nobody else', async () => {
  const turn = createTurns(1, 10, 3);
  const first = await hold(turn, 'one', 100);
  const [next, other] = [await hold(turn, 'one', 0), await hold(turn, 'another', 0)];
  expect(next - first).toBeGreaterThanOrEqual(400);
  expect(next - first).toBeLessThan(450);
  expect(other - next).toBeLessThan(50);
});

test('no turn rests for longer than two seconds', async () => {
  const turn = createTurns(1, 10, 3);
  const first = await hold(turn, 'one', 5_000);
  const next = await hold(turn, 'one', 0);
  expect(next - first).toBeGreaterThanOrEqual(7_000);
  expect(next - first).toBeLessThan(7_050);
});

test('who comes while a turn rests is not one of those that wait for it to end', async () => {
  const turn = createTurns(1, 2, 3);
  await hold(turn, 'one', 100);
  const asked = Array.from({ length: 5 }, () => turn('one', new AbortController().signal));
  expect(await Promise.race(asked)).toBe('too_many');
  await vi.advanceTimersByTimeAsync(400);
  expect(await Promise.race([asked[0], 'waits'])).toBe('taken');
  expect(await Promise.all([asked[3], asked[4]])).toEqual(['too_many', 'too_many']);
});
