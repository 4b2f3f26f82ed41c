import { Worker } from 'node:worker_threads';
import { ofWholeFile } from './problem.ts';
import { type FileRead, readFile } from './read.ts';
import { MOST_BYTES } from './text.ts';
import type { Secrets } from './values.ts';

/** Up to so many characters a file is read at once; that takes less time than a thread takes to start. */
const AT_ONCE = 32_768;

/**
 * What one thread may use, and of memory never more than half of what is left: its end must not be that of the process. A
 * file of 10 MB that somebody might write needs a third of the time and two of the memory.
 */
const MOST = { ms: 40_000, megabytes: 1_536 } as const;

/** Less would refuse files of ordinary accounts. */
const LEAST_MEGABYTES = 256;

/** How many files may wait for the one that is being read. */
const MOST_WAITING = 8;

/** That so many files wait already that this one is not taken. */
export class TooManyFiles extends Error {
  override readonly name = 'TooManyFiles';
}

/** Whether a file is of a size that is taken at all. */
export function sizeOf(text: string): 'fits' | 'too_large' {
  return Buffer.byteLength(text) > MOST_BYTES ? 'too_large' : 'fits';
}

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads a file without holding up who else lives in this process: large ones one after the other in a thread, whose end
 * frees what it needed. Throws TooManyFiles.
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
