import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { eventually } from './wait.ts';

const PROGRAM = new URL('../realtime/amplify-client.js', import.meta.url);

/** A line of test/realtime/amplify-client.js. */
interface Word {
  heard?: unknown;
  failed?: string;
  granted?: string;
  state?: string;
  answered?: number;
  refusal?: string | null;
}

/** An application in a process of its own, which aws-amplify needs: it holds one socket per process. */
export interface Application {
  /** Has it do something; gives why that was refused, or null. */
  does(verb: 'configure' | 'listen' | 'publish' | 'post', input: object): Promise<string | null>;
  /** All that it heard, that its subscriptions failed with, that it was granted, and how its connection was, in order. */
  all<Key extends keyof Word>(key: Key): NonNullable<Word[Key]>[];
  /** Waits until there are so many of these. */
  until(key: keyof Word, count: number): Promise<void>;
}

/** Starts one where `folder` has the package; `ca` is the file with the certificate that it trusts. It ends with the test. */
export async function startApplication({ folder, ca }: { folder: string; ca: string }): Promise<Application> {
  // What is evaluated, unlike what is in a file, finds its packages from the working directory.
  const program = ['--input-type=module', '--eval', await readFile(PROGRAM, 'utf8')];
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: ca };
  const child = spawn(process.execPath, program, { cwd: folder, env, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  child.stdin.on('error', () => {});
  const words: Word[] = [];
  createInterface({ input: child.stdout }).on('line', line => words.push(JSON.parse(line)));

  const said = (probe: () => boolean | undefined, what: string) =>
    eventually(() => probe() || child.exitCode !== null || child.signalCode !== null, { what }).then(() => {
      if (!probe()) throw new Error(`The application ended while it was waited for ${what}: ${complaints}`);
    });
  let calls = 0;
  const all: Application['all'] = key => words.flatMap(word => word[key] ?? []) as never;
  return {
    all,
    async does(verb, input) {
      const call = ++calls;
      child.stdin.write(`${JSON.stringify({ call, verb, ...input })}\n`);
      await said(() => words.some(({ answered }) => answered === call), `its answer to ${verb}`);
      return words.find(({ answered }) => answered === call)!.refusal ?? null;
    },
    until: (key, count) => said(() => all(key).length >= count, `${count} times ${key}, told ${JSON.stringify(words)}`),
  };
}
