import { Worker } from 'node:worker_threads';
import { StartError, type StartFacts } from '../process/start-errors.ts';
import type { BackupDone, BackupOrder } from './write.ts';

/** What the thread (thread-work.ts) is given. Errors lose all but their text on the way, so it makes the sentences. */
export interface Task {
  order: Omit<BackupOrder, 'signal' | 'onProgress'>;
  facts: StartFacts;
}

/** How it went. */
export type BackupOutcome = { is: 'done'; done: BackupDone } | { is: 'refused' | 'failed'; message: string };

/** How long the thread may take to end once it is given up, in milliseconds: its disk may hang. */
const END_MS = 3_000;

/**
 * Backs up as backUp does, in a thread of its own: it reads and encrypts every row, and calls that are accepted meanwhile would
 * wait for that. Throws StartError where there is a sentence for what went wrong.
 */
export async function backUpInThread(task: Task, signal: AbortSignal): Promise<BackupDone> {
  const worker = new Worker(new URL('thread-work.ts', import.meta.url), { workerData: task });
  let giveUp = () => {};
  try {
    const outcome = await new Promise<BackupOutcome>((resolve, reject) => {
      giveUp = () => {
        worker.postMessage('give_up');
        setTimeout(() => reject(new Error('The thread does not end.')), END_MS).unref();
      };
      signal.addEventListener('abort', giveUp, { once: true });
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('The thread ended.')));
    });
    if (outcome.is === 'done') return outcome.done;
    throw outcome.is === 'refused' ? new StartError(outcome.message) : new Error(outcome.message);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
