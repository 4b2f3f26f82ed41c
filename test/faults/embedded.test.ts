import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { overTcp } from '../support/database.ts';
import { eventually } from '../support/wait.ts';
import { emptyFolder, hold, isAlive, kill, query, serverPid, setting, start } from './embedded-rig.ts';

test('the data outlive a stop, and nothing but this machine reaches them', async () => {
  const dataDir = await emptyFolder();
  const first = await start(dataDir);
  await query(first.ownerUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await first.stop();

  const second = await start(dataDir);
  expect([second.url, second.ownerUrl]).toEqual([first.url, first.ownerUrl]);
  expect(await query(second.ownerUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  expect(hostOf(second.url)).toBe(join(dataDir, 'postgres'));
  expect((await stat(join(dataDir, 'postgres'))).mode & 0o777).toBe(0o700);
  expect(await setting(second.url, 'listen_addresses')).toBe('127.0.0.1');
  expect(await query(overTcp(second.ownerUrl), 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  expect((await stat(join(dataDir, 'postgres.json'))).mode & 0o777).toBe(0o600);
  const wrong = second.url.replace(/:[0-9a-f]+@/, ':wrong@');
  await expect(query(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
});

test.each([
  [
    'where no Unix socket can be made',
    async (dataDir: string, port: string) => {
      await mkdir(join(dataDir, 'postgres', `.s.PGSQL.${port}`));
      return dataDir;
    },
  ],
  [
    'where the path of a Unix socket would be too long',
    async (dataDir: string) => {
      const long = join(await emptyFolder(), 'a'.repeat(100));
      await rename(dataDir, long);
      return long;
    },
  ],
])('%s, the server is reached over TCP', async (_, change) => {
  const first = await start(join(await emptyFolder(), 'data'));
  await query(first.ownerUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await first.stop();
  const { url, ownerUrl } = await start(await change(first.folder, new URL(first.url).port));
  expect(hostOf(url)).toBe('127.0.0.1');
  expect(await query(ownerUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
});

test('the socket that a killed server left names another program by now, which keeps nobody from starting', async () => {
  const [dataDir, otherDir] = [await emptyFolder(), await emptyFolder()];
  const first = await start(dataDir);
  await first.stop();
  await start(otherDir);
  const lock = `.s.PGSQL.${new URL(first.url).port}.lock`;
  await writeFile(join(dataDir, 'postgres', lock), `${await serverPid(otherDir)}\n`, { mode: 0o644 });
  expect(await query((await start(dataDir)).url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('settings beyond its own hold, also once a server that died under a living product is back', async () => {
  const dataDir = await emptyFolder();
  const { url } = await start(dataDir, { settings: ['max_connections=77'] });
  expect(await setting(url, 'max_connections')).toBe('77');
  const died = await serverPid(dataDir);
  await kill(died);
  await eventually(
    async () => (await serverPid(dataDir)) !== died && (await setting(url, 'max_connections')) === '77',
    {
      what: 'the server to be back with its settings',
    },
  );
});

test('a commit is durable, and text is UTF-8 in the same order everywhere', async () => {
  const { url } = await start(await emptyFolder());
  expect(await setting(url, 'fsync')).toBe('on');
  expect(await setting(url, 'synchronous_commit')).toBe('on');
  expect(await setting(url, 'full_page_writes')).toBe('on');
  expect(await setting(url, 'server_encoding')).toBe('UTF8');
  const words = await query(url, "SELECT w, upper(w) AS u FROM (VALUES ('é'), ('b'), ('A')) AS t (w) ORDER BY w");
  expect(words).toEqual([
    { w: 'A', u: 'A' },
    { w: 'b', u: 'B' },
    { w: 'é', u: 'É' },
  ]);
});

test('the product is no superuser and owns nothing', async () => {
  const dataDir = await emptyFolder();
  const first = await start(dataDir);
  const role =
    'SELECT rolname AS name, rolsuper AS super, rolcreaterole AS roles FROM pg_roles WHERE rolname = current_user';
  expect(await query(first.url, role)).toEqual([{ name: 'tocsin_product', super: false, roles: false }]);
  await expect(query(first.url, 'CREATE TABLE own (a int)')).rejects.toMatchObject({ code: '42501' });
});

test('a server that a killed product left behind is adopted, goes on logging and stops with the next product', async () => {
  const dataDir = await emptyFolder();
  const killed = await hold(dataDir);
  await query(killed.said, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await kill(killed.process);
  const left = await serverPid(dataDir);
  expect(isAlive(left)).toBe(true);

  const next = await start(dataDir);
  expect(await serverPid(dataDir)).toBe(left);
  expect(await query(next.ownerUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  await expect(query(next.url, 'SELECT nothing_of_the_kind')).rejects.toThrow('nothing_of_the_kind');
  expect(await readFile(join(dataDir, 'postgres', 'postgres.log'), 'utf8')).toContain('nothing_of_the_kind');

  await next.stop();
  await eventually(() => !isAlive(left), { what: 'the adopted server to be gone' });
});

test('product and server killed together: the next start recovers what was committed', async () => {
  const dataDir = await emptyFolder();
  const killed = await hold(dataDir);
  await query(killed.said, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await kill(killed.process);
  const left = await serverPid(dataDir);
  process.kill(left, 'SIGKILL');
  await eventually(() => !isAlive(left), { what: 'the server to be gone' });

  const next = await start(dataDir);
  expect(await query(next.ownerUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
});

test('a postmaster.pid whose process id belongs to somebody else by now does not stop the start', async () => {
  const dataDir = await emptyFolder();
  await (await start(dataDir)).stop();
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  await writeFile(pidFile, `${process.pid}\n${join(dataDir, 'postgres')}\n1795260340\n1\n\n127.0.0.1\n\nready\n`);

  const next = await start(dataDir);
  expect(await query(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(await serverPid(dataDir)).not.toBe(process.pid);
});

test('a second product on the same DATA_DIR is refused in one sentence and does not harm the first', async () => {
  const dataDir = await emptyFolder();
  const first = await hold(dataDir);
  await expect(start(dataDir)).rejects.toThrow(
    `The data in "${dataDir}" are in use by another Tocsin (process ${first.process.pid}): stop that one or set another DATA_DIR.`,
  );
  expect(await query(first.said, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('of two products that start at once on an empty DATA_DIR one starts and one is refused', async () => {
  const dataDir = await emptyFolder();
  const two = await Promise.all([hold(dataDir), hold(dataDir)]);
  const said = two.map(holder => holder.said).sort();
  expect(said[0]).toMatch(/^StartError: The data in .+ are in use by another Tocsin/);
  expect(await query(said[1] ?? '', 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('what a start that was killed while it made the data left behind is cleared away', async () => {
  const dataDir = await emptyFolder();
  await mkdir(join(dataDir, 'initdb-left', 'postgres'), { recursive: true });
  await writeFile(join(dataDir, 'initdb-left', 'postgres', 'PG_VERSION'), '18\n');
  await start(dataDir);
  expect((await readdir(dataDir)).sort()).toEqual(['lock', 'postgres', 'postgres.json']);
});

test('a port that somebody else took meanwhile is left to them', async () => {
  const dataDir = await emptyFolder();
  const first = await start(dataDir);
  await first.stop();
  const taken = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());

  const second = await start(dataDir);
  expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
  expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a lost or changed password is told in one sentence', async () => {
  const dataDir = await emptyFolder();
  const { url, stop } = await start(dataDir);
  await stop();
  const record = join(dataDir, 'postgres.json');
  const changed = { port: Number(new URL(url).port), password: 'changed', productPassword: 'another' };
  await writeFile(record, JSON.stringify(changed));
  await expect(start(dataDir)).rejects.toThrow('The password in postgres.json in DATA_DIR is not that of the data');
  await writeFile(record, '{"port":');
  await expect(start(dataDir)).rejects.toThrow(`"${record}" is damaged`);
});

/** The address or the folder of the socket in a URL. */
function hostOf(url: string): string {
  return decodeURIComponent(new URL(url).hostname);
}
