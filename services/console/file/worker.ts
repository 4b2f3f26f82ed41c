import { parentPort, workerData } from 'node:worker_threads';
import { readFile } from './read.ts';
import type { Secrets } from './values.ts';

/* Reads one file in a thread of its own and ends: see reader.ts. */
const { text, secrets } = workerData as { text: string; secrets: Secrets };
parentPort!.postMessage(readFile(text, secrets));
