import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { expect, onTestFinished, test } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { consoleOf } from '../support/console.ts';
import { sharedByProcesses } from '../support/shared.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { startWorld, type World } from '../support/world.ts';
import { DAY_S, HOUR_S } from './duty-rig.ts';

async function mails() {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  return smtp;
}

/** Writes a notice as the engine does. */
function notice(
  world: World,
  {
    accountId,
    kind,
    contactId = null,
    about = {},
  }: { accountId: string; kind: string; contactId?: string | null; about?: object },
) {
  const id = newId();
  return world.rows(
    `INSERT INTO notice (account_id, id, kind, once, contact_id, about, at) VALUES ($1, $2, $3, $2, $4, $5, tocsin_now())`,
    [accountId, id, kind, contactId, JSON.stringify(about)],
  );
}

/** The deployment's time, in milliseconds since 1970, and what clocks show. */
async function times(world: World) {
  const [row] = await world.rows<{ now: number; wall: number }>(
    'SELECT (extract(epoch FROM tocsin_now()) * 1000)::float8 AS now, (extract(epoch FROM tocsin_wall()) * 1000)::float8 AS wall',
  );
  return row!;
}

test('that an alarm reaches nobody is told before what was told of duties', async () => {
  const smtp = await mails();
  const world = await startWorld({ smtpUrl: smtp.url });
  const { accountId, contact } = await world.account({ ownerEmail: 'owner@example.com' });
  const people: string[] = [];
  for (let nth = 0; nth < 6; nth++) people.push(await contact(`P${nth}`, { email: `p${nth}@example.com` }));
  // All at once, that of the alarm last.
  await world.rows(
    `INSERT INTO notice (account_id, id, kind, once, contact_id, about, at)
     SELECT $1, kind || n, kind, n::text, contact_id, '{"duty": "D", "sourceName": "House"}', tocsin_now() FROM (
       SELECT row_number() OVER () AS n, 'duty_begins' AS kind, contact_id
       FROM unnest($2::text[]) AS contact_id, generate_series(1, 20)
       UNION ALL SELECT 1000, 'nobody_to_alert', NULL
     ) AS told ORDER BY n`,
    [accountId, people],
  );
  await world.settle();
  const place = smtp.mails.findIndex(({ envelope }) => envelope.to.includes('owner@example.com'));
  expect(place).toBeGreaterThanOrEqual(0);
  expect(place).toBeLessThan(10);
  expect(smtp.mails.length).toBeGreaterThan(100);
});

test('notices of duties use no more of the ceiling than a source may', async () => {
  const twilio = await startTwilio();
  onTestFinished(twilio.stop);
  const world = await startWorld({ carriers: { twilio: twilio.settings } });
  const { accountId, contact } = await world.account();
  await world.rows('UPDATE account SET daily_spend_ceiling_cents = 100 WHERE id = $1', [accountId]);
  for (let nth = 0; nth < 8; nth++) {
    const contactId = await contact(`P${nth}`, { text: `+1202555011${nth}` });
    await notice(world, { accountId, kind: 'duty_begins', contactId, about: { duty: 'D' } });
    await world.settle();
  }
  const outcomes = await world.rows<{ status: string; reason: string | null }>(
    'SELECT status, reason FROM notice_delivery ORDER BY seq',
  );
  // A fifth of a dollar; each text costs at least five cents, so that four go at most, and some do.
  const sent = outcomes.filter(({ status }) => status === 'sent').length;
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThanOrEqual(4);
  expect(outcomes.slice(sent)).toEqual(Array(8 - sent).fill({ status: 'failed', reason: 'spend_ceiling' }));
});

test('what is over is not told any more', async () => {
  const smtp = await mails();
  const world = await startWorld({ smtpUrl: smtp.url });
  const { accountId, contact } = await world.account();
  const contactId = await contact('Noah', { email: 'noah@example.com' });
  const { now } = await times(world);
  const iso = (hours: number) => new Date(now + hours * HOUR_S * 1_000).toISOString();
  const of = (kind: string, about: object) =>
    notice(world, { accountId, kind, contactId, about: { duty: 'D', ...about } });
  await of('duty_begins', { untilAt: iso(-1) });
  await of('duty_changed', { part: 'comes', fromAt: iso(-3), untilAt: iso(-2), untilAt2: iso(-1), duty2: 'D' });
  await of('duty_begins', { untilAt: iso(1) });
  await of('duty_changed', { part: 'comes', fromAt: iso(-3), untilAt: iso(-2), untilAt2: iso(1), duty2: 'D' });
  await of('duty_begins', {});
  await world.settle();
  const outcomes = await world.rows('SELECT status, reason FROM notice_delivery ORDER BY seq');
  const outdated = { status: 'failed', reason: 'outdated' };
  const sent = { status: 'sent', reason: null };
  expect(outcomes).toEqual([outdated, outdated, sent, sent, sent]);
  expect(smtp.mails).toHaveLength(3);
});

