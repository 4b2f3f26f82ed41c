import type { AlertFacts, DeliveryKind, IncidentCopy } from '../../domain/alert.ts';
import type { Environment } from '../../domain/source.ts';
import { FLAPPING } from '../../domain/throttle.ts';

/** The live incidents of the source of `i` that opened shortly before it, the newest first. */
function shortlyBefore(i: string): string {
  return `SELECT p.id FROM incident p WHERE p.account_id || p.source_id = d.account_id || ${i}.source_id
    AND p.environment = 'live' AND p.opened_at < ${i}.opened_at
    AND p.opened_at > ${i}.opened_at - make_interval(secs => ${FLAPPING.withinS}) ORDER BY p.opened_at DESC`;
}

/** Whether incident `i` of delivery `d` is one of many that its source opens (domain/throttle.ts). */
export function flaps(i: string): string {
  return `EXISTS (${shortlyBefore(i)} OFFSET ${FLAPPING.from - 2} LIMIT 1)`;
}

/** Of how many of these the contact of delivery `d` was told nothing over its channel; a hundred are as good as more. */
export function moreBefore(i: string): string {
  return `CASE WHEN ${flaps(i)} THEN (
    SELECT count(*)::int FROM (${shortlyBefore(i)} LIMIT 100) p WHERE NOT EXISTS (
      SELECT FROM delivery o WHERE o.account_id = d.account_id AND o.incident_id = p.id AND o.contact_id = d.contact_id
        AND o.channel = d.channel AND o.sent_at IS NOT NULL)
  ) ELSE 0 END`;
}

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
  more_before: number;
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
      moreBefore: row.more_before,
      copy: row.copy,
    },
  };
}
