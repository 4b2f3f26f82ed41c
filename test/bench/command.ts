import { once } from 'node:events';
import type { Bench } from './bench.ts';
import { findGenerator } from './load/load.ts';
import { startPostgres } from './machine/postgres.ts';
import { type Command, helpText, type Options, readOptions } from './options.ts';
import { type Target, targetLines, targetsJson } from './report/targets.ts';

/** What a command found out. */
export interface Report {
  /** Lines for people. */
  lines: string[];
  json: Record<string, unknown>;
  targets: Target[];
}

/** The figures that every command of the bench has. */
type Common = 'seconds' | 'rounds' | 'connections';

/**
 * Runs a command of the bench: reads the command line, starts Postgres, measures, prints, stops everything, ends the process.
 * Its exit code is 1 where an accepted call was lost or not applied, or the bench itself failed; a target that is missed is only said.
 */
export async function runCommand<Figure extends string, Part extends string>(
  command: Command<Figure | Common, Part>,
  measure: (bench: Bench, options: Options<Figure | Common, Part>) => Promise<Report>,
): Promise<never> {
  try {
    const options = readOptions(process.argv.slice(2), command);
    if (options === 'help') console.log(helpText(command));
    else process.exitCode = await untilInterrupted(running => measureAndPrint(running, options, measure));
  } catch (fault) {
    console.error(fault instanceof Error ? fault.message : fault);
    process.exitCode = 1;
  }
  process.exit();
}

async function measureAndPrint<Figure extends string, Part extends string>(
  running: AsyncDisposableStack,
  options: Options<Figure | Common, Part>,
  measure: (bench: Bench, options: Options<Figure | Common, Part>) => Promise<Report>,
): Promise<0 | 1> {
  const began = performance.now();
  progress('starting Postgres');
  const { seconds, rounds, connections } = options.figures;
  const postgres = await startPostgres(running, connections);
  const generator = await findGenerator();
  const notes = generator.instead === null ? [] : [`${generator.instead}, ${SLOWER}`];
  const bench: Bench = { running, postgres, generator, seconds, rounds, connections, progress, notes, faults: [] };
  const { lines, json, targets } = await measure(bench, options);
  progress('');
  const { faults } = bench;
  const tookS = Math.round((performance.now() - began) / 1_000);
  if (options.output !== 'json') {
    const more = [...notes.map(note => `NOTE: ${note}`), ...faults.map(fault => `FAULT: ${fault}`), `Took ${tookS} s.`];
    console.log([...lines, '', ...targetLines(targets), '', ...more, ''].join('\n'));
  }
  const settings = { generator: generator.name, ...options.figures };
  console.log(JSON.stringify({ settings, ...json, targets: targetsJson(targets), notes, faults, tookS }));
  return faults.length > 0 ? 1 : 0;
}

const SLOWER =
  'so autocannon made the load: it takes a processor of its own, and what is fast shows as slower than it is.';

/** Stops what runs at the end, and where a signal interrupts it: what then fails has failed for that reason. */
async function untilInterrupted<Result>(work: (running: AsyncDisposableStack) => Promise<Result>): Promise<Result> {
  await using running = new AsyncDisposableStack();
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => {
    throw new Error('Interrupted.');
  });
  return await Promise.race([work(running), interrupted]);
}

function progress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what}`);
}
