import type { ModeId } from '../domain/mode.ts';
import type { SourceKind } from '../domain/source.ts';
import { MODE_ORDER } from '../store/source-sql.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';
import { KEY_FAULT, READING_KEY } from '../store/statements/key.ts';

/** The key that a digest belongs to and why it may be invalid. No row at all: the digest is unknown. */
export interface KeyRow {
  accountId: string;
  keyId: string;
  keySeq: number;
  alarmId: string | null;
  /** Of its account; moves with whatever its keys see and reach, but not with the armed mode. */
  version: string;
  fault: 'key_revoked' | 'key_expired' | null;
}

/** A visible source with its place. */
export interface DescribedSource {
  locationId: string;
  locationName: string;
  id: string;
  kind: SourceKind;
  name: string;
  modes: { id: ModeId; name: string }[];
}

/** The visible sources, those of a location in a row. */
export interface DescribeRow extends KeyRow {
  sources: DescribedSource[];
}

/** The visible alarms in order, which of them are armed, and which have an open incident. */
export interface StateRow extends KeyRow {
  ids: string[];
  armed: Record<string, ModeId>;
  open: string[];
}

/** What a key reaches: enabled sources of its account, or its one alarm. */
const REACHED = `s.account_id = key."accountId" AND (key."alarmId" IS NULL OR s.id = key."alarmId")
  AND NOT s.disabled AND NOT s.deactivated AND key.fault IS NULL`;

const keyStatement: Statement<KeyRow> = { name: 'check_key', text: READING_KEY };

/**
 * In the order of creation; modes in the order home, away, night, vacation (DECISIONS.md "Lists"). As one value, which
 * takes the thread for half as long as ten thousand rows do.
 */
const describeStatement: Statement<DescribeRow> = {
  name: 'describe',
  text: `
WITH key AS (${READING_KEY})
SELECT key.*, coalesce((
  SELECT json_agg(json_build_object('locationId', l.id, 'locationName', l.name, 'id', s.id, 'kind', s.kind,
    'name', s.name, 'modes', coalesce((
      SELECT json_agg(json_build_object('id', m.id, 'name', m.name) ORDER BY ${MODE_ORDER})
      FROM mode m WHERE m.account_id = s.account_id AND m.source_id = s.id
    ), '[]')) ORDER BY l.seq, s.seq)
  FROM source s JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
  WHERE ${REACHED}
), '[]') AS sources
FROM key`,
};

/**
 * An incident whose auto-close is due counts as closed: the state never lags behind the clock. The parts are put together by who
 * asks and not by a join: planned without the statistics that a young table lacks, that reads one of its tables once for every row of the other.
 * $2: the version whose alarms are known already, or null.
 */
const stateStatement: Statement<Omit<StateRow, 'ids'> & { ids: string[] | null }> = {
  name: 'get_state',
  text: `
WITH key AS (${READING_KEY})
SELECT key.*,
  CASE WHEN key.version IS DISTINCT FROM $2::uuid OR key.fault IS NOT NULL
    THEN coalesce((SELECT json_agg(s.id ORDER BY s.seq) FROM source s WHERE ${REACHED} AND s.kind = 'alarm'), '[]')
  END AS ids,
  coalesce((
    SELECT json_object_agg(st.source_id, st.armed_mode) FROM source_state st
    WHERE st.account_id = key."accountId" AND (key."alarmId" IS NULL OR st.source_id = key."alarmId")
      AND st.armed_mode IS NOT NULL
  ), '{}') AS armed,
  coalesce((
    SELECT json_agg(i.source_id) FROM incident i
    WHERE i.account_id = key."accountId" AND (key."alarmId" IS NULL OR i.source_id = key."alarmId")
      AND i.status = 'open' AND i.auto_close_at > (SELECT tocsin_now())
  ), '[]') AS open
FROM key`,
};

export function readKey(db: Connection, digest: Buffer): Promise<KeyRow[]> {
  return run(db, keyStatement, [digest]);
}

export function readInventory(db: Connection, digest: Buffer): Promise<DescribeRow[]> {
  return run(db, describeStatement, [digest]);
}

/** `known`: alarms that need not be read again while the version of their account is the same. */
export async function readState(
  db: Connection,
  digest: Buffer,
  known: Pick<StateRow, 'version' | 'ids'> | null,
): Promise<StateRow[]> {
  const rows = await run(db, stateStatement, [digest, known?.version ?? null]);
  return rows.map(row => ({ ...row, ids: row.ids ?? known!.ids }));
}

const endedStatement: Statement<{ n: number }> = {
  name: 'ended_digests',
  text: `
SELECT d.n::int AS n
FROM unnest($1::bytea[]) WITH ORDINALITY AS d (digest, n)
CROSS JOIN (SELECT tocsin_now() AS now) t
LEFT JOIN api_key_secret x ON x.digest = d.digest
LEFT JOIN api_key k ON k.account_id = x.account_id AND k.id = x.key_id
WHERE (${KEY_FAULT}) IS NOT NULL
ORDER BY d.n`,
};

/**
 * Returns the places (from 0) of the digests that are not valid, in one statement for all. Reveals nothing else about
 * them.
 */
export async function endedDigests(db: Connection, digests: readonly Buffer[]): Promise<number[]> {
  if (digests.length === 0) return [];
  return (await run(db, endedStatement, [digests])).map(({ n }) => n - 1);
}

/** A key, as its uses are recorded. */
export interface KeyOfDigest {
  accountId: string;
  keyId: string;
}

const keysOfStatement: Statement<KeyOfDigest> = {
  name: 'keys_of_digests',
  text: `
SELECT DISTINCT k.account_id AS "accountId", k.id AS "keyId"
FROM unnest($1::bytea[]) AS d (digest)
CROSS JOIN (SELECT tocsin_now() AS now) t
JOIN api_key_secret x ON x.digest = d.digest
JOIN api_key k ON k.account_id = x.account_id AND k.id = x.key_id
WHERE (${KEY_FAULT}) IS NULL`,
};

/** Returns the valid keys that digests belong to, each once. */
export async function readKeysOf(db: Connection, digests: readonly Buffer[]): Promise<KeyOfDigest[]> {
  return digests.length === 0 ? [] : run(db, keysOfStatement, [digests]);
}

/** An account whose describe or state answer changed. */
export interface RecentChange {
  accountId: string;
  kind: 'inventory' | 'state';
}

/** Over all accounts, to signal every reader; its rows are shown to nobody. */
const recentStatement: Statement<RecentChange> = {
  name: 'recent_changes',
  text: `
WITH t AS (SELECT tocsin_now() - make_interval(secs => $1) AS since)
SELECT a.id AS "accountId", 'state' AS kind FROM account a JOIN (
  SELECT DISTINCT account_seq FROM logged_call WHERE applied_at >= (SELECT since FROM t)
) c ON c.account_seq = a.seq
UNION SELECT account_id, 'state' FROM incident_entry WHERE at >= (SELECT since FROM t)
UNION SELECT account_id, k.kind FROM audit CROSS JOIN (VALUES ('state'), ('inventory')) AS k (kind)
  WHERE at >= (SELECT since FROM t) AND audit.kind IN ('alarm', 'location', 'panic_button')
ORDER BY "accountId", kind`,
};

/** Returns what changed in the last so many seconds, according to the call log, the timelines and the audit. */
export function recentChanges(db: Connection, seconds: number): Promise<RecentChange[]> {
  return run(db, recentStatement, [seconds]);
}
