import type { ArmedMode } from '../../domain/arming.ts';
import type { Chances } from '../../domain/chances.ts';
import type { Incident, PendingTrigger } from '../../domain/incident.ts';
import type { Plan } from '../../domain/plan.ts';
import type { Disabled, ResponseKind, SourceKind } from '../../domain/source.ts';
import type { AgeingFacts } from '../../domain/source-facts.ts';
import type { TrippedKeys } from '../../domain/tripped.ts';
import { fieldsOf, ms } from '../columns.ts';
import { INCIDENT } from '../entities/incident.ts';
import { LOCKS } from '../lock.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { AGEING } from './ageing.ts';
import { CHANCES } from './chances.ts';
import type { Group } from './journal.ts';
import { DISABLED } from './queue.ts';

/**
 * Folds that were applied but not yet written to the rows that readers see: the count of an open incident (`i` and its
 * number) or a pending trigger (`p` and the number of its source), when its last trigger came, when it is to be
 * written, in milliseconds since 1970, and whose triggers they are; of a pending trigger also its number.
 */
export type Folds = Record<
  string,
  [count: number, lastAt: number, writeAt: number, trippedKeys: TrippedKeys, pendingId?: string]
>;

/** How far the journal is applied, as the last applying transaction left it. */
export interface Cursor {
  id: number;
  /** When this run of the server began: a server that takes over may give out numbers again. */
  run: string;
  appliedTo: number;
  folds: Folds;
  /** The database's time, milliseconds since 1970. */
  now: number;
  /** When the oldest waiting group was accepted; null if none waits. */
  oldestAt: number | null;
}

/**
 * Returns what to send along with BEGIN so that only one transaction at a time, over all processes, runs under a lock.
 * `busy`: another one holds it. Later reads see everything the last holder committed.
 */
export function oneAtATime(lock: number) {
  return {
    // A process that stops midway loses its session, and with it the lock, before anybody has waited long.
    text: `; SET LOCAL idle_in_transaction_session_timeout = '2s'; SELECT pg_try_advisory_xact_lock(${lock}) AS held`,
    read: ([row]: Record<string, unknown>[]): 'begun' | 'busy' => (row?.held === true ? 'begun' : 'busy'),
  };
}

const cursorStatement: Statement<Cursor> = {
  name: 'journal_cursor',
  text: `
SELECT ${cursorColumns()} FROM journal_cursor ORDER BY journal_cursor.id DESC LIMIT 1`,
};

function cursorColumns(): string {
  return `id::float8 AS id, pg_postmaster_start_time()::text AS run, applied_to::float8 AS "appliedTo", folds,
  ${ms('tocsin_now()')} AS now,
  (SELECT ${ms('j.at')} FROM journal j WHERE j.id > journal_cursor.applied_to ORDER BY j.id LIMIT 1) AS "oldestAt"`;
}

export async function readCursor(db: Connection): Promise<Cursor> {
  const [cursor] = await run(db, cursorStatement, []);
  return cursor!;
}

/** Expressions are evaluated from left to right, so the time is taken before the wait. */
const settledStatement: Statement<{ now: number }> = {
  name: 'accepts_settled',
  text: `
SELECT ${ms('tocsin_now()')} AS now, pg_advisory_lock_shared(${LOCKS.accept})::text, pg_advisory_unlock_shared(${LOCKS.accept})`,
};

/**
 * Waits until the accept under way has ended. Returns a time (milliseconds since 1970): everything accepted until then
 * can be read afterwards. Without this a timer could overtake a disarm that was accepted in time and is about to be
 * committed.
 */
export async function awaitAccepts(db: Connection): Promise<number> {
  const [settled] = await run(db, settledStatement, []);
  return settled!.now;
}

/** The work that one look finds. */
export interface Found extends Cursor {
  /** The groups after the cursor, in order. */
  groups: Group[];
  /** The numbers of sources with a due window end, unanswered escalation or auto-close. */
  due: number[];
  /** Milliseconds until the next such timer; null if there is none. May be negative. */
  nextTimerMs: number | null;
}

/** How many due timers of a kind are looked at to share the places of a look among their accounts. */
const SHARED_MOST = 10_000;

/**
 * The sources with a due timer of a kind, for `$2` places: the first of each account, then the second of each, the oldest
 * first. So whoever has one does not wait for all of an account that has thousands.
 */
function dueInTurn(table: string, at: string, which: string): string {
  return `(SELECT account_id, source_id FROM (
      SELECT account_id, source_id, at, row_number() OVER (PARTITION BY account_id ORDER BY at) AS turn FROM (
        SELECT account_id, source_id, ${at} AS at FROM ${table}
        WHERE ${which}${at} <= (SELECT tocsin_now()) ORDER BY ${at} LIMIT ${SHARED_MOST}) oldest) turns
    ORDER BY turn, at LIMIT $2)`;
}

