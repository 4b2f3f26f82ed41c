import type { Incident, Logged, Message } from '../support/history.ts';
import type { World } from './world.ts';

/** What the database holds at the end. Times are milliseconds since 1970 by its own account. */
export interface Found {
  now: number;
  logged: (Logged & { verb: string; key: number | null })[];
  incidents: (Incident & { closeReason: string | null; lastTriggerAt: number; trippedKeys: number[] })[];
  messages: (Message & { attempt: number; reason: string | null })[];
  undone: string[];
  /** How often the deployment's clock was found set. */
  steps: number;
}

const ms = (of: string) => `(extract(epoch FROM ${of}) * 1000)::float8`;

/** Reads it. */
export async function readFound({ ask }: World): Promise<Found> {
  const logged = await ask<Found['logged'][number] & { number: string }>(
    `SELECT l.id::text AS number, l.account_id AS "accountId", l.source_id AS "sourceId", l.trace_id AS "traceId",
       l.environment, l.verb, l.key_seq::float8 AS key, ${ms('l.at')} AS at, ${ms('l.applied_at')} AS "appliedAt", l.outcome, l.incident_id AS "incidentId"
     FROM call_log l JOIN logged_call w ON w.id = l.id::bigint ORDER BY w.xmin::text::bigint, w.id`,
  );
  const incidents = await ask<Found['incidents'][number]>(
    `SELECT id, account_id AS "accountId", source_id AS "sourceId", mode, environment, status, close_reason AS "closeReason",
       ${ms('opened_at')} AS "openedAt", ${ms('applied_at')} AS "appliedAt", ${ms('acknowledged_at')} AS "acknowledgedAt",
       ${ms('closed_at')} AS "closedAt", ${ms('last_trigger_at')} AS "lastTriggerAt", trigger_count AS "triggerCount", trace_id AS "traceId",
       tripped_keys AS "trippedKeys"
     FROM incident ORDER BY seq`,
  );
  const messages = await ask<Found['messages'][number]>(
    `SELECT id, account_id AS "accountId", incident_id AS "incidentId", kind, round, step, contact_id AS "contactId", channel, status,
       attempt, reason, instead_of AS "insteadOf", ${ms('planned_at')} AS "plannedAt", ${ms('moved_from')} AS "movedFrom", ${ms('due_at')} AS "dueAt",
       ${ms('first_attempt_at')} AS "firstAttemptAt"
     FROM delivery ORDER BY seq`,
  );
  const [rest] = await ask<{ now: number; groups: number; actions: number; steps: number }>(
    `SELECT ${ms('tocsin_now()')} AS now, (SELECT count(*)::int FROM waiting_group) AS groups,
       (SELECT count(*)::int FROM queued_action) AS actions,
       (SELECT count(*)::int FROM notice WHERE kind = 'clock_stepped') AS steps`,
  );
  const { now, groups, actions, steps } = rest!;
  return {
    now,
    logged: logged.map(({ number, ...row }) => ({ ...row, id: BigInt(number) })),
    incidents,
    messages,
    undone: [...counted(groups, 'groups of calls'), ...counted(actions, 'actions in the queue')],
    steps,
  };
}

function counted(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what} wait`];
}
