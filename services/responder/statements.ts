import type { DeliveryKind, IncidentCopy } from '../domain/alert.ts';
import type { ChannelKind, DeliveryStatus } from '../domain/delivery.ts';
import type { AfterNews } from '../domain/progress.ts';
import { ms } from '../store/columns.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';
import { OVER } from '../store/statements/delivery-over.ts';
import type { FailedDelivery } from '../store/statements/fail-over.ts';

/** A delivery that a carrier reports on, locked until the end of the transaction. */
export interface ProgressingDelivery extends FailedDelivery {
  kind: DeliveryKind;
  channel: ChannelKind;
  slot: number | null;
  status: DeliveryStatus;
  attempt: number;
  tries: number;
  /** Milliseconds since 1970. */
  firstAttemptAt: number;
  plannedAt: number;
  providerRef: string | null;
  incident: 'waited_for' | 'over';
  sourceId: string;
  copy: IncidentCopy;
}

const lockStatement: Statement<ProgressingDelivery> = {
  name: 'lock_progressing',
  text: `
SELECT d.account_id AS "accountId", d.id, d.contact_id AS "contactId", d.step, d.kind, d.channel, d.slot, d.status, d.attempt, d.tries,
  ${ms('coalesce(d.first_attempt_at, t.now)')} AS "firstAttemptAt", ${ms('d.planned_at')} AS "plannedAt",
  d.provider_ref AS "providerRef", i.source_id AS "sourceId", i.copy,
  CASE WHEN ${OVER} THEN 'over' ELSE 'waited_for' END AS incident,
  a.plan, ${ms('a.created_at')} AS "accountCreatedAt", ${ms('t.now')} AS now
FROM delivery d
JOIN incident i ON i.account_id = d.account_id AND i.id = d.incident_id
JOIN account a ON a.id = d.account_id
CROSS JOIN (SELECT tocsin_now() AS now) t
WHERE d.account_id = $1 AND d.id = $2
FOR NO KEY UPDATE OF d`,
};

/**
 * Writes what a carrier reported. An attempt that its sender has not recorded yet is counted here; the sender's later
 * record no longer finds it (delivery.ts `recordAttempts`).
 */
const writeStatement: Statement<never> = {
  name: 'record_progress',
  text: `
UPDATE delivery SET status = $4, reason = $5, lease_until = NULL,
  provider_ref = CASE WHEN status = 'sending' THEN $6 ELSE coalesce(provider_ref, $6) END,
  tries = tries + CASE WHEN status = 'sending' THEN 1 ELSE 0 END,
  due_at = CASE WHEN $4 = 'scheduled' THEN tocsin_now() + make_interval(secs => $7) ELSE due_at END,
  carrier_away_at = NULL, carrier = coalesce($8, carrier),
  sent_at = CASE $4 WHEN 'scheduled' THEN NULL WHEN 'delivered' THEN coalesce(sent_at, tocsin_now()) ELSE sent_at END,
  delivered_at = CASE WHEN $4 = 'delivered' THEN tocsin_now() END
WHERE account_id = $1 AND id = $2 AND attempt = $3`,
};

/** Returns the status of a delivery after a carrier's report. */
export function statusAfter({
  kind,
}: Exclude<AfterNews, { kind: 'nothing' }>): Exclude<typeof kind, 'retry'> | 'scheduled' {
  return kind === 'retry' ? 'scheduled' : kind;
}

/** Returns the delivery and locks its row; null if the account has none with this id. */
export async function lockProgressing(db: Connection, accountId: string, deliveryId: string) {
  const [row] = await run(db, lockStatement, [accountId, deliveryId]);
  return row ?? null;
}

/**
 * Records what follows a carrier's report, in the transaction that holds the lock. `carrier`: its name; null if it
 * is not known. `providerRef`: its own id.
 */
export async function recordProgress(
  db: Connection,
  { accountId, id, attempt }: ProgressingDelivery,
  after: Exclude<AfterNews, { kind: 'nothing' }>,
  { carrier, providerRef }: { carrier: string | null; providerRef: string },
): Promise<void> {
  await run(db, writeStatement, [
    accountId,
    id,
    attempt,
    statusAfter(after),
    'reason' in after ? after.reason : null,
    providerRef,
    after.kind === 'retry' ? after.retryAfterS : 0,
    carrier,
  ]);
}