/** One statement, because each costs the client as much as several calls do. */
const lookStatement: Statement<Found> = {
  name: 'look',
  text: `
WITH cursor AS MATERIALIZED (SELECT * FROM journal_cursor ORDER BY journal_cursor.id DESC LIMIT 1)
SELECT ${cursorColumns().replaceAll('journal_cursor', 'cursor')},
  (SELECT coalesce(json_agg(json_build_object('id', g.id, 'at', ${ms('g.at')}, 'calls', g.calls) ORDER BY g.id), '[]')
    FROM (SELECT * FROM journal j WHERE j.id > cursor.applied_to ORDER BY j.id LIMIT $1) g) AS groups,
  (SELECT coalesce(json_agg(s.seq), '[]') FROM (
    ${dueInTurn('source_state', 'pending_due_at', '')}
    UNION
    ${dueInTurn('incident', 'looks_at', "status = 'open' AND ")}
    UNION
    ${dueInTurn('incident', 'auto_close_at', "status = 'open' AND auto_close_at < 'infinity' AND ")}
  ) due JOIN source s ON s.account_id = due.account_id AND s.id = due.source_id) AS due,
  (extract(epoch FROM least(
    (SELECT min(pending_due_at) FROM source_state WHERE pending_due_at IS NOT NULL),
    (SELECT min(looks_at) FROM incident WHERE status = 'open' AND looks_at IS NOT NULL),
    (SELECT min(auto_close_at) FROM incident WHERE status = 'open' AND auto_close_at < 'infinity')
  ) - tocsin_now()) * 1000)::float8 AS "nextTimerMs"
FROM cursor`,
};

/** Looks for at most `groups` groups, and `timers` due sources for each kind of timer. */
export async function lookForWork(db: Connection, groups: number, timers: number): Promise<Found> {
  const [found] = await run(db, lookStatement, [groups, timers]);
  return found!;
}

/** A source with everything the rules need. Times are milliseconds since 1970. */
export interface SourceRow {
  now: number;
  accountId: string;
  accountSeq: number;
  id: string;
  seq: number;
  kind: SourceKind;
  name: string;
  disabled: Disabled;
  clearOnDisarm: boolean;
  responseKind: ResponseKind | null;
  responseText: string;
  locationId: string;
  plan: Plan;
  accountCreatedAt: number;
  stillHappeningS: number;
  armedMode: ArmedMode;
  pending: PendingTrigger | null;
  incident: Incident | null;
  /** Of the open incident, if it is due to count as unanswered; else null. */
  chances: Chances | null;
  /** Of the open incident, if whoever acknowledged it is to be asked again; else null. */
  ageing: AgeingFacts | null;
  /** The number of the open incident; null if none is open. */
  incidentSeq: number | null;
  /** Whether actions of it wait in the queue. */
  queue: 'some' | 'none';
  /** Of what is read here: see LockedSource. */
  version: string;
}

/**
 * Selects the newest version of a source's state: found at once, however many old versions wait to be vacuumed, as they
 * do while somebody holds a snapshot open. `of`: the table that names the source by `account_id` and `id`.
 */
export function newestState(columns: string, of: string, id = 'id'): string {
  return `SELECT ${columns} FROM source_state x WHERE x.account_id || x.source_id = ${of}.account_id || ${of}.${id}
  ORDER BY x.version DESC LIMIT 1`;
}

/** A source that is locked until the end of the transaction. */
export interface LockedSource extends Pick<SourceRow, 'seq' | 'now' | 'queue'> {
  /**
   * Changes with whatever SourceRow shows, but for the journal's own writes to an incident: the version of its state, which all others
   * who write one of its incidents move (touchSources), and the version of its account.
   */
  version: string;
}

/** LockedSource's version of the source `s` with the state `st`. */
const VERSION = `st.version || '/' || (SELECT v.version FROM account_version v WHERE v.account_id = s.account_id)`;

/** Whether actions of the source `s` wait in the queue. */
const QUEUE = "coalesce((SELECT 'some' FROM queued_action q WHERE q.source_seq = s.seq LIMIT 1), 'none')";

const lockStatement: Statement<LockedSource> = {
  name: 'lock_sources',
  text: `
SELECT s.seq::float8 AS seq, ${ms('t.now')} AS now, ${VERSION} AS version, ${QUEUE} AS queue
FROM unnest($1::bigint[]) AS wanted (seq)
CROSS JOIN (SELECT tocsin_now() AS now) t
JOIN source s ON s.seq = wanted.seq
CROSS JOIN LATERAL (${newestState('version', 's')} FOR NO KEY UPDATE SKIP LOCKED) st`,
};

/** Locks the sources with these numbers until the end of the transaction. Returns those nobody else holds. */
export async function lockSources(db: Connection, seqs: readonly number[]): Promise<ReadonlyMap<number, LockedSource>> {
  if (seqs.length === 0) return new Map();
  return new Map((await run(db, lockStatement, [`{${seqs.join()}}`])).map(locked => [locked.seq, locked]));
}

