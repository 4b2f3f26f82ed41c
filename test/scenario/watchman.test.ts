import { expect, test } from 'vitest';
import { commandLine } from '../cli/command-line.ts';
import { newOwner } from '../support/console.ts';
import { startHeartbeats } from '../support/heartbeats.ts';
import { startSmtp } from '../support/smtp.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "Watchman": it tries what a call does, and leaves nothing behind. What breaks is in test/faults/watchman.test.ts. */

/** How many rows each table has, and how far the sequences are that only what is there for good may move. */
async function traces(world: World): Promise<Record<string, unknown>> {
  const tables = await world.rows<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1",
  );
  const counts: Record<string, unknown> = {};
  for (const { name } of tables) {
    const [row] = await world.rows<{ n: number }>(`SELECT count(*)::int AS n FROM "${name}"`);
    counts[name] = row!.n;
  }
  const sequences = ['api_key_seq_seq', 'audit_id_seq', 'member_seq_seq', 'notice_seq_seq', 'notice_delivery_seq_seq'];
  for (const name of sequences) {
    counts[name] = (await world.rows<{ at: string }>(`SELECT last_value::text AS at FROM "${name}"`))[0]!.at;
  }
  return counts;
}

/** How many groups of calls there were. */
async function groups(world: World): Promise<number> {
  return (await world.rows<{ at: number }>('SELECT last_value::int AS at FROM journal_number'))[0]!.at;
}

test('ten looks alert nobody and leave no row: every table has as many as before', async () => {
  const smtp = await startSmtp();
  const heartbeats = await startHeartbeats();
  const world = await startWorld({ smtpUrl: smtp.url, heartbeatUrl: heartbeats.url, tables: 'fresh' });
  const owner = await world.account();
  const alarm = await owner.alarm();
  const key = await owner.key();
  expect((await world.get(`/v1/alarm/${alarm}/trigger`, key)).status).toBe(202);
  await world.settle();
  await world.services.watch();
  await world.settle();
  const before = await traces(world);
  const mails = smtp.mails.length;
  const grouped = await groups(world);
  heartbeats.said();
  for (let nth = 0; nth < 10; nth++) await world.services.watch();
  await world.settle();
  expect(await traces(world)).toEqual(before);
  expect(await groups(world)).toBe(grouped + 10);
  expect(smtp.mails).toHaveLength(mails);
  expect(heartbeats.said()).toEqual(Array(10).fill('well'));
  // Calls go on in order behind the beats.
  expect((await world.get(`/v1/alarm/${alarm}/trigger`, key)).status).toBe(202);
  await world.settle();
  expect(await owner.incidents()).toHaveLength(1);
});

test('operators and owners see what it saw, and how long that took; only the operator sees who is told outside', async () => {
  const heartbeats = await startHeartbeats();
  const world = await startWorld({ heartbeatUrl: heartbeats.url });
  const owner = await newOwner(world);
  const found = async (token: string) => {
    const as = { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token, TOCSIN_ACCOUNT: owner.accountId };
    const { json } = await commandLine(as).json('doctor');
    const checks = json.checks as { name: string; verdict: string; found: string }[];
    return ['watchman', 'outside'].map(name => checks.find(check => check.name === name));
  };
  expect((await found(world.operator))[0]).toMatchObject({ verdict: 'ok', found: expect.stringMatching(/not looked/) });
  await world.services.watch();
  const well = { verdict: 'ok', found: expect.stringMatching(/^A call was stored and applied in \d/) };
  const taken = { verdict: 'ok', found: 'HEARTBEAT_URL was told that all is well.' };
  expect(await found(world.operator)).toMatchObject([well, taken]);
  const [ofOwner, outside] = await found(owner.token);
  expect(ofOwner).toMatchObject(well);
  expect(outside).toBeUndefined();
});
