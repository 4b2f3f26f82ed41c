import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { dropDatabase, makeDatabase } from '../support/database.ts';
import { historyChecker } from '../support/history/checker.ts';
import { loadHistory, nothingUndone } from '../support/history/load.ts';
import { receivedMails } from '../support/history/received.ts';
import { calledBy, startRecord } from '../support/history/record.ts';
import { startLine } from '../support/line.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { query, rowsAt } from './embedded-rig.ts';
import { type Pair, startPair } from './pair.ts';
import { startProduct } from './product.ts';
import { expectRefusal } from './refusal.ts';

/*
 * Debian's PostgreSQL as a primary and a synchronous standby. What is measured is printed; facade/docs/operating.md has the
 * figures.
 */
vi.setConfig({ testTimeout: 180_000 });

const checker = historyChecker('failed over');

const SECRETS = { KEY_PEPPER: 'p'.repeat(32), DATA_KEY: '0'.repeat(64) };

/** From the loss of the primary until calls are taken again, and until a silence is noticed, in milliseconds. */
const BACK_MS = 15_000;
const NOTICED_MS = 5_000;

/** In seconds: windows and steps end after the primary is gone. */
const WINDOW_S = 20;

test('the primary dies under load and its standby takes over: no accepted call is lost, and every timer fires once', async () => {
  const pair = await startPair();
  await expectRefusal(
    startProduct({ DATABASE_URL: pair.standby, ...SECRETS }),
    /^The database of DATABASE_URL \(postgres at 127\.0\.0\.1:\d+\) takes no writes, as a standby does: name the host that does, or all of them/,
  );
  const { lose, tell } = await underLoad(pair, pair.urlOf());
  await lose(pair.killPrimary);
  await tell('killed', {});
});

test('the primary falls silent without a word under load and its standby takes over: noticed in time, nothing lost, every timer once', async () => {
  const pair = await startPair();
  const line = await startLine(pair.primaryPort);
  const { lose, tell, isReady } = await underLoad(pair, pair.urlOf(line.port));
  let noticedMs = Number.NaN;
  await lose(async () => {
    line.silence();
    const silentAt = performance.now();
    await eventually(async () => !(await isReady()), { what: 'the silence to be noticed', within: NOTICED_MS });
    noticedMs = Math.round(performance.now() - silentAt);
  });
  await tell('silent', { noticedMs });
});

test('the standby that takes over lacks calls that were confirmed: they are stored again in order, late, and everybody is told', async () => {
  const pair = await startPair();
  const { lose, tell, accepted, product } = await underLoad(pair, pair.urlOf());
  await pair.leaveStandbyBehind();
  const had = accepted();
  await eventually(() => accepted() > had + 300, { what: 'calls that the standby lacks', within: 20_000 });
  // Longer than a server believes its clock without a look that reached it.
  await eventually(async () => (await secondsSince(pair.standby)) > 3, { what: 'looks that the standby lacks' });
  await lose(pair.killPrimary);
  const late = (await query(pair.standby, LATE)) as { confirmed_at: Date; at: Date }[];
  await tell('killed, its standby behind', { storedAgain: late.length });
  expect(late.length).toBeGreaterThanOrEqual(300);
  expect(late.filter(({ confirmed_at: confirmed, at }) => confirmed >= at)).toEqual([]);

  expect(product.printed().stderr).toContain('the database had lost calls that were confirmed');
  expect(await query(pair.standby, 'SELECT stored_again, not_stored FROM takeover WHERE at IS NOT NULL')).toEqual([
    { stored_again: late.length, not_stored: 0 },
  ]);
  expect(
    await query(pair.standby, "SELECT about->>'calls' AS calls FROM notice WHERE kind = 'calls_stored_again'"),
  ).toEqual([{ calls: String(late.length) }]);
});

test('another server has the database after a stop: the start says up to when it had everything', async () => {
  const name = `taken_over_${newId()}`;
  const DATABASE_URL = await makeDatabase(inject('postgresUrl'), { name, from: 'template1' });
  onTestFinished(() => dropDatabase(inject('postgresUrl'), name));
  const before = startProduct({ DATABASE_URL, ...SECRETS });
  await before.ready();
  before.signal('SIGTERM');
  expect(await before.ended()).toBe(0);

  // As the other server finds it: an hour old.
  await query(DATABASE_URL, 'UPDATE takeover SET timeline = timeline - 1');
  await query(DATABASE_URL, "UPDATE clock SET wall_at = wall_at - interval '1 hour', uptime_ms = uptime_ms - 3600000");
  await startProduct({ DATABASE_URL, ...SECRETS }).ready();
  const gap = 'SELECT extract(epoch FROM at - known_until)::float8 AS s FROM takeover WHERE at IS NOT NULL';
  const [{ s: gapS }] = (await query(DATABASE_URL, gap)) as [{ s: number }];
  expect(gapS).toBeGreaterThan(3_600);
  expect(gapS).toBeLessThan(3_700);
});

