import { type ActionVerb, PERSONS_VERBS } from '../../domain/action.ts';
import type { Via } from '../../domain/incident.ts';
import type { ModeId } from '../../domain/mode.ts';
import type { Environment, Verb } from '../../domain/source.ts';
import { type Columns, namesOf, rowsOf } from '../columns.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { PLACES, type WaitingAction } from './journal.ts';

/*
 * The queue: actions that wait individually. Those of people and owners, which are few, and those of machines that
 * found no room in their account's share or could not be applied.
 */

/**
 * An action of no machine: what owners do in the console, the rehearsal of an alarm (`trigger`), and the trigger of an alarm
 * whose sender is silent.
 * Its number places it among the calls of its source (DECISIONS.md "Acknowledge", "Source or location switched to
 * live", "Disabled or deactivated source").
 */
export interface OwnAction {
  accountId: string;
  sourceId: string;
  verb: Exclude<ActionVerb, Verb> | 'trigger';
  /** A fresh UUID, with which the result of the action is found. */
  traceId: string;
  /** The incident that a person does something to; null for other actions. */
  incidentId: string | null;
  /** The name shown in the timeline and the call log; null: nobody's, but a silence. */
  actor: string | null;
  /** Of a silence: the silent key, and since when nothing is heard of it (milliseconds since 1970); else absent. */
  keyId?: string;
  silentSince?: number;
  /** `acknowledge`: how it arrived; from the console if absent. */
  via?: Via;
  /** `acknowledge`: the contact of the incident who acts, if known. */
  contactId?: string | null;
  /** As `detail` of an Action; absent means null. */
  detail?: string | null;
  /**
   * `trigger` of an alarm: its mode, resolved by the caller, who makes sure that the alarm has it. Absent means null.
   */
  mode?: ModeId | null;
  /** Absent means live. */
  environment?: Environment;
  /** `trigger`: the false-alarm window in seconds; absent means 0. */
  windowS?: number;
  /** `trigger`: whether the gate may hold it; absent means it may not. */
  onlyWhenArmed?: boolean;
}

/** The columns of an own action, and its place in the order given. */
const OWN: Columns<OwnAction & { place: number }> = {
  accountId: 'text',
  sourceId: 'text',
  verb: 'text',
  traceId: 'uuid',
  incidentId: 'text',
  actor: 'text',
  keyId: 'text',
  silentSince: 'time',
  via: 'text',
  contactId: 'text',
  detail: 'text',
  mode: 'text',
  environment: 'text',
  windowS: 'int',
  onlyWhenArmed: 'boolean',
  place: 'int',
};

/** Whether the source `s` is disabled, as `Disabled` of the rules. */
export const DISABLED = `CASE WHEN NOT (s.disabled OR s.deactivated) THEN 'no'
    WHEN EXISTS (SELECT FROM queued_action q WHERE q.source_seq = s.seq AND q.verb = 'disable') THEN 'waits' ELSE 'yes' END`;

/** What people do to an incident. */
const PERSONS = `'${PERSONS_VERBS.join("', '")}'`;

/** It does not wait for other actions of the account. */
const AT_ONCE = `CASE WHEN r.verb IN (${PERSONS}) THEN '-infinity' ELSE t.now END`;

/** Numbers are assigned after the sort, so in the order of the actions. */
const enqueueStatement: Statement<never> = {
  name: 'enqueue_own_actions',
  text: `
INSERT INTO queued_action (account_id, source_seq, id, due_at, verb, mode, environment, window_s, only_when_armed, trace_id,
  incident_id, actor, key_seq, silent_since, via, contact_id, detail, accepted_at)
SELECT r.account_id, s.seq, nextval('journal_number') * ${PLACES}, ${AT_ONCE}, r.verb, r.mode, coalesce(r.environment,
    (SELECT i.environment FROM incident i WHERE i.account_id = r.account_id AND i.id = r.incident_id), 'live'),
  coalesce(r.window_s, 0), coalesce(r.only_when_armed, false), r.trace_id, r.incident_id, r.actor,
  (SELECT k.seq FROM api_key k WHERE k.account_id = r.account_id AND k.id = r.key_id), r.silent_since, r.via, r.contact_id, r.detail, t.now
FROM ${rowsOf(OWN)}
JOIN source s ON s.account_id = r.account_id AND s.id = r.source_id
CROSS JOIN (SELECT tocsin_now() AS now) t
ORDER BY r.place`,
};

