import { Code, ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { eventually, expectInTime } from '../../support/wait.ts';
import { alarms, HOME, SECRETS, startConfigured, told } from './configuration-rig.ts';

test('an apply whose database connection dies after it has written leaves nothing, and can be repeated', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  const before = await home.export();
  // Whoever writes the audit waits: that is after the rows and before the commit.
  const barrier = await world.store.pool.connect();
  await barrier.query('BEGIN');
  await barrier.query('LOCK TABLE audit IN ACCESS EXCLUSIVE MODE');
  const cut = home.apply(HOME, { secrets: SECRETS }).then(
    () => 'answered',
    (error: unknown) => error,
  );
  await eventually(
    async () => {
      const waiting = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INTO audit%'`;
      return (await world.rows(waiting)).length > 0;
    },
    { what: 'the apply to wait for the audit' },
  );
  const error = await cut;
  expect(error).toBeInstanceOf(ConnectError);
  expect((error as ConnectError).code).toBe(Code.Unavailable);
  await barrier.query('ROLLBACK');
  barrier.release();

  expect(await home.export()).toBe(before);
  // The account and its token, and nothing of the file.
  expect(await world.rows('SELECT FROM location UNION ALL SELECT FROM audit')).toHaveLength(2);
  expect((await home.apply(HOME, { secrets: SECRETS })).outcome).toBe('applied');
});

test('a caller that gives up while its file is written leaves nothing', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  // Reading goes on, writing modes waits: with more alarms than are written at once, that is in the middle.
  const barrier = await world.store.pool.connect();
  await barrier.query('BEGIN');
  await barrier.query('LOCK TABLE mode IN SHARE MODE');
  const givingUp = new AbortController();
  const stages: string[] = [];
  const given = (async () => {
    const asked = { headers: home.headers, signal: givingUp.signal };
    for await (const { event } of home.client.apply({ text: alarms(1_200) }, asked)) stages.push(event.case!);
  })().catch((error: unknown) => error);
  const waiting = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INTO mode%'`;
  await eventually(async () => (await world.rows(waiting)).length > 0, { what: 'the apply to write its modes' });
  givingUp.abort();
  expect(((await given) as ConnectError).code).toBe(Code.Canceled);
  // What is answered now was asked after the connection was closed.
  for (let n = 0; n < 5; n += 1) await home.export();
  await barrier.query('ROLLBACK');
  barrier.release();

  const open = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
    AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`;
  await eventually(async () => (await world.rows(open)).length === 0, { what: 'the transaction to end' });
  expect(stages).not.toContain('result');
  expect(await world.rows('SELECT FROM source UNION ALL SELECT FROM location')).toEqual([]);
  expect((await home.apply(alarms(1_200))).outcome).toBe('applied');
});

test('a row that the database refuses takes all the others with it', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  await world.rows("ALTER TABLE source ADD CONSTRAINT no_alarm_700 CHECK (key <> 'alarm-700')");
  const error = await home.apply(alarms(1_200)).catch((thrown: unknown) => thrown);
  expect((error as ConnectError).code).toBe(Code.Internal);
  expect(await world.rows('SELECT FROM source')).toEqual([]);
  expect(await home.export()).not.toContain('home');
});

test('a file that is too large is refused as such, one that just fits is read while calls go on being answered', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  const { newSecrets } = await home.apply(HOME, { secrets: SECRETS });
  const line = `# ${'x'.repeat(97)}\n`;
  const large = `${line.repeat(37_000)}${alarms(2_000, 'alarmz: []\n')}`;
  expect(Buffer.byteLength(large)).toBeGreaterThan(3_850_000);
  expect(Buffer.byteLength(large)).toBeLessThan(4_000_000);

  const check = home.check(large);
  let state: 'reading' | 'read' = 'reading';
  void check.finally(() => (state = 'read'));
  let answered = 0;
  let slowestMs = 0;
  while (state === 'reading') {
    const began = performance.now();
    expect((await world.get('/v1/integration/state', newSecrets[0]!.secret)).status).toBe(200);
    slowestMs = Math.max(slowestMs, performance.now() - began);
    answered += 1;
  }
  expect(told((await check).problems)).toEqual([
    '39004 alarmz is not a known field: takes version, account, locations, contacts, duties, policies, alarms, panicButtons, apiKeys. (alarms)',
  ]);
  expect(answered).toBeGreaterThan(10);
  expectInTime(slowestMs, 1_500);

  const error = await home.check(`${large}${line.repeat(3_000)}`).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: Code.ResourceExhausted,
    rawMessage: 'A file takes at most 4 MB, got 4.2 MB: split it.',
  });
});