test('what was told of a duty is removed after its time, like other notices', async () => {
  const world = await startWorld({ retention: { incidents: 30 } });
  const { accountId, contact } = await world.account();
  await notice(world, { accountId, kind: 'duty_begins', contactId: await contact('Noah', {}), about: { duty: 'D' } });
  await world.settle();
  await world.passTime(29 * DAY_S);
  await world.sweep();
  expect(await world.rows('SELECT kind FROM notice')).toHaveLength(1);
  await world.passTime(2 * DAY_S);
  await world.sweep();
  expect(await world.rows('SELECT kind FROM notice')).toEqual([]);
});

test('the list of owners does not read what was told of duties', async () => {
  const world = await startWorld({ tables: 'fresh' });
  const { accountId, contact } = await world.account();
  for (let nth = 0; nth < 5; nth++) await notice(world, { accountId, kind: 'test_ended' });
  await world.rows(
    `INSERT INTO notice (account_id, id, kind, once, contact_id, at, planned_at)
     SELECT $1, 'n' || n, 'duty_begins', n::text, $2, tocsin_now(), tocsin_now() FROM generate_series(1, 20000) AS n`,
    [accountId, await contact('Noah', {})],
  );
  await world.rows('ANALYZE notice');
  const { notices } = await consoleOf(world, world.operator, accountId).accounts.listNotices({ pageSize: 3 });
  expect(notices.map(({ kind }) => kind)).toEqual(['test_ended', 'test_ended', 'test_ended']);
  const plan = await world.rows<{ 'QUERY PLAN': string }>(
    `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT * FROM notice
     WHERE account_id = '${accountId}' AND contact_id IS NULL ORDER BY seq DESC LIMIT 4`,
  );
  const lines = plan.map(line => line['QUERY PLAN']).join('\n');
  expect(lines).toContain('notice_newest');
  expect(lines).not.toContain('Rows Removed by Filter');
});

/** A duty that Noah has by day and Mia by night, from `at`, and its people. */
async function aNight(world: World, at: number) {
  const { accountId, contact } = await world.account();
  const noah = await contact('Noah', { email: 'noah@example.com' });
  const mia = await contact('Mia', { email: 'mia@example.com' });
  const own = consoleOf(world, world.operator, accountId);
  const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  await own.duties.createDuty({
    duty: {
      key: 'night',
      timeZone: 'UTC',
      hours: [{ from: clock(at), to: clock(at + 8 * HOUR_S * 1_000), who: { contactIds: [mia] } }],
      otherwise: { contactIds: [noah] },
    },
  });
  await world.settle();
  return { own, noah, mia };
}

test.for([
  ['ahead', HOUR_S],
  ['back', -HOUR_S],
] as const)('a duty begins when clocks show it, though the clock of the database was set %s', async ([, byS]) => {
  const smtp = await mails();
  const world = await startWorld({ smtpUrl: smtp.url, clock: 'settable' });
  const { wall } = await times(world);
  const minute = Math.ceil(wall / 60_000) * 60_000;
  const begins = minute + 3 * HOUR_S * 1_000;
  await aNight(world, begins);
  await world.setClock(byS);
  const left = async () => begins - (await times(world)).wall;
  await world.advance(Math.floor((await left()) / 1_000) - 30);
  expect(smtp.mails).toHaveLength(0);
  await world.advance(60);
  expect(smtp.mails.map(({ envelope }) => envelope.to[0])).toEqual(['mia@example.com']);
  await world.advance(HOUR_S + 60);
  expect(smtp.mails).toHaveLength(1);
});

test('two processes tell it once', async () => {
  const smtp = await mails();
  const shared = await sharedByProcesses();
  const one = await startWorld({ smtpUrl: smtp.url, ...shared });
  const other = await startWorld({ smtpUrl: smtp.url, ...shared });
  const { now } = await times(one);
  const begins = Math.ceil(now / 60_000) * 60_000 + 3 * HOUR_S * 1_000;
  const { own, noah } = await aNight(one, begins);
  await one.passTime(Math.ceil((begins - now) / 1_000));
  await Promise.all([one.settle(), other.settle()]);
  await Promise.all([one.settle(), other.settle()]);
  expect(smtp.mails.map(({ subject }) => subject)).toEqual(['ON DUTY: night']);
  await own.duties.cover({
    dutyId: 'night',
    contactIds: [noah],
    until: timestampFromMs(begins + 2 * HOUR_S * 1_000),
  });
  await Promise.all([other.settle(), one.settle()]);
  expect(smtp.mails.map(({ subject }) => subject).sort()).toEqual([
    'ON DUTY: night',
    'ON DUTY: night',
    'SOMEBODY COVERS FOR YOU: night',
  ]);
});
