import { Worker } from 'node:worker_threads';
import { ofWholeFile } from './problem.ts';
import { type FileRead, readFile } from './read.ts';
import type { Secrets } from './values.ts';

/** The largest file, in megabytes of UTF-8: what an account of 10,000 alarms exports is 2.6. */
const MOST_MB = 4;

/** Up to so many characters a file is read at once; that takes less time than a thread takes to start. */
const AT_ONCE = 32_768;

/**
 * What one thread may use, and of memory never more than half of what is left: its end must not be that of the process. 2 MB
 * that somebody might write take 3 s and 0.5 GB; 2 MB of brackets would take 2 GB.
 */
const MOST = { ms: 40_000, megabytes: 1_024 } as const;

/** Less would refuse files of ordinary accounts. */
const LEAST_MEGABYTES = 256;

/** How many files may wait for the one that is being read. */
const MOST_WAITING = 8;

/** That so many files wait already that this one is not taken. */
export class TooManyFiles extends Error {
  override readonly name = 'TooManyFiles';
}

/** A sentence that says so where a file is larger than is taken; null where it is not. */
export function tooLarge(text: string): string | null {
  const megabytes = Buffer.byteLength(text) / 1e6;
  if (megabytes <= MOST_MB) return null;
  return `A file takes at most ${MOST_MB} MB, got ${megabytes.toFixed(1)} MB: split it.`;
}

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads a file without holding up who else lives in this process, for which the parser would take seconds at once: large ones
 * one after the other in a thread, whose end frees what it needed. Throws TooManyFiles.
 */
export async function readApart(text: string, secrets: Secrets): Promise<FileRead> {
  if (text.length <= AT_ONCE) return readFile(text, secrets);
  if (waiting >= MOST_WAITING) throw new TooManyFiles('Too many files are being read.');
  waiting += 1;
  const turn = last.then(() => readInThread(text, secrets)).finally(() => (waiting -= 1));
  last = turn.catch(() => {});
  return turn;
}

function readInThread(text: string, secrets: Secrets): Promise<FileRead> {
  const megabytes = Math.min(
    MOST.megabytes,
    Math.max(LEAST_MEGABYTES, Math.floor(process.availableMemory() / 2 ** 21)),
  );
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { text, secrets },
      resourceLimits: { maxOldGenerationSizeMb: megabytes },
      env: {},
      execArgv: [],
    });
    const end = (read: FileRead) => {
      clearTimeout(patience);
      resolve(read);
      void thread.terminate();
    };
    const patience = setTimeout(() => end(refused(`be read within ${MOST.ms / 1_000} seconds`)), MOST.ms);
    thread.once('message', end);
    thread.once('error', fault => {
      clearTimeout(patience);
      const full = 'code' in fault && fault.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (full) resolve(refused(`be read in ${megabytes} MB of memory`));
      else reject(fault);
    });
  });
}

function refused(can: string): FileRead {
  const problems = [
    ofWholeFile(`takes a file that can ${can}, got one that cannot: split it, or leave out what repeats.`),
  ];
  return { account: null, things: [], problems, missingSecrets: [] };
}
