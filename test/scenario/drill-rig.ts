import { responderOf, tokenOf } from '../rpc/responder/responder-rig.ts';
import { consoleOf } from '../support/console.ts';
import { advanceClock } from '../support/database.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { startWorld } from '../support/world.ts';

export const HOUR = 3600;
export const DAY = 24 * HOUR;

/** A home with monthly drills whose Anna has a phone and a mailbox; the clock stands at Friday, 10:00 in UTC. */
export async function aDrilledHome() {
  const [twilio, smtp] = [await startTwilio(), await startSmtp()];
  const world = await startWorld({
    carriers: { twilio: twilio.settings },
    smtpUrl: smtp.url,
    publicUrl: 'of the facade',
  });
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const anna = await owner.contact('Anna', {
    text: '+436601234567',
    email: 'anna@example.com',
    webhook: 'https://example.com/h',
  });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['text'] }] }]);
  const alarmId = await owner.alarm({ modes: { away: { policyId } } });
  const key = await owner.key();
  // The worlds of tests begin on Thursday, 15 January, at 20:00.
  await advanceClock(world.store.pool, 14 * HOUR);
  await world.rows("UPDATE account SET drills = 'monthly' WHERE id = $1", [owner.accountId]);
  const drills = async () =>
    await world.rows<{ id: string; of: string }>(
      `SELECT i.id, concat_ws(' ', d.channel, i.status, to_char(i.opened_at, 'Dy HH24:MI'), i.acknowledged_via) AS of
       FROM incident i JOIN delivery d ON d.account_id = i.account_id AND d.incident_id = i.id
       WHERE i.environment = 'drill' AND i.account_id = $1 ORDER BY i.opened_at, i.seq`,
      [owner.accountId],
    );
  const tokens = async () =>
    (
      await world.rows<{ id: string }>(
        "SELECT d.id FROM delivery d JOIN incident i ON i.id = d.incident_id WHERE i.environment = 'drill' ORDER BY d.seq",
      )
    ).map(tokenOf);
  const of = consoleOf(world, world.operator, owner.accountId);
  return {
    world,
    owner,
    twilio,
    smtp,
    anna,
    alarmId,
    key,
    tokens,
    console: of,
    responder: responderOf(world),
    /** Whom the drills so far were for. */
    drilled: async () =>
      (
        await world.rows<{ name: string }>(
          `SELECT c.name FROM incident i JOIN contact c ON c.account_id = i.account_id AND c.id = i.source_id
           WHERE i.environment = 'drill' ORDER BY c.seq, i.seq`,
        )
      ).map(({ name }) => name),
    drills: async () => (await drills()).map(one => one.of),
  };
}
