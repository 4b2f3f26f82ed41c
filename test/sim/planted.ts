import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { copyTree } from '../support/tree.ts';
import { BUGS, type Bug } from './planted/bugs.ts';

/** What a copy of the tree needs to be simulated. */
const PARTS = ['package.json', 'buf.yaml', 'gen', 'proto', 'services', 'facade', 'test/sim', 'test/support'];

/** What became of the hunt for a planted bug. */
interface Hunted {
  bug: Bug;
  /** The seed that found it; null: none did. */
  seed: number | null;
  /** What it violated first. */
  what: string;
  lives: number;
  seconds: number;
}

/** Looks for every planted bug in a copy of the tree, and prints a table. `violated`: one that must be found was not. */
export async function hunt(wanted: {
  seeds: number;
  only: readonly string[];
  output: 'table' | 'json';
}): Promise<'fine' | 'violated'> {
  const bugs = BUGS.filter(({ name }) => wanted.only.length === 0 || wanted.only.includes(name));
  if (bugs.length === 0) throw new Error(`--only takes one of: ${BUGS.map(({ name }) => name).join(', ')}.`);
  const waiting = [...bugs];
  const hunted: Hunted[] = [];
  const worker = async () => {
    for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
      const one = await huntOne(bug, wanted.seeds);
      hunted.push(one);
      if (wanted.output === 'table') console.log(lineOf(one));
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), bugs.length) }, worker));
  const missed = hunted.filter(({ bug, seed }) => seed === null && bug.unseen === undefined);
  if (wanted.output === 'json') {
    const told = hunted.map(({ bug, ...one }) => ({ bug: bug.name, ...one, unseen: bug.unseen }));
    console.log(JSON.stringify({ planted: told, missed: missed.length }));
  } else {
    const found = hunted.filter(({ seed }) => seed !== null).length;
    console.log(`\n${hunted.length} planted, ${found} found, ${missed.length} missed`);
  }
  return missed.length === 0 ? 'fine' : 'violated';
}

function lineOf({ bug, seed, what, lives, seconds }: Hunted): string {
  const found = seed === null ? `not within ${lives} seeds` : `seed ${seed}`;
  const told = seed === null ? (bug.unseen ?? 'MISSED') : what;
  return `${bug.name.padEnd(42)}${found.padEnd(26)}${`${seconds} s`.padEnd(8)}${told.slice(0, 150)}`;
}

async function huntOne(bug: Bug, seeds: number): Promise<Hunted> {
  const tree = await copyTree(PARTS, [bug]);
  try {
    const { lives, failed, seconds } = await simulate(tree, seeds, bug.of);
    const [first] = failed;
    return { bug, seed: first?.seed ?? null, what: first?.violations[0] ?? '', lives, seconds };
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}

type Told = { lives: number; failed: { seed: number; violations: string[] }[]; seconds: number };

/** Lives lives in a tree until the first that is not all right. */
async function simulate(tree: string, seeds: number, of: Bug['of']): Promise<Told> {
  const args = [join(tree, 'test/sim/run.ts'), '--seeds', `1-${seeds}`, '--first', '--json'];
  if (of === 'neighbour') args.push('--neighbour');
  const child = spawn(process.execPath, args, { cwd: tree, stdio: ['ignore', 'pipe', 'inherit'] });
  const out: Buffer[] = [];
  child.stdout.on('data', chunk => out.push(chunk));
  await new Promise(resolve => child.on('close', resolve));
  const text = Buffer.concat(out).toString();
  if (text === '') throw new Error(`The simulation in ${tree} ended without a word.`);
  return JSON.parse(text) as Told;
}
