import { Worker } from 'node:worker_threads';
import { readersLanguage, say } from '../../rpc/reader.ts';
import { ofWholeFile } from './problem.ts';
import { type FileRead, readFile } from './read.ts';
import type { Secrets } from './values.ts';

/** The largest file, in megabytes of UTF-8: an account of 10,000 alarms exports 2.6. */
const MOST_MB = 4;

/** Files up to this many characters are read at once; that takes less time than starting a thread. */
const AT_ONCE = 32_768;

/**
 * What one thread may use; of memory never more than half of what is left, so that it cannot bring down the process. A
 * plausible file of 2 MB takes 3 s and 0.5 GB; 2 MB of brackets would take 2 GB.
 */
const MOST = { ms: 40_000, megabytes: 1_024 } as const;

/** Less would refuse files of ordinary accounts. */
const LEAST_MEGABYTES = 256;

/** How many files may wait for the one being read. */
const MOST_WAITING = 8;

/** Too many files are waiting already. */
export class TooManyFiles extends Error {
  override readonly name = 'TooManyFiles';
}

/** Returns the error for a file that is too large; null if it is not. */
export function tooLarge(text: string): string | null {
  const megabytes = Buffer.byteLength(text) / 1e6;
  if (megabytes <= MOST_MB) return null;
  return say().file.tooLarge(MOST_MB, megabytes.toFixed(1));
}

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads a file without blocking the process, which parsing a large one would do for seconds: large files are read one
 * after the other in a thread, whose end frees its memory. Throws TooManyFiles.
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
      workerData: { text, secrets, language: readersLanguage() },
      resourceLimits: { maxOldGenerationSizeMb: megabytes },
      env: {},
      execArgv: [],
    });
    const end = (read: FileRead) => {
      clearTimeout(patience);
      resolve(read);
      void thread.terminate();
    };
    const patience = setTimeout(() => end(refused(say().file.tooSlow(MOST.ms / 1_000))), MOST.ms);
    thread.once('message', end);
    thread.once('error', fault => {
      clearTimeout(patience);
      const full = 'code' in fault && fault.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (full) resolve(refused(say().file.tooMuchMemory(megabytes)));
      else reject(fault);
    });
  });
}

function refused(problem: string): FileRead {
  return { account: null, things: [], problems: [ofWholeFile(problem)], missingSecrets: [] };
}