test.each([
  ['brackets', '['.repeat(300_000)],
  ['aliases', `- &a x\n${'- *a\n'.repeat(60_000)}`],
  ['aliases of nothing', '- *a\n'.repeat(60_000)],
  ['fields that repeat', 'a: 1\n'.repeat(60_000)],
  ['mistakes', 'a: b: c\n'.repeat(40_000)],
])('a file of nothing but %s is refused while calls of another account go on being answered', async (_, text) => {
  const { world, account } = await startConfigured();
  const [home, other] = [await account(), await account()];
  const { newSecrets } = await home.apply(HOME, { secrets: SECRETS });
  const apply = other.apply(text);
  let state: 'reading' | 'refused' = 'reading';
  void apply.finally(() => (state = 'refused'));
  let slowestMs = 0;
  while (state === 'reading') {
    const began = performance.now();
    expect((await world.get('/v1/integration/state', newSecrets[0]!.secret)).status).toBe(200);
    slowestMs = Math.max(slowestMs, performance.now() - began);
  }
  const { outcome, problems } = await apply;
  expect(outcome).toBe('refused');
  expect(problems.length).toBeGreaterThan(0);
  expectInTime(slowestMs, 1_500);
});

test('while thousands of alarms are written, calls go on being answered', async () => {
  const { world, account } = await startConfigured();
  const [home, other] = [await account(), await account()];
  const { newSecrets } = await home.apply(HOME, { secrets: SECRETS });
  const apply = other.apply(alarms(4_000));
  let state: 'writing' | 'written' = 'writing';
  void apply.finally(() => (state = 'written'));
  let slowestMs = 0;
  while (state === 'writing') {
    const began = performance.now();
    expect((await world.get('/v1/integration/state', newSecrets[0]!.secret)).status).toBe(200);
    slowestMs = Math.max(slowestMs, performance.now() - began);
  }
  expect(await apply).toMatchObject({ outcome: 'applied', total: 4_001 });
  expect((await apply).changes).toHaveLength(1_000);
  expectInTime(slowestMs, 1_500);
});

test('while the changes of one account wait for each other, the alarms of others go on', async () => {
  const { world, account } = await startConfigured();
  const busy = await account();
  const other = await world.account();
  const alarmId = await other.alarm({ modes: { away: {} } });
  const key = await other.key();
  const holding = await world.store.pool.connect();
  await holding.query('BEGIN');
  await holding.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [busy.accountId]);
  const file = 'version: 1\nlocations: [{ key: home, name: Home }]\n';
  const applies = Array.from({ length: 12 }, () => busy.apply(file).then(({ outcome }) => outcome));
  const settled = Promise.allSettled(applies);
  try {
    await eventually(async () => (await world.store.accepting.query(LOCK_WAITERS)).rowCount !== 0, {
      what: 'an apply to wait for the account',
    });

    expect((await world.get(`/v1/alarm/${alarmId}/trigger`, key)).status).toBe(202);
    const open = 'SELECT FROM incident WHERE account_id = $1';
    const opened = async () => (await world.store.accepting.query(open, [other.accountId])).rowCount === 1;
    await eventually(opened, { what: 'the incident of the other account to open', within: 1_500 });
    expect((await world.get('/v1/integration/state', key)).status).toBe(200);
  } finally {
    await holding.query('ROLLBACK');
    holding.release();
  }
  const outcomes = (await settled).map(one => (one.status === 'fulfilled' ? one.value : String(one.reason)));
  expect(outcomes.sort()).toEqual(['applied', ...Array(11).fill('unchanged')]);
});

const LOCK_WAITERS = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
