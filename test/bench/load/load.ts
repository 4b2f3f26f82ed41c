import { wrkProgram } from '../programs.ts';
import { runAutocannon } from './autocannon-run.ts';
import { runWrk } from './wrk.ts';

/** What one load is to do: ask as fast as the answers come. */
export interface Load {
  /** Without path. */
  url: string;
  /** The file of requests (requests.ts), asked for in turn, over and over. */
  requests: string;
  connections: number;
  seconds: number;
}

/** What came of a load. Latencies in milliseconds. */
export interface Answers {
  /** Answers of 2xx. */
  accepted: number;
  /** Other answers. */
  refused: number;
  /** Requests without an answer in time, and connections that broke. */
  broken: number;
  perSecond: number;
  p50: number;
  p99: number;
}

/** What makes the load. Every server gets the same one, in a process of its own, started anew for each round. */
export interface Generator {
  name: 'wrk' | 'autocannon';
  /** Why it is not the one that costs least; null: it is. */
  instead: string | null;
  apply(load: Load): Promise<Answers>;
}

/** Gives wrk, or where it cannot be had autocannon, which takes a processor of its own and so is part of what is measured. */
export async function findGenerator(): Promise<Generator> {
  try {
    const program = await wrkProgram();
    return { name: 'wrk', instead: null, apply: load => runWrk(program, load) };
  } catch (fault) {
    const instead = `wrk could not be had (${(fault as Error).message})`;
    return { name: 'autocannon', instead, apply: runAutocannon };
  }
}
