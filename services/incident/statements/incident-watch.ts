import { type Connection, run, type Statement } from '../../store/statement.ts';

/** The entries of an account above a floor, with the transactions under way when they were read. */
export interface EntriesRead {
  /** The oldest transaction under way, and the next one to begin. */
  oldest: string;
  next: string;
  newest: string;
  entries: [id: string, incidentId: string][];
}

const entriesStatement: Statement<EntriesRead> = {
  name: 'entries_above',
  text: `
SELECT pg_snapshot_xmin(t.now)::text AS oldest, pg_snapshot_xmax(t.now)::text AS next,
  coalesce((SELECT max(id) FROM incident_entry WHERE account_id = $1), 0)::text AS newest,
  coalesce((
    SELECT json_agg(json_build_array(e.id::text, e.incident_id) ORDER BY e.id) FROM incident_entry e
    WHERE e.account_id = $1 AND e.id > $2::bigint
  ), '[]') AS entries
FROM (SELECT pg_current_snapshot() AS now) t`,
};

/** The id below the account's newest $2 entries. */
const floorStatement: Statement<{ floor: string }> = {
  name: 'entries_floor',
  text: `
SELECT coalesce((
  SELECT id FROM incident_entry WHERE account_id = $1 ORDER BY id DESC OFFSET $2::int LIMIT 1
), 0)::text AS floor`,
};

/** An incident with a fingerprint that differs as soon as anything about it or its deliveries does. */
export interface IncidentPrint {
  id: string;
  status: 'open' | 'closed';
  print: string;
}

const PRINT = `
SELECT i.id, i.status, md5(concat_ws('|', i.status, i.outcome, i.trigger_count, i.last_trigger_at, i.acknowledged_at,
  i.escalation_ends_at, i.unreached_at, (
    SELECT string_agg(concat_ws(':', d.id, d.status, d.attempt, d.due_at,
      CASE WHEN d.audited IN ('late', 'overdue', 'missed') THEN d.audited END), ',' ORDER BY d.seq) FROM delivery d
    WHERE d.account_id = i.account_id AND d.incident_id = i.id
  ))) AS print
FROM incident i
WHERE i.account_id = $1 AND i.environment <> 'drill' AND ($2 = '' OR i.source_id = $2)`;

const printsStatement: Statement<IncidentPrint> = {
  name: 'incident_prints',
  text: `${PRINT} AND i.status = 'open' UNION ALL ${PRINT} AND i.status = 'closed' AND i.id = ANY ($3::text[])`,
};

const latestClosedStatement: Statement<{ id: string }> = {
  name: 'latest_closed',
  text: `
SELECT id FROM incident WHERE account_id = $1 AND environment <> 'drill' AND ($2 = '' OR source_id = $2) AND status = 'closed'
ORDER BY opened_at DESC, id DESC LIMIT $3`,
};

export async function readEntriesAbove(db: Connection, accountId: string, floor: bigint): Promise<EntriesRead> {
  const [row] = await run(db, entriesStatement, [accountId, String(floor)]);
  return row!;
}

export async function floorBelowNewest(db: Connection, accountId: string, entries: number): Promise<bigint> {
  const [row] = await run(db, floorStatement, [accountId, entries]);
  return BigInt(row!.floor);
}

/**
 * Returns the fingerprints of all open incidents and of the closed ones asked for; of one source if `sourceId` is not
 * empty.
 */
export function readPrints(db: Connection, accountId: string, sourceId: string, closed: readonly string[]) {
  return run(db, printsStatement, [accountId, sourceId, closed]);
}

export async function latestClosed(db: Connection, accountId: string, sourceId: string, limit: number) {
  return (await run(db, latestClosedStatement, [accountId, sourceId, limit])).map(({ id }) => id);
}
