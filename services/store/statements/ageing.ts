import { type ChannelKind, MISSED_BY_RESTORE } from '../../domain/delivery.ts';
import { HANDED_OVER_STEP } from '../../domain/escalation.ts';
import type { Changes } from '../../domain/incident.ts';
import { type Columns, ms, rowsOf } from '../columns.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { LATER } from './delivery-over.ts';
import { CONTACT } from './policy.ts';

/**
 * A message `d` of its policy that never went, since somebody acknowledged in time; not where a later one to the same person went, or a
 * restored backup called it off.
 */
const CALLED_OFF = `d.kind = 'alert' AND d.step < ${HANDED_OVER_STEP} AND d.status = 'cancelled' AND d.sent_at IS NULL
  AND d.reason IS DISTINCT FROM '${MISSED_BY_RESTORE}' AND NOT EXISTS (${LATER} AND later.sent_at IS NOT NULL)`;

const OWN = `d.account_id = i.account_id AND d.incident_id = i.id AND d.kind = 'alert' AND d.step < ${HANDED_OVER_STEP}`;

/** When a message `d` of the first round of incident `i` was due by the policy: what people did may have moved it since. */
const BY_POLICY = `${ms('i.opened_at')} + 1000 * (
  SELECT coalesce(sum((s.step ->> 'delayS')::float8), 0)
  FROM jsonb_array_elements(i.copy -> 'policy' -> 'steps') WITH ORDINALITY s (step, nth) WHERE s.nth <= d.step + 1)`;

/** What is known of the incident `i` whose acknowledgement has aged (domain/ageing.ts), as JSON. */
export const AGEING = `json_build_object(
  'contact', (SELECT ${CONTACT}::jsonb || jsonb_build_object('channels', coalesce((
      SELECT json_agg(used.channel ORDER BY used.first) FROM (
        SELECT cc.channel, min(cc.position) AS first FROM contact_channel cc
        WHERE cc.account_id = c.account_id AND cc.contact_id = c.id AND cc.disabled_reason IS NULL GROUP BY cc.channel
      ) used), '[]'))
    FROM contact c WHERE c.account_id = i.account_id AND c.id = i.acknowledged_contact_id),
  'calledOff', coalesce((SELECT json_agg(json_build_object('round', s.round, 'step', s.step, 'dueAt', s.at)
      ORDER BY s.at, s.round, s.step) FROM (
    SELECT d.round, d.step, ${ms('min(d.planned_at)')} AS at FROM delivery d
    WHERE d.account_id = i.account_id AND d.incident_id = i.id AND ${CALLED_OFF} GROUP BY d.round, d.step) s), '[]'),
  'firstRound', coalesce((SELECT json_agg(json_build_object('step', d.step, 'contactId', d.contact_id, 'channel', d.channel,
      'dueAt', ${BY_POLICY}) ORDER BY d.seq) FROM delivery d
    WHERE d.account_id = i.account_id AND d.incident_id = i.id AND d.kind = 'alert' AND d.round = 0
      AND d.step < ${HANDED_OVER_STEP} AND d.instead_of IS NULL), '[]'),
  'round', coalesce((SELECT max(d.round) FROM delivery d WHERE ${OWN} AND d.status <> 'cancelled'), 0),
  'lastRound', coalesce((SELECT max(d.round) FROM delivery d WHERE ${OWN}), 0))`;

type Resumed = Changes['resumed'][number] & { accountId: string };

const RESUMED: Columns<Resumed> = { accountId: 'text', incidentId: 'text', at: 'time' };

const resumeStatement: Statement<{ channel: ChannelKind; dueAt: number }> = {
  name: 'resume_steps',
  text: `
UPDATE delivery d SET status = 'scheduled', due_at = c.at + (d.planned_at - c.first), planned_at = c.at + (d.planned_at - c.first),
  moved_from = coalesce(d.moved_from, d.planned_at), tries = 0, carrier_away_at = NULL, audited = NULL
FROM (
  SELECT d.account_id, d.id, r.at, min(d.planned_at) OVER (PARTITION BY d.account_id, d.incident_id) AS first
  FROM ${rowsOf(RESUMED)}
  JOIN delivery d ON d.account_id = r.account_id AND d.incident_id = r.incident_id AND ${CALLED_OFF}
) c WHERE d.account_id = c.account_id AND d.id = c.id
RETURNING d.channel, ${ms('d.due_at')} AS "dueAt"`,
};

/**
 * Lets the steps of incidents go that an acknowledgement called off: the first of each at the time given, the others as long after it as
 * they were planned. Returns what is due when.
 */
export async function resumeSteps(
  db: Connection,
  resumed: readonly Resumed[],
): Promise<{ channel: ChannelKind; dueAt: number }[]> {
  return resumed.length === 0 ? [] : await run(db, resumeStatement, [JSON.stringify(resumed)]);
}
