import { fileURLToPath } from 'node:url';
import { runToEnd } from '../machine/run.ts';

/** A load that comes at an even pace. */
export interface Pace {
  /** Without path. */
  url: string;
  /** The file of requests (requests.ts), asked for in turn, over and over. */
  requests: string;
  connections: number;
  perSecond: number;
  seconds: number;
  /** How many seconds longer requests are sent that found no connection free in time; 10 where absent. */
  patience?: number;
}

/** What came of it. Latencies in milliseconds. */
export interface PacedAnswers {
  /** Answers of 2xx. */
  accepted: number;
  /** Other answers. */
  refused: number;
  /** Requests without an answer, and connections that broke. */
  broken: number;
  /** What was never asked: until the end all connections were busy. */
  unsent: number;
  p50: number;
  p99: number;
  /** How late the generator itself was, about a millisecond where it had the processor; not part of the latencies. */
  lateP99: number;
}

/** Puts an even load on a server from a process of its own. */
export async function runPaced(pace: Pace): Promise<PacedAnswers> {
  const script = fileURLToPath(new URL('paced-process.ts', import.meta.url));
  return JSON.parse(await runToEnd(process.execPath, [script, JSON.stringify(pace)])) as PacedAnswers;
}
