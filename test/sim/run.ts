/*
 * npm run simulate: see options.ts. Ends with 1 where something is not all right. `virtual.ts` comes first: it takes over the
 * timers before anything of the product sees them.
 */
import './virtual.ts';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from '../support/history.ts';
import { makeNeighbour } from '../support/neighbour.ts';
import { type Judged, liveAndJudge, type Summary, summing } from './lives.ts';
import { HELP, readOptions, type Wanted } from './options.ts';
import { hunt } from './planted.ts';
import { SWEPT, sweep } from './sweep.ts';
import { versionIn } from './version.ts';
import { openWorld, type World } from './world.ts';

/** How many violations of a life, and how many lives, are told. */
const TOLD = { violations: 5, lives: 10 } as const;

type Of<What extends Wanted['what']> = Extract<Wanted, { what: What }>;

async function run(): Promise<'fine' | 'violated'> {
  const wanted = readOptions(process.argv.slice(2));
  if (wanted.what === 'help') {
    console.log(HELP);
    return 'fine';
  }
  if (wanted.what === 'planted') return hunt(wanted);
  await using neighbour = wanted.beside === 'neighbour' ? await makeNeighbour() : null;
  const world = await openWorld(neighbour && (await versionIn(neighbour.folder)));
  const closeAll = () => Promise.allSettled([world.close(), neighbour?.[Symbol.asyncDispose]()]);
  // The server outlives whoever started it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void closeAll().finally(() => process.exit(1)));
  }
  try {
    if (wanted.what === 'replay') return await replay(world, wanted);
    return wanted.what === 'sweep' ? await sweepAll(world, wanted) : await liveAll(world, wanted);
  } finally {
    await world.close();
  }
}

async function liveAll(world: World, wanted: Of<'seeds'>) {
  const { from, to, until } = wanted;
  const all = summing();
  for (let seed = from; seed <= to; seed++) {
    const one = await liveAndJudge(world, seed);
    all.add(one);
    await tell(one, wanted, `npm run simulate -- --replay ${seed}`);
    progress(`${seed - from + 1} of ${to - from + 1} lives`, all.summary());
    if (until === 'first' && one.violations.length > 0) break;
  }
  return conclude(`seeds ${from}-${to}`, all.summary(), wanted);
}

async function replay(world: World, wanted: Of<'replay'>) {
  const all = summing();
  const digests = new Map<string, number>();
  for (let time = 1; time <= wanted.times; time++) {
    const one = await liveAndJudge(world, wanted.seed);
    all.add(one);
    digests.set(one.digest, (digests.get(one.digest) ?? 0) + 1);
    if (time === 1) await tell(one, wanted, `npm run simulate -- --replay ${wanted.seed}`);
    if (time === 1 || digests.get(one.digest) === 1) console.error(`history: ${await written(one, time)}`);
  }
  const same = Math.max(...digests.values());
  if (wanted.times > 1) console.error(`the same history ${same} of ${wanted.times} times`);
  return conclude(`seed ${wanted.seed}`, all.summary(), wanted);
}

async function sweepAll(world: World, wanted: Of<'sweep'>) {
  const all = summing();
  for (const life of wanted.lives) {
    for await (const one of sweep(world, SWEPT[life - 1]!, wanted.every)) {
      all.add(one);
      await tell(one, wanted, `life ${life}, ${one.how} ${one.after} of ${one.statements}`);
      progress(`life ${life}: ${one.how} ${one.after}`, all.summary());
    }
  }
  return conclude(`sweep of ${wanted.lives.join(', ')}`, all.summary(), wanted);
}

/** Tells what is not all right about a life, and how to see it again. */
async function tell(one: Judged, { output, history }: Of<'seeds' | 'replay' | 'sweep'>, again: string): Promise<void> {
  if (one.violations.length === 0) return;
  const file = history === 'written' ? `\n  history: ${await written(one, 1)}` : '';
  const told = one.violations.slice(0, TOLD.violations).join('\n  ');
  if (output === 'table') console.log(`\rseed ${one.seed} (${again}):\n  ${told}${file}`);
}

async function written({ seed, lines, violations }: Judged, time: number): Promise<string> {
  const file = join(tmpdir(), `tocsin-life-${seed}${time === 1 ? '' : `-${time}`}.txt`);
  await writeFile(file, [...lines, '', ...violations, ''].join('\n'));
  return file;
}

function progress(where: string, { lives, failed, seconds }: Summary): void {
  if (!process.stderr.isTTY) return;
  const rate = Math.round((lives / seconds) * 60);
  process.stderr.write(`\r${where}, ${failed.length} not all right, ${rate} a minute `);
}

function conclude(title: string, summary: Summary, { output }: { output: 'table' | 'json' }): 'fine' | 'violated' {
  const { lives, failed, findings, counts, seconds } = summary;
  const perMinute = Math.round((lives / seconds) * 60);
  if (output === 'json') {
    const looked = Object.fromEntries(findings.map(one => [one.invariant, one.looked]));
    console.log(JSON.stringify({ title, lives, failed, seconds: Math.round(seconds), perMinute, looked, counts }));
  } else {
    const what = Object.entries(counts).map(([name, times]) => `${times} ${name}`);
    console.log(`\n${table(`${title}, ${lives} lives`, findings)}\n${what.join(', ')}\n${perMinute} lives a minute`);
    const seeds = failed.slice(0, TOLD.lives).map(({ seed }) => seed);
    if (failed.length > 0) console.log(`not all right: ${failed.length}, such as ${[...new Set(seeds)].join(', ')}`);
  }
  return failed.length === 0 ? 'fine' : 'violated';
}

process.exitCode = (await run()) === 'fine' ? 0 : 1;
