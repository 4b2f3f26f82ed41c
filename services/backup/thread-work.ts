import { parentPort, workerData } from 'node:worker_threads';
import { startSentence } from '../process/start-errors.ts';
import { backUp } from './back-up.ts';
import type { BackupOutcome, Task } from './thread.ts';

/* What the thread of a scheduled backup does (thread.ts). */

async function work({ order, facts }: Task): Promise<BackupOutcome> {
  const givenUp = new AbortController();
  parentPort!.once('message', () => givenUp.abort(new Error('Tocsin stops.')));
  try {
    return { is: 'done', done: await backUp({ ...order, signal: givenUp.signal, onProgress() {} }) };
  } catch (fault) {
    const sentence = startSentence(fault, facts);
    if (sentence !== null) return { is: 'refused', message: sentence };
    return { is: 'failed', message: fault instanceof Error ? fault.message : String(fault) };
  } finally {
    // Else the thread would wait for another message.
    parentPort!.unref();
  }
}

parentPort!.postMessage(await work(workerData));
