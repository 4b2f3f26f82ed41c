import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createInTurn } from '../../limits/fair.ts';
import { FILES_MOST } from '../../limits/table.ts';
import { createUnderWay } from '../../limits/under-way.ts';
import { readersLanguage, say } from '../../rpc/reader.ts';
import { ofWholeFile } from './problem.ts';
import { type FileRead, readFile } from './read.ts';
import type { Secrets } from './values.ts';

/** Files up to this many characters are read without a thread, at most 50 ms long; starting one takes half a second. */
const SMALL = 16_384;

/**
 * What one thread may use; of memory never more than half of what is left, so that it cannot bring down the process. A
 * plausible file of 2 MB takes 3 s and 0.5 GB; 2 MB of brackets would take 2 GB.
 */
const MOST = { ms: 40_000, megabytes: 1_024 } as const;

/** All of the environment that a thread is given: where it finds its code compiled, which saves a third of its start. */
const compiled = getCompileCacheDir();
const COMPILED = compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) };

/** Less would refuse files of ordinary accounts. */
const LEAST_MEGABYTES = 256;

/** Too many files are waiting already. */
export class TooManyFiles extends Error {
  override readonly name = 'TooManyFiles';
}

/** Returns the error for a file that is too large; null if it is not. */
export function tooLarge(text: string): string | null {
  const megabytes = Buffer.byteLength(text) / 1e6;
  if (megabytes <= FILES_MOST.megabytes) return null;
  return say().file.tooLarge(FILES_MOST.megabytes, megabytes.toFixed(1));
}

const files = createUnderWay();
const [smallInTurn, largeInTurn] = [createInTurn(), createInTurn()];

/**
 * Reads a file without blocking the process, which parsing a large one would do for seconds: large files are read one
 * at a time in a thread, whose end frees its memory, small ones one in each round of the event loop. Accounts take
 * turns. Throws TooManyFiles.
 */
export async function readApart(accountId: string, text: string, secrets: Secrets): Promise<FileRead> {
  const size = text.length <= SMALL ? 'small' : 'large';
  const ofAll = size === 'large' ? { large: FILES_MOST.large } : {};
  using place = files.enter({ [`of ${accountId}`]: FILES_MOST.account, ...ofAll });
  if (place === null) throw new TooManyFiles('Too many files are being read.');
  if (size === 'small') return await smallInTurn(accountId, () => setImmediate(readFile(text, secrets)));
  return await largeInTurn(accountId, () => readInThread(text, secrets));
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
      env: COMPILED,
      execArgv: [],
    });
    const end = (read: FileRead) => {
      clearTimeout(patience);
      resolve(read);
      void thread.terminate();
    };
    const patience = setTimeout(() => end(refusal(say().file.tooSlow(MOST.ms / 1_000))), MOST.ms);
    thread.once('message', end);
    thread.once('error', fault => {
      clearTimeout(patience);
      const full = 'code' in fault && fault.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (full) resolve(refusal(say().file.tooMuchMemory(megabytes)));
      else reject(fault);
    });
  });
}

function refusal(problem: string): FileRead {
  return { account: null, things: [], problems: [ofWholeFile(problem)], missingSecrets: [] };
}
