import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { enqueueOwnActions, type OwnAction } from '../../../services/store/statements/queue.ts';
import type { Owner, Told } from '../../support/owner.ts';
import { startSmtp } from '../../support/smtp.ts';
import { startTwilio } from '../../support/twilio.ts';
import { eventually } from '../../support/wait.ts';
import { startWorld, type World } from '../../support/world.ts';

/*
 * The journal remembers sources from turn to turn. Whatever others write meanwhile holds for the very next call: owners, as plain SQL, so
 * that nobody hears of it; people, whose actions another worker applies; another process that had a turn of the journal.
 */

interface Between {
  /** What others do once the alarm is remembered. */
  others: string;
  does: { sql: string } | Pick<OwnAction, 'verb'>;
  /** The calls that follow. */
  calls: readonly string[];
  /** What the owner sees then: the newest incident, and how many there are. */
  newest: Partial<Told>;
  incidents: number;
}

const BETWEEN: Between[] = [
  {
    others: 'rename it',
    does: { sql: "UPDATE source SET name = 'Barn' WHERE id = $alarm" },
    calls: ['clear', 'trigger'],
    newest: { sourceName: 'Barn', status: 'open' },
    incidents: 2,
  },
  {
    others: 'have a disarm clear it',
    does: { sql: 'UPDATE source SET clear_on_disarm = true WHERE id = $alarm' },
    calls: ['disarm'],
    newest: { status: 'closed', closeReason: 'disarm' },
    incidents: 1,
  },
  {
    others: 'put it into test, and trigger it anew',
    does: { sql: 'UPDATE source SET test = true WHERE id = $alarm' },
    calls: ['clear', 'trigger'],
    newest: { environment: 'test' },
    incidents: 2,
  },
  {
    others: 'take the policy of its mode',
    does: { sql: "UPDATE mode SET policy_id = NULL WHERE source_id = $alarm AND id = 'away'" },
    calls: ['clear', 'trigger'],
    newest: { outcome: 'nobody_to_alert' },
    incidents: 2,
  },
  {
    others: 'have it told that it is still happening',
    does: { sql: 'UPDATE account SET still_happening_s = 1 WHERE id = $account' },
    calls: ['trigger'],
    newest: {
      triggerCount: 3,
      deliveries: expect.arrayContaining([expect.objectContaining({ kind: 'still_happening' })]),
    },
    incidents: 1,
  },
  {
    others: 'change the plan of the account',
    does: { sql: "UPDATE account SET plan = 'free' WHERE id = $account" },
    calls: ['clear', 'trigger'],
    newest: {
      deliveries: expect.arrayContaining([expect.objectContaining({ channel: 'text', reason: 'plan_required' })]),
    },
    incidents: 2,
  },
  {
    others: 'acknowledge it',
    does: { verb: 'acknowledge' },
    calls: ['trigger', 'clear'],
    newest: { acknowledgedBy: 'Anna', triggerCount: 3, closeReason: 'clear' },
    incidents: 1,
  },
  {
    others: 'close it',
    does: { verb: 'close' },
    calls: ['trigger'],
    newest: { status: 'open', triggerCount: 1 },
    incidents: 2,
  },
];

for (const { others, does, calls, newest, incidents } of BETWEEN) {
  test(`others ${others}: the very next call goes by that`, async () => {
    const { world, owner, alarm, call } = await aRememberedAlarm();
    if ('sql' in does) {
      await world.rows(does.sql.replaceAll('$alarm', `'${alarm}'`).replaceAll('$account', `'${owner.accountId}'`));
    } else await byAnna(world, owner, alarm, does.verb);
    await world.advance(2);
    for (const verb of calls) await call(verb);
    const told = await owner.incidents();
    expect(told[0]).toMatchObject(newest);
    expect(told).toHaveLength(incidents);
  });
}

test('another process had a turn of the journal: whatever it wrote of an incident holds', async () => {
  const { world, owner, alarm, call } = await aRememberedAlarm();
  // As that process would have written it: an incident closed, and the cursor.
  await world.rows(
    `UPDATE incident SET status = 'closed', closed_at = tocsin_now(), close_reason = 'clear' WHERE source_id = '${alarm}'`,
  );
  await world.rows(`WITH old AS (DELETE FROM journal_cursor RETURNING applied_to, at)
    INSERT INTO journal_cursor (applied_to, at, folds) SELECT applied_to, at, '{}' FROM old`);
  await world.advance(1);
  await call('trigger');
  expect(await owner.incidents()).toMatchObject([{ status: 'open', triggerCount: 1 }, { status: 'closed' }]);
});

test('a source that the queue works on is left to it, and its calls line up behind', async () => {
  const { world, owner, alarm, call } = await aRememberedAlarm();
  const queue = new pg.Client({ connectionString: world.databaseUrl });
  await queue.connect();
  await queue.query('BEGIN');
  await queue.query('SELECT FROM source_state WHERE source_id = $1 FOR NO KEY UPDATE', [alarm]);
  const called = call('trigger');
  const waits = () => world.rows('SELECT FROM queued_action');
  await eventually(async () => (await waits()).length === 1, { what: 'the call to line up' });
  expect(await owner.incidents()).toMatchObject([{ triggerCount: 2 }]);
  await queue.query('ROLLBACK');
  await queue.end();
  await called;
  // What it settled may have been all that was not locked.
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ triggerCount: 3 }]);
});

test('an alarm that only counts is not read again', async () => {
  const { world, owner, call } = await aRememberedAlarm();
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const reads = () => query.mock.calls.filter(([one]) => (one as { name?: string }).name === 'read_sources').length;
  try {
    await call('trigger');
    expect(reads()).toBe(0);
    await call('clear');
    await world.advance(1);
    await call('trigger');
    expect(reads()).toBe(1);
  } finally {
    query.mockRestore();
  }
  expect((await owner.incidents()).map(({ triggerCount }) => triggerCount)).toEqual([1, 3]);
});

/** A live alarm of a paid account whose incident has counted, so that the journal remembers it. */
async function aRememberedAlarm() {
  const smtp = await startSmtp();
  const twilio = await startTwilio();
  onTestFinished(smtp.stop);
  const carriers = { twilio: twilio.settings };
  const world = await startWorld({ smtpUrl: smtp.url, carriers, publicUrl: 'of the facade' });
  const owner = await world.account({ plan: 'paid' });
  // Its first days, in which every plan may do everything, are over.
  await world.rows(`UPDATE account SET created_at = created_at - interval '1 year'`);
  const contactId = await owner.contact('Anna', { email: 'anna@example.com', text: '+436601234567' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email', 'text'] }] }]);
  const alarm = await owner.alarm({ modes: { away: { policyId } } });
  const key = await owner.key();
  const call = async (verb: string) => {
    expect((await world.get(`/v1/alarm/${alarm}/${verb}`, key)).status).toBe(202);
    await world.settle();
  };
  await call('trigger');
  await call('trigger');
  return { world, owner, alarm, call };
}

async function byAnna(world: World, owner: Owner, sourceId: string, verb: OwnAction['verb']): Promise<void> {
  const { accountId } = owner;
  const [open] = await owner.incidents();
  const action = { accountId, sourceId, verb, traceId: crypto.randomUUID(), incidentId: open!.id, actor: 'Anna' };
  await enqueueOwnActions(world.store.pool, [action]);
  await world.settle();
}
