import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isRoot, postgresUser, run } from '../../services/embedded/system.ts';
import { debianPostgres } from '../support/postgres-program.ts';
import { expectRestored, shelf, tocsin } from './backup-rig.ts';
import { ownPort } from './cluster/ports.ts';
import { emptyFolder, query } from './embedded-rig.ts';
import { call, startProduct } from './product.ts';

vi.setConfig({ testTimeout: 300_000 });

/** Debian's PostgreSQL with an empty database; it is stopped with the test. */
async function startDebian(): Promise<string> {
  const folder = await emptyFolder();
  const user = isRoot() ? await postgresUser() : null;
  const { program, env } = await debianPostgres(user, folder);
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  if (user !== null) await chown(data, user.uid, user.gid);
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const exec = (name: string, ...args: string[]) => run('env', [...settings, program(name), ...args], user, data);
  await exec('initdb', '-D', data, '-U', 'tocsin', '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C');
  const port = await ownPort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
  await exec('pg_ctl', 'start', '-w', '-D', data, '-l', join(data, 'log'), '-o', options);
  onTestFinished(async () => void (await exec('pg_ctl', 'stop', '-D', data, '-m', 'immediate')));
  const server = `postgres://tocsin@127.0.0.1:${port}/postgres`;
  await query(server, 'CREATE DATABASE tocsin');
  return `postgres://tocsin@127.0.0.1:${port}/tocsin`;
}

test('a backup goes from the embedded PostgreSQL to an older major version, which Debian has, and back', async () => {
  const [dataDir, elsewhere, folder] = [await emptyFolder(), await emptyFolder(), await shelf()];
  const embedded = startProduct({ DATA_DIR: dataDir });
  const { apiKey = '', http } = await embedded.ready();
  const state = await (await fetch(`${http}/v1/integration/state`, { headers: { 'x-api-key': apiKey } })).json();
  const ids = (state as { data: { alarms: { id: string }[] } }).data.alarms.map(({ id }) => id);
  const there = join(folder, 'there.backup');
  expect(await tocsin(['backup', there], { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
  await embedded.kill();

  const DATABASE_URL = await startDebian();
  const [{ version }] = (await query(DATABASE_URL, "SELECT current_setting('server_version_num')::int AS version")) as [
    { version: number },
  ];
  expect(Math.floor(version / 10_000)).not.toBe(18);
  const secrets = { KEY_PEPPER_FILE: join(dataDir, 'key-pepper'), DATA_KEY_FILE: join(dataDir, 'data-key') };
  const settings = { DATABASE_URL, ...secrets };
  const restored = await tocsin(['restore', there], settings);
  expect(restored, restored.stderr).toMatchObject({ code: 0 });
  const product = startProduct(settings);
  const ready = await product.ready();
  for (const id of ids) expect(await call(ready, `alarm/${id}/arm`, apiKey)).toBe(202);

  const back = join(folder, 'back.backup');
  const done = await tocsin(['backup', back], settings);
  expect(done).toMatchObject({ code: 0, value: { secretsNeeded: ['KEY_PEPPER', 'DATA_KEY'] } });
  await product.kill();
  expect((await tocsin(['restore', back], { DATA_DIR: elsewhere })).stderr).toMatch(
    /^The backup does not hold KEY_PEPPER and DATA_KEY, which its deployment had in its settings/,
  );
  expect(await tocsin(['restore', back], { DATA_DIR: elsewhere, ...secrets })).toMatchObject({ code: 0 });
  await expectRestored(elsewhere, { apiKey, ids, calls: [] }, secrets);
});