const touchStatement: Statement<never> = {
  name: 'touch_sources',
  text: `
UPDATE source_state st SET version = nextval('source_state_version')
FROM unnest($1::bigint[]) AS wanted (seq)
JOIN source s ON s.seq = wanted.seq
CROSS JOIN LATERAL (${newestState('ctid', 's')}) o
WHERE st.ctid = o.ctid`,
};

/**
 * Gives the state of sources another version, since their open incident was written: the journal, which remembers it, reads them anew.
 * Call it while they are locked.
 */
export async function touchSources(db: Connection, seqs: readonly number[]): Promise<void> {
  if (seqs.length > 0) await run(db, touchStatement, [`{${seqs.join()}}`]);
}

/** A source as it is read: the fields of its open incident begin with `incident.`, and are null if there is none. */
type ReadSource = Omit<SourceRow, 'incident'> & { [Field in keyof Incident as `incident.${Field}`]: Incident[Field] };

/**
 * Reads the open incident as columns, which costs Postgres half of what JSON would. OFFSET 0 makes it look up each row
 * by its own key; joined freely, it might walk all sources of an account for each of them.
 */
const sourcesStatement: Statement<ReadSource> = {
  name: 'read_sources',
  text: `
SELECT ${ms('t.now')} AS now, a.id AS "accountId", a.seq::float8 AS "accountSeq", s.id, s.seq::float8 AS seq, s.kind, s.name,
  ${DISABLED} AS disabled, s.clear_on_disarm AS "clearOnDisarm", s.response_kind AS "responseKind",
  s.response_text AS "responseText",
  s.location_id AS "locationId", a.plan, ${ms('a.created_at')} AS "accountCreatedAt",
  a.still_happening_s AS "stillHappeningS", st.armed_mode AS "armedMode",
  CASE WHEN st.pending_id IS NOT NULL THEN json_build_object('id', st.pending_id::text, 'dueAt', ${ms('st.pending_due_at')},
    'mode', st.pending_mode, 'traceId', st.pending_trace_id, 'environment', st.pending_environment,
    'triggerCount', st.pending_count, 'lastTriggerAt', ${ms('st.pending_last_at')},
    'trippedKeys', coalesce(st.pending_tripped_keys, '[]'), 'silentSince', ${ms('st.pending_silent_since')}) END AS pending,
  CASE WHEN i.looks_at <= t.now THEN ${CHANCES} END AS chances,
  CASE WHEN i.asks_again_at <= t.now THEN ${AGEING} END AS ageing,
  i.seq::float8 AS "incidentSeq", ${fieldsOf(INCIDENT, 'i', 'incident.')},
  ${QUEUE} AS queue, ${VERSION} AS version
FROM unnest($1::bigint[]) AS wanted (seq)
CROSS JOIN (SELECT tocsin_now() AS now) t
JOIN source s ON s.seq = wanted.seq
CROSS JOIN LATERAL (SELECT * FROM account a WHERE a.id = s.account_id OFFSET 0) a
CROSS JOIN LATERAL (${newestState('*', 's')}) st
LEFT JOIN LATERAL (
  SELECT * FROM incident i WHERE i.account_id = s.account_id AND i.source_id = s.id AND i.status = 'open' OFFSET 0
) i ON true`,
};

/**
 * Returns the sources with these numbers. Run it after locking them, so that it sees what their last holders committed.
 */
export async function readSources(db: Connection, seqs: readonly number[]): Promise<SourceRow[]> {
  if (seqs.length === 0) return [];
  const read = await run(db, sourcesStatement, [`{${seqs.join()}}`]);
  return read.map(row => Object.assign(row, { incident: row.incidentSeq === null ? null : incidentOf(row) }));
}

/** Written out, since every transaction does this for all its sources: by names it takes ten times as long. */
function incidentOf(row: ReadSource): Incident {
  return {
    id: row['incident.id'],
    mode: row['incident.mode'],
    environment: row['incident.environment'],
    openedAt: row['incident.openedAt'],
    windowEndedAt: row['incident.windowEndedAt'],
    outcome: row['incident.outcome'],
    escalationEndsAt: row['incident.escalationEndsAt'],
    acknowledgedAt: row['incident.acknowledgedAt'],
    acknowledgedBy: row['incident.acknowledgedBy'],
    acknowledgedVia: row['incident.acknowledgedVia'],
    acknowledgedContactId: row['incident.acknowledgedContactId'],
    closedAt: row['incident.closedAt'],
    closeReason: row['incident.closeReason'],
    triggerCount: row['incident.triggerCount'],
    lastTriggerAt: row['incident.lastTriggerAt'],
    trippedKeys: row['incident.trippedKeys'],
    silentSince: row['incident.silentSince'],
    traceId: row['incident.traceId'],
    handedOver: row['incident.handedOver'],
    handedTo: row['incident.handedTo'],
    askAgainAfterS: row['incident.askAgainAfterS'],
    askedAgain: row['incident.askedAgain'],
    asksAgainAt: row['incident.asksAgainAt'],
  };
}