/**
 * Stores actions of people, in the order given, accepted now. In a transaction they are stored with whatever else it
 * writes; nudge the engine after the commit.
 */
export async function enqueueOwnActions(db: Connection, actions: readonly OwnAction[]): Promise<void> {
  const rows = actions.map((action, place) => ({ ...action, place }));
  if (rows.length > 0) await run(db, enqueueStatement, [JSON.stringify(rows)]);
}

/** An action in the queue. Times are milliseconds since 1970. */
export interface QueuedAction extends WaitingAction {
  /** Since when it could not be applied for a reason of its own; null if it was not tried yet. */
  failingSince: number | null;
  tries: number;
  /** When its turn may come. */
  dueAt: number;
}

/** The columns of a queued action `q` as the rules see it. */
const ACTION = `q.source_seq::float8 AS "sourceSeq", q.id::text AS id, q.verb, q.mode, q.environment, q.window_s AS "windowS",
  q.only_when_armed AS "onlyWhenArmed", q.trace_id AS "traceId", q.parent_trace_id AS "parentTraceId", q.key_seq::float8 AS "keySeq",
  (extract(epoch FROM q.silent_since) * 1000)::float8 AS "silentSince",
  q.incident_id AS "incidentId", q.actor, q.via, q.contact_id AS "contactId", q.detail,
  (extract(epoch FROM q.accepted_at) * 1000)::float8 AS "acceptedAt",
  (extract(epoch FROM q.confirmed_at) * 1000)::float8 AS "confirmedAt",
  (extract(epoch FROM q.failing_since) * 1000)::float8 AS "failingSince", q.tries,
  (extract(epoch FROM q.due_at) * 1000)::float8 AS "dueAt"`;

/** How many of the oldest actions of an account get a turn together. */
export const TURN_ACTIONS = 20;

const turnsStatement: Statement<{ account_id: string; source_seq: number }> = {
  name: 'queue_turns',
  text: `
WITH RECURSIVE account AS (
  (SELECT account_id FROM queued_action WHERE account_id > $1 ORDER BY account_id LIMIT 1)
  UNION ALL
  SELECT n.account_id FROM account t
  CROSS JOIN LATERAL (SELECT account_id FROM queued_action q WHERE q.account_id > t.account_id ORDER BY account_id LIMIT 1) n
)
SELECT a.account_id, d.source_seq::float8 AS source_seq FROM (SELECT account_id FROM account LIMIT $2) a
CROSS JOIN LATERAL (
  SELECT DISTINCT source_seq FROM (
    SELECT source_seq FROM queued_action q
    WHERE q.account_id = a.account_id AND q.due_at <= (SELECT tocsin_now()) ORDER BY q.due_at LIMIT $3
  ) oldest
) d`,
};

/**
 * Returns the sources whose queued actions have their turn: of at most `accounts` accounts after `after` in the order
 * of ids, those of each account's `most` oldest actions.
 */
export async function readTurns(db: Connection, after: string, accounts: number, most: number) {
  const rows = await run(db, turnsStatement, [after, accounts, most]);
  return rows.map(row => ({ accountId: row.account_id, sourceSeq: row.source_seq }));
}

/** What people do to an incident, which the index of their actions (queued_action_people) finds however much else waits. */
const FIRST = `(o.actor IS NOT NULL AND o.verb IN (${PERSONS}))`;

const queuedStatement: Statement<QueuedAction> = {
  name: 'read_queued',
  text: `
WITH journal AS MATERIALIZED (SELECT ${PLACES} * coalesce((SELECT min(id) FROM waiting_group), 1e15::bigint) AS begins)
SELECT r.* FROM unnest($1::bigint[]) AS wanted (seq)
CROSS JOIN journal j
CROSS JOIN LATERAL (
  SELECT ${ACTION} FROM (
    (SELECT 1 AS turn, o.* FROM queued_action o WHERE o.source_seq = wanted.seq AND o.id < j.begins AND ${FIRST} ORDER BY o.id LIMIT $2)
    UNION ALL
    (SELECT 2, o.* FROM queued_action o WHERE o.source_seq = wanted.seq AND o.id < j.begins AND NOT ${FIRST} ORDER BY o.id LIMIT $2)
  ) q
  ORDER BY q.turn, q.id LIMIT $2
) r`,
};

