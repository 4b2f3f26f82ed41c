import { ms } from '../columns.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { list, PLACES } from './journal.ts';

/** Calls of one source that were confirmed together, by the number of their group and the trace id of the first of them. */
export interface ConfirmedUnit {
  number: number;
  sourceSeq: number;
  traceId: string;
}

/** As a range, which the index answers: an account may have very many calls that wait. */
const inGroup = (row: string) => `${row}.id >= u.number * ${PLACES} AND ${row}.id < (u.number + 1) * ${PLACES}`;

/** A unit is stored or lost as a whole, and its calls keep their numbers wherever they are. */
const lostStatement: Statement<{ place: number }> = {
  name: 'lost_units',
  text: `
SELECT u.place::int AS place FROM unnest($1::bigint[], $2::bigint[], $3::uuid[]) WITH ORDINALITY AS u (number, source, trace, place)
WHERE NOT EXISTS (SELECT FROM journal j WHERE j.id = u.number AND strpos(j.calls::text, u.trace::text) > 0)
  AND NOT EXISTS (SELECT FROM queued_action q WHERE q.source_seq = u.source AND ${inGroup('q')} AND q.trace_id = u.trace)
  AND NOT EXISTS (SELECT FROM logged_call l WHERE l.source_seq = u.source AND ${inGroup('l')} AND l.trace_id = u.trace)
ORDER BY u.place`,
};

/** Returns the places of the units that the database does not have. */
export async function readLost(db: Connection, units: readonly ConfirmedUnit[]): Promise<number[]> {
  const rows = await run(db, lostStatement, [
    list(units.map(({ number }) => number)),
    list(units.map(({ sourceSeq }) => sourceSeq)),
    list(units.map(({ traceId }) => traceId)),
  ]);
  return rows.map(({ place }) => place - 1);
}

/** What calls are stored again by. */
export interface UnitStanding {
  /** The version of the account now; null if the account or its source is not there. */
  version: string | null;
  /** The numbers of keys, out of those asked about, that the account has. */
  keySeqs: number[];
}

/** By id and number: what was made in the time that is gone is gone with it, and others may have got its number. */
const standingStatement: Statement<UnitStanding> = {
  name: 'standing_of_units',
  text: `
SELECT CASE WHEN s.id IS NOT NULL THEN v.version END AS version,
  ARRAY(SELECT k.seq::float8 FROM api_key k WHERE k.account_id = u.account AND k.seq = ANY ($4::bigint[])) AS "keySeqs"
FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS u (account, id, seq, place)
LEFT JOIN source s ON s.account_id = u.account AND s.id = u.id AND s.seq = u.seq
LEFT JOIN account_version v ON v.account_id = u.account
ORDER BY u.place`,
};

/** Returns what stands of the accounts, sources and keys of units, in their order. */
export function readStanding(
  db: Connection,
  units: readonly { accountId: string; sourceId: string; sourceSeq: number }[],
  keySeqs: readonly number[],
): Promise<UnitStanding[]> {
  return run(db, standingStatement, [
    list(units.map(({ accountId }) => accountId)),
    list(units.map(({ sourceId }) => sourceId)),
    list(units.map(({ sourceSeq }) => sourceSeq)),
    list(keySeqs),
  ]);
}

/** A server that took the database over. Times are milliseconds since 1970. */
export interface Takeover {
  /** When it was noticed. */
  at: number;
  /** The last time that it had of the server before it; null if it had none. */
  knownUntil: number | null;
  /** How many calls were missing that a living process had confirmed: stored again, and given up. */
  storedAgain: number;
  notStored: number;
}

/** The timeline that the server writes on, which a promoted one begins. */
const TIMELINE = "('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int";

const noteStatement: Statement<{ knownUntil: number | null }> = {
  name: 'note_takeover',
  text: `
WITH noted AS (
  INSERT INTO takeover (timeline, at, known_until)
  SELECT ${TIMELINE}, CASE WHEN EXISTS (SELECT FROM takeover) THEN tocsin_now() END,
    (SELECT c.wall_at + c.ahead_ms * interval '1 millisecond' FROM clock c ORDER BY c.id DESC LIMIT 1)
  WHERE NOT EXISTS (SELECT FROM takeover WHERE timeline = ${TIMELINE})
  ON CONFLICT (timeline) DO NOTHING RETURNING at, known_until
)
SELECT ${ms('known_until')} AS "knownUntil" FROM noted WHERE at IS NOT NULL`,
};

/**
 * Notes which server this is. Returns what it had of the one before it, if this is the first look at it since it took over;
 * null otherwise. To be called before the clock is looked at there: what that left last is what the server had.
 */
export async function noteTakeover(db: Connection): Promise<{ knownUntil: number | null } | null> {
  const [noted] = await run(db, noteStatement, []);
  return noted ?? null;
}

const stampStatement: Statement<never> = {
  name: 'stamp_takeover',
  text: `UPDATE takeover SET at = tocsin_now() WHERE timeline = ${TIMELINE}`,
};

/** Says again when the takeover was noticed, once the clock of the server is put right. */
export async function stampTakeover(db: Connection): Promise<void> {
  await run(db, stampStatement, []);
}

/** Also where the database went back without a promotion, as from a snapshot of its machine. */
const countStatement: Statement<never> = {
  name: 'count_lost_calls',
  text: `
INSERT INTO takeover AS t (timeline, at, stored_again, not_stored) VALUES (${TIMELINE}, tocsin_now(), $1, $2)
ON CONFLICT (timeline) DO UPDATE SET at = tocsin_now(), stored_again = t.stored_again + $1, not_stored = t.not_stored + $2`,
};

/** Adds to what was lost in the last takeover. */
export async function countLostCalls(db: Connection, storedAgain: number, notStored: number): Promise<void> {
  await run(db, countStatement, [storedAgain, notStored]);
}

const lastStatement: Statement<Takeover> = {
  name: 'last_takeover',
  text: `
SELECT ${ms('at')} AS at, ${ms('known_until')} AS "knownUntil", stored_again AS "storedAgain", not_stored AS "notStored"
FROM takeover WHERE at IS NOT NULL ORDER BY at DESC LIMIT 1`,
};

/** Returns the last takeover; null if there was none. */
export async function readLastTakeover(db: Connection): Promise<Takeover | null> {
  const [last] = await run(db, lastStatement, []);
  return last ?? null;
}
