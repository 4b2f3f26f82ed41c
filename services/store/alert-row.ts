import type { AlertFacts, DeliveryKind, IncidentCopy } from '../domain/alert.ts';
import type { Environment } from '../domain/source.ts';

/** A delivery with its incident, as far as its message is made from them. */
export interface AlertRow {
  account_id: string;
  id: string;
  kind: DeliveryKind;
  /** Counts leases: the fence. */
  attempt: number;
  round: number;
  step: number;
  contact_id: string;
  incident_id: string;
  environment: Environment;
  opened_at: Date;
  trigger_count: number;
  last_trigger_at: Date;
  acknowledged_by: string | null;
  reply_code: string;
  copy: IncidentCopy;
}

/** The same as the rules take it (domain/alert.ts `alertOf`). */
export function alertFacts(row: AlertRow, firstTriedAt: Date): AlertFacts {
  return {
    id: row.id,
    accountId: row.account_id,
    kind: row.kind,
    attempt: row.attempt,
    firstTriedAt: firstTriedAt.getTime(),
    round: row.round,
    step: row.step,
    incident: {
      id: row.incident_id,
      environment: row.environment,
      openedAt: row.opened_at.getTime(),
      triggerCount: row.trigger_count,
      lastTriggerAt: row.last_trigger_at.getTime(),
      acknowledgedBy: row.acknowledged_by,
      replyCode: row.reply_code,
      copy: row.copy,
    },
  };
}
