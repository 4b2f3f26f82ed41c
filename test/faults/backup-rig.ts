import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, onTestFinished } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { dropDatabase, makeDatabase } from '../support/database.ts';
import { eventually } from '../support/wait.ts';
import { connectTo } from './live-demo.ts';
import { call, type Ready, startProduct } from './product.ts';

/** The command line of this tree. */
const TOCSIN = fileURLToPath(new URL('../../facade/cli/bin/tocsin', import.meta.url));

export const PASSPHRASE = { BACKUP_PASSPHRASE: 'correct horse battery' };

export const SECRETS = { KEY_PEPPER: 'p'.repeat(32), DATA_KEY: '0'.repeat(64) };

/** What a command ended with. */
export interface Ended {
  code: number | null;
  /** The line of JSON, null if there is none. */
  value: Record<string, unknown> | null;
  stderr: string;
}

/** Starts `tocsin` with these settings and no others, in a group of its own. `bytes`: no file may grow larger. */
export function startTocsin(
  words: readonly string[],
  settings: Record<string, string>,
  bytes?: number,
  program = TOCSIN,
) {
  const { PATH, HOME } = process.env;
  const limit = bytes === undefined ? '' : `ulimit -f ${Math.ceil(bytes / 512)}; `;
  const child: ChildProcess = spawn('sh', ['-c', `${limit}exec "$0" "$@"`, program, ...words], {
    env: { PATH, HOME, ...PASSPHRASE, ...settings },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout!.setEncoding('utf8').on('data', text => (stdout += text));
  child.stderr!.setEncoding('utf8').on('data', text => (stderr += text));
  const closed = once(child, 'close');
  const running = () => child.exitCode === null && child.signalCode === null;
  const kill = async () => {
    if (running()) process.kill(-child.pid!, 'SIGKILL');
    await closed;
  };
  onTestFinished(kill);
  return {
    kill,
    async ended(): Promise<Ended> {
      await closed;
      return { code: child.exitCode, value: stdout.startsWith('{') ? JSON.parse(stdout) : null, stderr };
    },
  };
}

/** Runs `tocsin` to its end. */
export function tocsin(words: readonly string[], settings: Record<string, string>, bytes?: number): Promise<Ended> {
  return startTocsin(words, settings, bytes).ended();
}

/** Runs the `tocsin` of the tree in a folder to its end. */
export function tocsinOf(folder: string) {
  const program = join(folder, 'facade', 'cli', 'bin', 'tocsin');
  return (words: readonly string[], settings: Record<string, string>) =>
    startTocsin(words, settings, undefined, program).ended();
}

/** A folder for backups that is gone with the test. */
export async function shelf(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-shelf-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The settings of a deployment on an empty database of the run's server. */
export async function emptyDatabase(): Promise<typeof SECRETS & { DATABASE_URL: string }> {
  const name = `backup_${newId()}`;
  const url = await makeDatabase(inject('postgresUrl'), { name, from: 'template0' });
  onTestFinished(() => dropDatabase(inject('postgresUrl'), name));
  return { ...SECRETS, DATABASE_URL: url };
}

/** A call that was accepted: its trace, and when the answer was there, in milliseconds since 1970. */
interface Accepted {
  traceId: string;
  at: number;
}

/** Keeps calling every alarm of a product, four calls at once, until it is stopped. */
export async function startLoad({ http, apiKey = '' }: Ready) {
  const headers = { 'x-api-key': apiKey };
  const state = await (await fetch(`${http}/v1/integration/state`, { headers })).json();
  const ids = (state as { data: { alarms: { id: string }[] } }).data.alarms.map(({ id }) => id);
  const accepted: Accepted[] = [];
  let load = 'on' as 'on' | 'off';
  const callers = [0, 1, 2, 3].map(async caller => {
    for (let number = caller; load === 'on'; number++) {
      const path = `alarm/${ids[number % ids.length]}/${['arm', 'trigger', 'disarm'][number % 3]}`;
      const answer = await fetch(`${http}/v1/${path}`, { headers });
      const { traceId } = (await answer.json()) as { traceId: string };
      if (answer.status === 202) accepted.push({ traceId, at: Date.now() });
    }
  });
  await eventually(() => accepted.length > 50, { what: 'calls to be accepted', within: 30_000 });
  return {
    ids,
    accepted,
    async stop() {
      load = 'off';
      await Promise.all(callers);
    },
  };
}

/** Starts a product on a restored DATA_DIR: the key opens what it opened, and every one of the calls is in its log. */
export async function expectRestored(
  dataDir: string,
  on: { apiKey: string; ids: string[]; calls: Accepted[] },
  secrets: Record<string, string> = {},
) {
  const { http } = await startProduct({ DATA_DIR: dataDir, ...secrets }).ready();
  for (const id of on.ids) expect(await call({ http, apiKey: on.apiKey }, `alarm/${id}/arm`)).toBe(202);
  const pool = await connectTo(dataDir);
  await eventually(
    async () => {
      const { rows } = await pool.query<{ trace_id: string }>('SELECT trace_id FROM logged_call');
      const logged = new Set(rows.map(row => row.trace_id));
      return on.calls.every(({ traceId }) => logged.has(traceId));
    },
    { what: 'every call accepted before the backup to be in the log', within: 30_000 },
  );
}
