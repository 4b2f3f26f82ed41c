import { expect, onTestFinished, test } from 'vitest';
import { auditOutlook } from '../../services/store/statements/monitor.ts';
import { startSmtp } from '../support/smtp.ts';
import { expectInTime } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';

/* DECISIONS.md "A passing failure": a carrier that is away for a day must not starve what is new. */

const MANY = 3_000;

test('thousands of messages that are tried on hold up nothing new, of their account or of another, and are not late', async () => {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const world = await startWorld({ smtpUrl: smtp.url, tables: 'fresh' });
  const [owner, neighbour] = [await world.account(), await world.account()];
  const house = async (of: typeof owner, name: string) => {
    const contactId = await of.contact('Anna', { email: `${name}@example.com` });
    const contacts = [{ contactId, channels: ['email' as const] }];
    // What matters is the second step: first messages have a way of their own.
    const policyId = await of.policy([
      { delayS: 0, contacts },
      { delayS: 60, contacts },
    ]);
    const id = await of.alarm({ name, modes: { away: { policyId } } });
    const key = await of.key();
    return async () => {
      await world.get(`/v1/alarm/${id}/trigger`, key);
      await world.settle();
    };
  };
  const [old, mine, theirs] = [await house(owner, 'old'), await house(owner, 'mine'), await house(neighbour, 'theirs')];
  await old();
  smtp.greylist('old@example.com');
  // As many more of the first incident that have been tried for an hour, and all are due.
  await world.rows(
    `INSERT INTO delivery (account_id, id, incident_id, kind, round, step, contact_id, channel, status, due_at, planned_at,
       tries, attempt, first_attempt_at, audited)
     SELECT account_id, lpad(n::text, 32, '0'), incident_id, kind, 0, 100 + n, contact_id, channel, 'scheduled',
       tocsin_now(), tocsin_now() - interval '1 hour' + n * interval '1 ms', 6, 6, tocsin_now() - interval '1 hour', 'in_time'
     FROM delivery CROSS JOIN generate_series(1, ${MANY}) AS n WHERE account_id = $1 AND step = 0`,
    [owner.accountId],
  );
  await world.rows('ANALYZE delivery');
  const began = performance.now();
  const { oldestDueS } = await auditOutlook(world.store.pool, 5, ['email']);
  expect(oldestDueS).toBe(0);
  expectInTime(performance.now() - began, 500);
  const sentAfter = async (name: string) => {
    const [row] = await world.rows<{ late: number }>(
      `SELECT extract(epoch FROM max(d.sent_at - d.planned_at))::float8 AS late FROM delivery d JOIN incident i
       ON i.account_id = d.account_id AND i.id = d.incident_id WHERE i.copy->>'sourceName' = $1 AND d.sent_at IS NOT NULL`,
      [name],
    );
    return row?.late ?? Number.POSITIVE_INFINITY;
  };
  await Promise.all([mine(), theirs()]);
  // All of them are due again, and so are the second steps.
  await world.rows("UPDATE delivery SET due_at = tocsin_now() + interval '50 s' WHERE account_id = $1 AND tries >= 2", [
    owner.accountId,
  ]);
  await world.advance(60);
  for (const name of ['mine', 'theirs']) expect(await sentAfter(name)).toBeLessThan(10);
}, 300_000);