/**
 * Returns the queued actions of sources: what people do to incidents first, the rest in accepted order, at most `limit` of
 * each source. Leaves out those that a call in the journal precedes.
 */
export function readQueued(db: Connection, sourceSeqs: readonly number[], limit: number): Promise<QueuedAction[]> {
  return run(db, queuedStatement, [`{${sourceSeqs.join()}}`, limit]);
}

const PARKED: Columns<Omit<WaitingAction, 'incidentId' | 'actor' | 'via' | 'contactId' | 'detail' | 'silentSince'>> = {
  sourceSeq: 'bigint',
  id: 'bigint',
  verb: 'text',
  mode: 'text',
  environment: 'text',
  windowS: 'int',
  onlyWhenArmed: 'boolean',
  traceId: 'uuid',
  parentTraceId: 'uuid',
  keySeq: 'bigint',
  acceptedAt: 'time',
  confirmedAt: 'time',
};

const parkStatement: Statement<never> = {
  name: 'park_calls',
  text: `
WITH parked AS MATERIALIZED (SELECT * FROM ${rowsOf(PARKED)}),
due AS MATERIALIZED (
  SELECT s.seq, s.account_id, coalesce(
    (SELECT CASE WHEN q.failing_since IS NOT NULL THEN q.due_at END
      FROM queued_action q WHERE q.source_seq = s.seq ORDER BY q.id LIMIT 1),
    (SELECT tocsin_now())) AS at
  FROM (SELECT DISTINCT source_seq FROM parked) p JOIN source s ON s.seq = p.source_seq
)
INSERT INTO queued_action (account_id, due_at, ${namesOf(PARKED)})
SELECT d.account_id, d.at, r.* FROM parked r JOIN due d ON d.seq = r.source_seq`,
};

/**
 * Puts calls of machines into the queue, at a cost that what waits there already does not raise. For a source that cannot be
 * applied they are due no sooner than what is there already: all of it is postponed together, so its oldest action tells when.
 */
export async function parkCalls(db: Connection, calls: readonly WaitingAction[]): Promise<void> {
  if (calls.length > 0) await run(db, parkStatement, [JSON.stringify(calls)]);
}

/** A source whose queued actions have to wait, after so many failed tries. Times are milliseconds since 1970. */
export interface PostponedSource {
  sourceSeq: number;
  dueAt: number;
  now: number;
  tries: number;
}

const POSTPONED: Columns<PostponedSource> = { sourceSeq: 'bigint', dueAt: 'time', now: 'time', tries: 'int' };

const postponeStatement: Statement<never> = {
  name: 'postpone_queued',
  text: `
UPDATE queued_action q SET due_at = r.due_at, failing_since = coalesce(q.failing_since, r.now), tries = r.tries
FROM ${rowsOf(POSTPONED)} WHERE q.source_seq = r.source_seq`,
};

/** Postpones all queued actions of sources that cannot be applied. */
export async function postponeQueued(db: Connection, ...sources: readonly PostponedSource[]): Promise<void> {
  await run(db, postponeStatement, [JSON.stringify(sources)]);
}

const takeStatement: Statement<never> = {
  name: 'take_queued',
  text: `
DELETE FROM queued_action q USING unnest($1::bigint[], $2::bigint[]) AS r (source_seq, id)
WHERE q.source_seq = r.source_seq AND q.id = r.id`,
};

/** Removes applied actions from the queue. */
export async function takeQueued(db: Connection, actions: readonly QueuedAction[]): Promise<void> {
  if (actions.length === 0) return;
  await run(db, takeStatement, [
    `{${actions.map(({ sourceSeq }) => sourceSeq).join()}}`,
    `{${actions.map(({ id }) => id).join()}}`,
  ]);
}
