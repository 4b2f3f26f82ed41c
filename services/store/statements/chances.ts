import { LATE_AFTER_MS } from '../../domain/audit-step.ts';
import type { Changes } from '../../domain/incident.ts';
import { type Columns, ms, rowsOf } from '../columns.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { FAILING } from './turn.ts';

/**
 * What became of the alerts of incident `i` (domain/chances.ts) by `t.now`, as JSON. A message that started in time belongs to the
 * time of its step.
 */
export const CHANCES = `(
  SELECT json_build_object('lastAt', max(CASE
      WHEN d.status IN ('scheduled', 'sending') AND NOT ${FAILING} THEN greatest(${ms('d.due_at')}, ${ms('t.now')})
      WHEN d.sent_at > d.planned_at + make_interval(secs => ${LATE_AFTER_MS / 1000}) THEN ${ms('d.sent_at')} END),
    'tried', json_build_object(
      'messages', count(*) FILTER (WHERE d.status <> 'cancelled'),
      'taken', count(*) FILTER (WHERE d.status IN ('sent', 'delivered')),
      'failed', count(*) FILTER (WHERE d.status IN ('failed', 'no_carrier', 'scheduled', 'sending')),
      'channels', coalesce((SELECT json_agg(c.channel ORDER BY c.seq) FROM (
        SELECT o.channel, min(o.seq) AS seq FROM delivery o
        WHERE o.account_id = i.account_id AND o.incident_id = i.id AND o.kind = 'alert' GROUP BY o.channel) c), '[]')))
  FROM delivery d WHERE d.account_id = i.account_id AND d.incident_id = i.id AND d.kind = 'alert')`;

type Exhaustion = Changes['exhaustions'][number] & { accountId: string };

const EXHAUSTION: Columns<Exhaustion> = { accountId: 'text', incidentId: 'text', at: 'time' };

const putOffStatement: Statement<never> = {
  name: 'put_off_exhaustions',
  text: `
UPDATE incident i SET looks_at = r.at FROM ${rowsOf(EXHAUSTION)}
WHERE i.account_id = r.account_id AND i.id = r.incident_id`,
};

/** Moves when incidents count as unanswered. Call it after all else about them is written. */
export async function putOffExhaustions(db: Connection, exhaustions: readonly Exhaustion[]): Promise<void> {
  if (exhaustions.length > 0) await run(db, putOffStatement, [JSON.stringify(exhaustions)]);
}
