import { fileURLToPath } from 'node:url';
import type { Program } from '../../support/debian.ts';
import { runToEnd } from '../machine/run.ts';
import type { Answers, Load } from './load.ts';

/** What wrk.lua prints. Percentiles in microseconds. */
interface Done {
  answered: number;
  microseconds: number;
  refused: number;
  broken: number;
  p50: number;
  p99: number;
}

const SCRIPT = fileURLToPath(new URL('wrk.lua', import.meta.url));

/** Puts a load on a server by wrk with one thread. Throws what it printed where it did not work. */
export async function runWrk({ path, env }: Program, load: Load): Promise<Answers> {
  const options = ['-t1', `-c${load.connections}`, `-d${load.seconds}s`, '--latency', '-s', SCRIPT];
  const stdout = await runToEnd(path, [...options, load.url, '--', load.requests], env);
  const line = /^\{.*\}$/m.exec(stdout)?.[0];
  if (line === undefined) throw new Error(`wrk ended without a result: ${stdout}`);
  const done = JSON.parse(line) as Done;
  const accepted = done.answered - done.refused;
  return {
    accepted,
    refused: done.refused,
    broken: done.broken,
    perSecond: accepted / (done.microseconds / 1e6),
    p50: done.p50 / 1_000,
    p99: done.p99 / 1_000,
  };
}
