import { randomUUID } from 'node:crypto';
import { newId } from '../../../services/store/id.ts';
import type { OldAccount } from './old-account.ts';
import type { OldDatabase } from './rig.ts';

/** A row of the log of the version before. What is left out is null. */
export interface OldLogged {
  verb: string;
  outcome: string;
  source_id: string;
  key_id?: string;
  actor?: string;
  mode?: string;
  environment?: string;
  /** Refused where it is left out. */
  applied?: 'applied';
  incident_id?: string;
  pending_id?: number;
}

/** Writes rows into the log as that version wrote them; gives their trace ids. */
export async function writeOldLog(
  { rows }: OldDatabase,
  accountId: string,
  logged: readonly OldLogged[],
): Promise<string[]> {
  const written = await rows<{ trace_id: string }>(
    `INSERT INTO call_log (account_id, trace_id, at, key_id, actor, verb, source_id, mode, environment, outcome, applied_at,
       incident_id, pending_id)
     SELECT $1, trace_id, tocsin_now() - interval '2 s', key_id, actor, verb, source_id, mode, environment, outcome,
       CASE WHEN applied IS NOT NULL THEN tocsin_now() END, incident_id, pending_id
     FROM ROWS FROM (json_to_recordset($2::json) AS (trace_id uuid, key_id text, actor text, verb text, source_id text, mode text,
       environment text, outcome text, applied text, incident_id text, pending_id bigint)) WITH ORDINALITY
       AS r (trace_id, key_id, actor, verb, source_id, mode, environment, outcome, applied, incident_id, pending_id, n)
     ORDER BY n RETURNING trace_id`,
    [accountId, JSON.stringify(logged.map(row => ({ trace_id: randomUUID(), ...row })))],
  );
  return written.map(({ trace_id }) => trace_id);
}

/** What calls of that version came to, of every word that its log can hold. */
export function everyOutcome(
  of: OldAccount,
  at: { alarmId: string; openIncident: string; closedIncident: string },
): OldLogged[] {
  const { alarmId: source_id, openIncident, closedIncident } = at;
  const call = { source_id, key_id: of.key.id, mode: 'away' };
  const applied = { ...call, environment: 'live', applied: 'applied' } as const;
  const person = { source_id, environment: 'live', actor: 'Anna', applied: 'applied' } as const;
  return [
    { ...call, verb: 'trigger', outcome: 'not_found', source_id: newId() },
    { ...call, verb: 'arm', outcome: 'not_found', source_id: '' },
    { ...call, verb: 'trigger', outcome: 'held_by_gate' },
    { ...call, verb: 'disarm', outcome: 'source_disabled' },
    { ...call, verb: 'arm', outcome: 'mode_missing', mode: 'vacation' },
    { source_id, key_id: of.key.id, verb: 'arm', outcome: 'unknown_mode' },
    { ...call, verb: 'clear', outcome: 'key_revoked' },
    { ...call, verb: 'clear', outcome: 'key_expired' },
    { ...applied, verb: 'arm', outcome: 'armed', mode: 'night' },
    { ...applied, verb: 'disarm', outcome: 'disarmed' },
    { ...applied, verb: 'disarm', outcome: 'disarmed', incident_id: closedIncident },
    { ...applied, verb: 'disarm', outcome: 'disarmed', pending_id: 71 },
    { ...applied, verb: 'trigger', outcome: 'cancelled', pending_id: 71 },
    { ...applied, verb: 'trigger', outcome: 'opened', incident_id: closedIncident, pending_id: 72 },
    { ...applied, verb: 'trigger', outcome: 'folded', incident_id: closedIncident, pending_id: 72 },
    { ...applied, verb: 'trigger', outcome: 'folded', incident_id: openIncident },
    { ...applied, verb: 'trigger', outcome: 'held_by_gate' },
    { ...applied, verb: 'trigger', outcome: 'source_disabled' },
    { ...applied, verb: 'trigger', outcome: 'opened', environment: 'test', incident_id: openIncident },
    { ...applied, verb: 'clear', outcome: 'closed', incident_id: closedIncident },
    { ...applied, verb: 'clear', outcome: 'nothing_open' },
    { ...person, verb: 'acknowledge', outcome: 'acknowledged', incident_id: openIncident },
    { ...person, verb: 'acknowledge', outcome: 'already_acknowledged', incident_id: openIncident },
    { ...person, verb: 'acknowledge', outcome: 'already_closed', incident_id: closedIncident },
    { ...person, verb: 'close', outcome: 'closed', incident_id: closedIncident },
    { ...person, verb: 'go_live', outcome: 'went_live', incident_id: closedIncident, pending_id: 73 },
    { ...person, verb: 'disable', outcome: 'disabled', incident_id: closedIncident },
    { ...person, verb: 'trigger', outcome: 'opened', environment: 'test', incident_id: closedIncident, mode: 'home' },
  ];
}

/** Fills the log with so many applied calls of an alarm, a second apart. */
export async function fillOldLog({ rows }: OldDatabase, of: OldAccount, alarmId: string, calls: number): Promise<void> {
  await rows(
    `INSERT INTO call_log (account_id, trace_id, at, key_id, verb, source_id, environment, outcome, applied_at)
     SELECT $1, gen_random_uuid(), t.now - make_interval(secs => $4 - n), $2, CASE n % 2 WHEN 0 THEN 'disarm' ELSE 'arm' END, $3, 'live',
       CASE n % 2 WHEN 0 THEN 'disarmed' ELSE 'armed' END, t.now - make_interval(secs => $4 - n)
     FROM generate_series(1, $4::int) n CROSS JOIN (SELECT tocsin_now() AS now) t`,
    [of.id, of.key.id, alarmId, calls],
  );
}
