import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';

/*
 * Seeded lives (run.ts), each half of them in a process of its own: the simulation takes over timers and clocks, which nothing
 * else here must see. `npm run simulate` lives as many as one likes.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const LIVES = 300;

/** So many lives beside a next version that is made up. */
const BESIDE_NEXT = 20;

/** After each so many statements of one life: as many deaths and cuts as fit one more minute. */
const EVERY = 9;

/** Found within a few seeds: what is judged would not be worth much if nothing were ever found. */
const QUICKLY_FOUND = [
  'cursor moved before the write',
  'lease never runs out',
  'next version keeps its folds otherwise',
];

const WITHIN_MS = 25 * 60_000;

interface Told {
  lives: number;
  failed: { seed: number; violations: string[] }[];
  perMinute: number;
  missed: number;
}

/** Runs the command and returns what it told. */
async function simulate(...args: string[]): Promise<Told> {
  const child = spawn(process.execPath, ['test/sim/run.ts', '--json', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill();
  });
  const out: Buffer[] = [];
  child.stdout.on('data', chunk => out.push(chunk));
  await new Promise(resolve => child.on('close', resolve));
  return JSON.parse(Buffer.concat(out).toString()) as Told;
}

/** Runs it twice at the same time. Says how to see again what is not all right. */
async function both(one: string[], other: string[]): Promise<number> {
  const told = await Promise.all([simulate(...one), simulate(...other)]);
  const again = ({ seed, violations }: Told['failed'][number]) =>
    `npm run simulate -- --replay ${seed}: ${violations.slice(0, 3).join('; ')}`;
  expect(told.flatMap(({ failed }) => failed.map(again))).toEqual([]);
  return told.reduce((sum, { lives }) => sum + lives, 0);
}

describe('lives of two processes on one database, statement by statement', () => {
  test(`${LIVES} seeds violate nothing`, { timeout: WITHIN_MS }, async () => {
    const half = LIVES / 2;
    expect(await both(['--seeds', `1-${half}`], ['--seeds', `${half + 1}-${LIVES}`])).toBe(LIVES);
  });

  test(`neither do ${BESIDE_NEXT} where every other process is of a next version`, { timeout: WITHIN_MS }, async () => {
    const half = BESIDE_NEXT / 2;
    const beside = ['--neighbour', '--seeds'];
    expect(await both([...beside, `1-${half}`], [...beside, `${half + 1}-${BESIDE_NEXT}`])).toBe(BESIDE_NEXT);
  });

  test('neither do a death and a cut after statements of two lives', { timeout: WITHIN_MS }, async () => {
    const every = ['--sweep', '--every', `${EVERY}`, '--life'];
    expect(await both([...every, '1'], [...every, '2'])).toBeGreaterThan(20);
  });
});

test('some planted bugs are found within a few seeds', { timeout: WITHIN_MS }, async () => {
  const only = QUICKLY_FOUND.flatMap(name => ['--only', name]);
  expect((await simulate('--planted', '--most', '20', ...only)).missed).toBe(0);
});