async function secondsSince(server: string): Promise<number> {
  const [look] = await query(server, 'SELECT extract(epoch FROM tocsin_wall() - max(wall_at))::float8 AS s FROM clock');
  return (look as { s: number }).s;
}

const LATE = 'SELECT confirmed_at, at FROM call_log WHERE confirmed_at IS NOT NULL';

/** The product with callers on it all the time, and a window and a message of it that are due after the primary is gone. */
async function underLoad(pair: Pair, DATABASE_URL: string) {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const settings = { SMTP_URL: smtp.url, DEMO_EMAIL: 'you@example.com' };
  const product = startProduct({ DATABASE_URL, ...SECRETS, ...settings });
  const { http, apiKey = '' } = await product.ready();
  const record = startRecord();
  const [house, tryMe] = await idsOf(pair.primary, ['House', 'Try me (live)']);
  const [{ id: accountId }] = (await query(pair.primary, 'SELECT id FROM account')) as [{ id: string }];
  const ask = (path: string) =>
    record.call(calledBy(path, accountId), async () => {
      const response = await fetch(`${http}/v1/${path}`, { headers: { 'x-api-key': apiKey } });
      const { traceId } = (await response.json()) as { traceId: string };
      return { status: response.status, traceId };
    });
  await query(pair.primary, `UPDATE mode SET window_s = ${WINDOW_S} WHERE source_id = '${tryMe}'`);
  expect((await ask(`alarm/${tryMe}/arm/night`)).status).toBe(202);
  expect((await ask(`alarm/${tryMe}/trigger`)).status).toBe(202);

  let accepted = 0;
  let load: 'on' | 'off' = 'on';
  let lostAt = Number.NaN;
  let goneAt = Number.POSITIVE_INFINITY;
  let backAt: number | null = null;
  const callers = ['arm/away', 'disarm', 'arm/home', 'clear'].map(async verb => {
    while (load === 'on') {
      const calledAt = performance.now();
      const { status } = await ask(`alarm/${house}/${verb}`);
      if (status !== 202) continue;
      accepted++;
      if (calledAt > goneAt) backAt ??= performance.now();
    }
  });
  await eventually(() => accepted > 200, { what: 'calls to be taken', within: 20_000 });

  return {
    accepted: () => accepted,
    product,
    isReady: async () => (await fetch(`${http}/readyz`)).status === 200,
    /** Takes the primary away and promotes the standby, as a failover manager does; calls go on all the time. */
    async lose(strike: () => Promise<void>) {
      lostAt = performance.now();
      const isBack = record.broken('the primary is gone');
      await strike();
      goneAt = performance.now();
      await pair.promote();
      await eventually(() => backAt !== null, { what: 'calls to be taken again', within: BACK_MS });
      isBack();
      const after = accepted;
      await eventually(() => accepted > after + 200, { what: 'more calls to be taken', within: 20_000 });
      load = 'off';
      await Promise.all(callers);
    },
    /** Prints what was measured, and shows that nothing was lost or done twice, and that the window ended once. */
    async tell(how: string, more: Record<string, number>) {
      const figures = { accepted, backMs: Math.round(backAt! - lostAt), ...more };
      process.stdout.write(`failover, PostgreSQL ${pair.version}, primary ${how}: ${JSON.stringify(figures)}\n`);

      const mails = () => smtp.mails.filter(({ text }) => text?.includes('Try me (live)'));
      await eventually(() => mails().length > 0, { what: 'the window to end', within: 30_000 });
      const incidents = `SELECT id FROM incident WHERE source_id = '${tryMe}'`;
      expect(await query(pair.standby, incidents)).toHaveLength(1);
      const told = `SELECT status FROM delivery WHERE incident_id IN (${incidents})`;
      const areTold = async () => JSON.stringify(await query(pair.standby, told)) === '[{"status":"sent"}]';
      await eventually(areTold, { what: 'one message to be sent' });
      expect(mails()).toHaveLength(1);
      const rows = rowsAt(pair.standby);
      await nothingUndone(rows);
      const sources = [{ id: tryMe!, accountId, environment: 'live' as const, windowsMs: { night: 1000 * WINDOW_S } }];
      const recorded = { ...record, received: receivedMails(smtp.mails), heard: ['email'], sources };
      checker.holds(await loadHistory(rows, recorded, { since: record.since }), how);
    },
  };
}

async function idsOf(url: string, names: readonly string[]): Promise<string[]> {
  const rows = (await query(url, 'SELECT name, id FROM source')) as { name: string; id: string }[];
  return names.map(name => rows.find(row => row.name === name)!.id);
}
