import { fileURLToPath } from 'node:url';
import { runToEnd } from '../machine/run.ts';
import type { Answers, Load } from './load.ts';

/** Puts a load on a server by autocannon in a process of its own. */
export async function runAutocannon(load: Load): Promise<Answers> {
  const script = fileURLToPath(new URL('autocannon-process.ts', import.meta.url));
  return JSON.parse(await runToEnd(process.execPath, [script, JSON.stringify(load)])) as Answers;
}
