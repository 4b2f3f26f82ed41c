import { parentPort, workerData } from 'node:worker_threads';
import { inLanguage } from '../../rpc/reader.ts';
import { readFile } from './read.ts';
import type { Secrets } from './values.ts';

/* Reads one file in a thread of its own and ends: see reader.ts. */
const { text, secrets, language } = workerData as { text: string; secrets: Secrets; language: string };
parentPort!.postMessage(inLanguage(language, () => readFile(text, secrets)));
