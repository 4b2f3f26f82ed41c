import { once } from 'node:events';
import type { Bench, Ground } from './bench.ts';
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

/** The figures that every command of the bench has that puts loads on the product. */
type Common = 'seconds' | 'rounds' | 'connections';

/** As runCommand, with a generator of loads. */
export async function runLoads<Figure extends string, Part extends string>(
  command: Command<Figure | Common, Part>,
  measure: (bench: Bench, options: Options<Figure | Common, Part>) => Promise<Report>,
): Promise<never> {
  return runCommand(command, async (ground, options) => {
    const generator = await findGenerator();
    if (generator.instead !== null) ground.notes.push(`${generator.instead}, ${SLOWER}`);
    const { seconds, rounds, connections } = options.figures;
    const report = await measure({ ...ground, generator, seconds, rounds, connections }, options);
    return { ...report, json: { generator: generator.name, ...report.json } };
  });
}

/**
 * Runs a command of the bench: reads the command line, starts Postgres, measures, prints, stops everything, ends the process.
 * Its exit code is 1 where an accepted call was lost or not applied, or the bench itself failed; a target that is missed is only said.
 */
export async function runCommand<Figure extends string, Part extends string>(
  command: Command<Figure, Part>,
  measure: (ground: Ground, options: Options<Figure, Part>) => Promise<Report>,
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
  options: Options<Figure, Part>,
  measure: (ground: Ground, options: Options<Figure, Part>) => Promise<Report>,
): Promise<0 | 1> {
  const began = performance.now();
  progress('starting Postgres');
  const { connections = 0 } = options.figures as Partial<Record<Common, number>>;
  const postgres = await startPostgres(running, connections);
  const notes: string[] = [];
  const faults: string[] = [];
  const { lines, json, targets } = await measure({ running, postgres, progress, notes, faults }, options);
  progress('');
  const tookS = Math.round((performance.now() - began) / 1_000);
  if (options.output !== 'json') {
    const more = [...notes.map(note => `NOTE: ${note}`), ...faults.map(fault => `FAULT: ${fault}`), `Took ${tookS} s.`];
    console.log([...lines, '', ...targetLines(targets), '', ...more, ''].join('\n'));
  }
  console.log(
    JSON.stringify({ settings: options.figures, ...json, targets: targetsJson(targets), notes, faults, tookS }),
  );
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

let lastStage = '';

/** A terminal has one line of it, redrawn; a log has a line for each new stage, so that it shows where a run is. */
function progress(stage: string, soFar = ''): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${soFar === '' ? stage : `${stage}: ${soFar}`}`);
  else if (stage !== '' && stage !== lastStage) process.stderr.write(`${stage}\n`);
  lastStage = stage;
}
