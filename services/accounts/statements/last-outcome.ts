import type { ChannelKind, DeliveryStatus } from '../../domain/delivery.ts';
import { type Connection, run, type Statement } from '../../store/statement.ts';
import { FAILING } from '../../store/statements/turn.ts';

/** The result of an account's most recently tried message over a channel. One that is failing counts as failed. */
export interface LastOutcome {
  channel: ChannelKind;
  status: DeliveryStatus;
  reason: string | null;
  triedAt: Date;
}

/** How many of the newest incidents are searched: no look may read two years of messages. */
const INCIDENTS = 100;

const lastStatement: Statement<LastOutcome> = {
  name: 'last_outcomes',
  text: `
SELECT DISTINCT ON (d.channel) d.channel,
  CASE WHEN d.status = 'scheduled' AND ${FAILING} THEN 'failed' ELSE d.status END AS status, d.reason, d.first_attempt_at AS "triedAt"
FROM (SELECT id FROM incident WHERE account_id = $1 ORDER BY opened_at DESC, id DESC LIMIT ${INCIDENTS}) i
JOIN delivery d ON d.account_id = $1 AND d.incident_id = i.id
WHERE d.first_attempt_at IS NOT NULL AND d.status <> 'sending'
ORDER BY d.channel, d.first_attempt_at DESC, d.seq DESC`,
};

/** Returns results by channel; a channel over which nothing was tried recently is absent. */
export async function lastOutcomes(db: Connection, accountId: string): Promise<Map<ChannelKind, LastOutcome>> {
  return new Map((await run(db, lastStatement, [accountId])).map(row => [row.channel, row]));
}
