import type { ActionVerb } from '../domain/action.ts';
import type { Via } from '../domain/incident.ts';
import type { ModeId } from '../domain/mode.ts';
import type { Environment, Verb } from '../domain/source.ts';
import { type Connection, run, type Statement } from './statement.ts';

/**
 * An action of a person, not of a machine: what owners do in the console, and the rehearsal of an alarm (`trigger`). It
 * takes the same way as a call of /v1: the source's queue (DECISIONS.md "Acknowledge", "Source or location switched to
 * live", "Disabled or deactivated source").
 */
export interface OwnAction {
  account_id: string;
  source_id: string;
  verb: Exclude<ActionVerb, Verb> | 'trigger';
  /** A fresh UUID: what became of the action is found by it. */
  trace_id: string;
  /** `acknowledge` and `close`: the incident meant. Else null. */
  incident_id: string | null;
  /** Who, as the timeline and the call log name them. */
  actor: string;
  /** `acknowledge`: how it came; from the console where absent. */
  via?: Via;
  /** `acknowledge`: the contact of the incident who acts, where that is known. */
  contact_id?: string | null;
  /** `trigger` of an alarm: the mode that it fires; its caller resolves it and sees to it that the alarm has it. Null where absent. */
  mode?: ModeId | null;
  /** Live where absent. */
  environment?: Environment;
  /** `trigger`: the false-alarm window in seconds, 0 where absent. */
  window_s?: number;
  /** `trigger`: whether the gate may hold it; it may not where absent. */
  only_when_armed?: boolean;
}

const enqueueStatement: Statement<never> = {
  name: 'enqueue_own_actions',
  text: `
INSERT INTO action (account_id, source_id, verb, mode, environment, window_s, only_when_armed, trace_id, incident_id,
  actor, via, contact_id, accepted_at)
SELECT account_id, source_id, verb, mode, coalesce(environment, 'live'), coalesce(window_s, 0),
  coalesce(only_when_armed, false), trace_id, incident_id, actor, via,
  contact_id, t.now
FROM ROWS FROM (json_to_recordset($1::json) AS (account_id text, source_id text, verb text, mode text, environment text,
  window_s int, only_when_armed boolean, trace_id uuid, incident_id text, actor text,
  via text, contact_id text)) WITH ORDINALITY
  AS r (account_id, source_id, verb, mode, environment, window_s, only_when_armed, trace_id, incident_id, actor, via,
  contact_id, n)
CROSS JOIN (SELECT tocsin_now() AS now) t
ORDER BY n`,
};

/** What an applied action came to. */
export interface AppliedAction {
  outcome: string;
  incident_id: string | null;
}

const appliedStatement: Statement<AppliedAction> = {
  name: 'applied_action',
  text: `
SELECT outcome, incident_id FROM call_log
WHERE account_id = $1 AND trace_id = $2 AND applied_at IS NOT NULL
ORDER BY id DESC LIMIT 1`,
};

/**
 * Stores actions in the queues of their sources, in the order given, accepted now. On the connection of a transaction
 * they are stored with whatever else it writes; nudge the engine after the commit.
 */
export async function enqueueOwnActions(on: Connection, actions: readonly OwnAction[]): Promise<void> {
  if (actions.length > 0) await run(on, enqueueStatement, [JSON.stringify(actions)]);
}

/** What became of an action, or null while it waits. */
export async function appliedAction(on: Connection, accountId: string, traceId: string): Promise<AppliedAction | null> {
  const [row] = await run(on, appliedStatement, [accountId, traceId]);
  return row ?? null;
}
