import { pino } from 'pino';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openStore } from '../../services/store/store.ts';
import { dropDatabase, makeDatabase, TEMPLATE } from '../support/database.ts';
import { startLine } from '../support/line.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';

/** What Postgres says when a connection is ready, and when an administrator ends it. */
const READY = Buffer.from('5a0000000549', 'hex');
const ENDED = message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');

/**
 * How long a call may wait for its 503, and /readyz and the recovery for the database, in milliseconds. A facade waits 2.5 s, and the
 * first call may need them: by others the silence was noticed on connections of their own.
 */
const ANSWERED_MS = 3_000;
const NOTICED_MS = 5_000;
const BACK_MS = 15_000;

test('a connection that is lost the moment it is ready costs a statement, not the process', async () => {
  const { line, databaseUrl } = await aLineToADatabase();
  const store = await openStore(databaseUrl, pino({ level: 'silent' }));
  onTestFinished(() => store.close());

  for (const pool of [store.working, store.accepting]) {
    line.endNext(READY, ENDED);
    const lost = pool.connect().then(client => client.query('SELECT 1').finally(() => client.release(true)));
    await expect(lost).rejects.toThrow();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  }
});

test('a database that falls silent without a word is noticed within 5 s, and is used again as soon as it is back', async () => {
  const { line, name, serverUrl } = await aLineToADatabase();
  const world = await startWorld({ server: serverUrl, database: name });
  const owner = await world.account();
  const alarm = await owner.alarm();
  const key = await owner.key();
  const trigger = () => world.get(`/v1/alarm/${alarm}/trigger`, key);
  const isReady = async () => (await fetch(`${world.url}/readyz`)).status === 200;
  expect((await trigger()).status).toBe(202);
  await world.settle();

  line.silence();
  const silentAt = performance.now();
  await eventually(async () => !(await isReady()), { what: 'the silence to be noticed', within: NOTICED_MS });
  while (performance.now() < silentAt + 2 * NOTICED_MS) {
    const asked = performance.now();
    expect((await trigger()).status).toBe(503);
    expectInTime(performance.now() - asked, ANSWERED_MS);
  }
  line.mend();

  await eventually(isReady, { what: 'the database to be used again', within: BACK_MS });
  const [, back] = [await trigger(), await trigger()];
  expect(back.status).toBe(202);
  const isFolded = async () => (await owner.call(back)).outcome === 'folded';
  await eventually(isFolded, { what: 'the call to be applied', within: BACK_MS });
  await world.settle();
  expect(await owner.incidents()).toHaveLength(1);
});

test('a statement that only takes its time is left to it', async () => {
  const { databaseUrl } = await aLineToADatabase();
  const store = await openStore(databaseUrl, pino({ level: 'silent' }));
  onTestFinished(() => store.close());
  expect((await store.working.query('SELECT 1 AS one FROM pg_sleep(4)')).rows).toEqual([{ one: 1 }]);
});

/** A database of the test's own behind a line. */
async function aLineToADatabase() {
  const postgresUrl = inject('postgresUrl');
  const name = `line_${Math.random().toString(36).slice(2)}`;
  const databaseUrl = new URL(await makeDatabase(postgresUrl, { name, from: TEMPLATE }));
  onTestFinished(() => dropDatabase(postgresUrl, name));
  const line = await startLine(Number(databaseUrl.port));
  databaseUrl.port = String(line.port);
  const serverUrl = new URL(postgresUrl);
  serverUrl.port = String(line.port);
  return { line, name, serverUrl: serverUrl.href, databaseUrl: databaseUrl.href };
}

function message(type: string, text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + Buffer.byteLength(text));
  return Buffer.concat([Buffer.from(type), length, Buffer.from(text)]);
}
