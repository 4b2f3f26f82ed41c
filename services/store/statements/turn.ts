import { FAILING_AFTER } from '../../domain/delivery.ts';
import type { Queue, Turn } from '../../domain/turns.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/** A table whose messages are leased. Its indexes are in schema/messages.ts and schema/notices.ts. */
export interface TurnTable {
  name: 'delivery' | 'notice_delivery';
  /**
   * Channel, slash and account, exactly as indexed. It is one expression, so that no plan searches everything due for
   * one account.
   */
  line: string;
  /** The channel of a message; notices have one of their own. */
  channel: string;
  /** Whether a message is the first of an incident. */
  first: string;
  /** When a message was planned. */
  plannedAt: string;
}

/** A condition: the message is tried on after two failed attempts (domain/delivery.ts). Exactly as indexed. */
export const FAILING = `tries >= ${FAILING_AFTER}`;

/** Whether a message is `fresh` or `failing`, exactly as indexed. */
export const STANDING = `((CASE WHEN tries < ${FAILING_AFTER} THEN 'fresh' ELSE 'failing' END) COLLATE "C")`;

/** What an account has due on a channel. */
export interface DueQueue extends Queue {
  /** When its oldest scheduled message is due; null if it has only messages whose lease ran out. */
  since: string | null;
}

/** What is due on a channel. */
export interface DueMessages {
  /** By account, longest due first. If an account has very much due, only part of it is counted. */
  queues: DueQueue[];
  /** Milliseconds until the next message is due; null if none is scheduled. */
  inMs: number | null;
  /** Nothing was due before this time, in milliseconds since 1970: a quick look may start here. */
  since: number;
}

interface DueRow {
  accountId: string | null;
  first: number;
  failing: number;
  all: number;
  accountSince: string | null;
  inMs: number | null;
  since: number;
}

/** If fewer messages are due than this, all of them are read. */
const MANY = 200;

/** The most messages counted per account: more than any channel has places. */
const COUNTED = 300;

/** The most messages with an expired lease that are read. */
const LAPSED = 2_000;

/** In seconds. A message scheduled up to this long after it was due is still seen by a quick look. */
const LATE_S = 10;

/** Where a thorough look starts. */
const EVER = '-infinity';

/**
 * Returns the statement that finds what is due on the channel $2, by account, from the time $1 on. When little is due,
 * it reads all of it in the order of time. When much is due, most of it belongs to few accounts, and the others must
 * not wait behind them. A quick look then considers only accounts of what came due longest ago, of what came due just
 * now, and those in $3; its cost does not grow with what is due, nor with dead rows before $1. A thorough look, with
 * EVER as $1, steps through the index from one account to the next and so finds all of them.
 */
export function dueStatement({ name, line, channel, first }: TurnTable): Statement<DueRow> {
  const now = '(SELECT now FROM t)';
  const scheduled = `${name} WHERE status = 'scheduled' AND due_at >= $1`;
  const countOf = (some: string) =>
    `SELECT count(*) AS n FROM (
    SELECT FROM ${name} WHERE status = 'scheduled' AND ${line} = a.line AND due_at BETWEEN a.due_at AND ${now} AND ${some}
    LIMIT ${COUNTED}
  ) counted`;
  const isStanding = (standing: 'fresh' | 'failing') => `${STANDING} = '${standing}'`;
  return {
    name: `due_${name}`,
    text: `
WITH RECURSIVE t AS MATERIALIZED (SELECT tocsin_now() AS now),
oldest AS MATERIALIZED (
  SELECT account_id, due_at, ${first} AS is_first, ${FAILING} AS is_failing FROM ${scheduled} AND ${channel} = $2 AND due_at <= ${now}
  ORDER BY due_at, seq LIMIT ${MANY}
),
lapsed AS MATERIALIZED (
  SELECT account_id, lease_until FROM ${name}
  WHERE status = 'sending' AND ${channel} = $2 AND lease_until BETWEEN $1 AND ${now} ORDER BY lease_until LIMIT ${LAPSED}
),
look AS MATERIALIZED (
  SELECT CASE WHEN count(*) < ${MANY} THEN 'whole' WHEN $1 = '${EVER}' THEN 'thorough' ELSE 'quick' END AS kind FROM oldest
),
newest AS (
  SELECT account_id FROM ${scheduled} AND ${channel} = $2 AND due_at <= ${now} AND due_at > ${now} - make_interval(secs => ${LATE_S})
  ORDER BY due_at DESC LIMIT ${MANY}
),
seen AS (
  SELECT account_id, ($2 || '/' || account_id) COLLATE "C" AS line FROM (
    SELECT account_id FROM oldest UNION SELECT account_id FROM newest UNION SELECT unnest($3::text[])
  ) ids WHERE (SELECT kind FROM look) = 'quick'
),
every AS (
  SELECT '' AS account_id, ($2 || '/') COLLATE "C" AS line FROM look WHERE kind = 'thorough'
  UNION ALL
  SELECT next.* FROM every e CROSS JOIN LATERAL (
    SELECT account_id, ${line} AS line FROM ${scheduled} AND ${line} > e.line AND ${line} < ($2 || '0') COLLATE "C"
    ORDER BY ${line} LIMIT 1
  ) next
),
account AS (
  SELECT account_id, line, due_at FROM (SELECT * FROM every UNION ALL SELECT * FROM seen) known CROSS JOIN LATERAL (
    SELECT min(earliest.due_at) AS due_at FROM unnest(ARRAY['fresh', 'failing'] COLLATE "C") AS s (standing) CROSS JOIN LATERAL (
      SELECT due_at FROM ${scheduled} AND ${line} = known.line AND ${STANDING} = s.standing AND due_at <= ${now}
      ORDER BY due_at LIMIT 1
    ) earliest
  ) o WHERE due_at IS NOT NULL
),
queue AS (
  SELECT account_id, count(*) FILTER (WHERE is_first) AS first, count(*) FILTER (WHERE is_failing) AS failing,
    count(*) AS everything, min(due_at) AS since
  FROM oldest WHERE (SELECT kind FROM look) = 'whole' GROUP BY account_id
  UNION ALL
  SELECT a.account_id, f.n, again.n, fresh.n + again.n, a.due_at
  FROM account a CROSS JOIN LATERAL (${countOf(first)}) f CROSS JOIN LATERAL (${countOf(isStanding('failing'))}) again
  CROSS JOIN LATERAL (${countOf(isStanding('fresh'))}) fresh
  UNION ALL
  SELECT account_id, 0, 0, count(*), NULL FROM lapsed GROUP BY account_id
)
SELECT q.account_id AS "accountId", q.first, q.failing, q.all, q.since::text AS "accountSince",
  (extract(epoch FROM (SELECT min(due_at) FROM ${scheduled} AND ${channel} = $2 AND due_at > ${now}) - t.now) * 1000)::float8 AS "inMs",
  floor(extract(epoch FROM least(t.now, (SELECT min(due_at) FROM oldest), (SELECT min(lease_until) FROM lapsed))
    - make_interval(secs => ${LATE_S})) * 1000)::float8 AS since
FROM t LEFT JOIN (
  SELECT account_id, sum(first)::int AS first, sum(failing)::int AS failing, sum(everything)::int AS all, min(since) AS since FROM queue GROUP BY account_id
) q ON true
ORDER BY q.since`,
  };
}

/**
 * A thorough look (`the_beginning`), or a quick one: from the `since` of the look before, or from when something
 * earlier was scheduled, with the accounts that the look before found.
 */
export type LookFrom = 'the_beginning' | { since: number; waiting: readonly string[] };

/** Returns what is due on a channel. */
export async function findDue(
  db: Connection,
  statement: Statement<DueRow>,
  channel: string,
  from: LookFrom,
): Promise<DueMessages> {
  const { since, waiting } =
    from === 'the_beginning' ? { since: EVER, waiting: [] } : { ...from, since: timeOf(from.since) };
  const rows = await run(db, statement, [since, channel, waiting]);
  const [{ inMs, since: next }] = rows as [DueRow];
  const queues = rows.flatMap(({ accountId, first, failing, all, accountSince }) =>
    accountId === null ? [] : [{ accountId, first, failing, all, since: accountSince }],
  );
  return { queues, inMs, since: next };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * Returns CTEs that lock the rows whose turn it is, as `picked`: `columns`, `tid` to update them by, `way`, and
 * `lapsed`, 1 if a lease ran out. For each account first messages come first, newest first; then those whose lease ran
 * out, then all that are not failing, oldest first; failing ones beside them, newest first. Skips what another worker has
 * locked. Takes $1 to $7 (`turnValues`).
 */
export function pickedRows({ name, line, channel, first, plannedAt }: TurnTable, columns: string): string {
  const now = '(SELECT now FROM t)';
  const picks = `ctid AS tid, due_at, seq, ${columns}`;
  const due = `status = 'scheduled' AND ${line} = turn.line AND due_at BETWEEN turn.since AND ${now}`;
  return `
t AS MATERIALIZED (SELECT tocsin_now() AS now),
turn AS MATERIALIZED (
  SELECT *, ($6 || '/' || account_id) COLLATE "C" AS line
  FROM unnest($1::text[], $2::int[], $3::int[], $7::int[], $4::timestamptz[]) AS turn (account_id, first, others, failing, since)
),
newest_first AS (
  SELECT d.* FROM turn CROSS JOIN LATERAL (
    SELECT ${picks} FROM ${name} WHERE ${due} AND ${first}
    ORDER BY due_at DESC, seq LIMIT turn.first FOR NO KEY UPDATE SKIP LOCKED
  ) d
),
lapsing AS MATERIALIZED (
  SELECT account_id, ctid AS tid, lease_until FROM ${name}
  WHERE status = 'sending' AND ${channel} = $6 AND lease_until BETWEEN $5 AND ${now} ORDER BY lease_until LIMIT ${LAPSED}
),
lapsed AS (
  SELECT d.* FROM turn CROSS JOIN LATERAL (
    SELECT tid FROM lapsing WHERE account_id = turn.account_id ORDER BY lease_until LIMIT turn.others
  ) l CROSS JOIN LATERAL (
    SELECT ${picks} FROM ${name} WHERE ctid = l.tid AND status = 'sending' AND lease_until <= ${now}
    FOR NO KEY UPDATE SKIP LOCKED
  ) d
),
oldest AS (
  SELECT d.* FROM turn CROSS JOIN LATERAL (
    SELECT ${picks} FROM ${name} WHERE ${due} AND ${STANDING} = 'fresh'
    ORDER BY due_at, seq LIMIT turn.first + turn.others FOR NO KEY UPDATE SKIP LOCKED
  ) d
),
newest_failing AS (
  SELECT d.* FROM turn CROSS JOIN LATERAL (
    SELECT ${picks} FROM ${name} WHERE ${due} AND ${FAILING}
    ORDER BY ${plannedAt} DESC LIMIT turn.failing FOR NO KEY UPDATE SKIP LOCKED
  ) d
),
picked AS MATERIALIZED (
  SELECT ordered.* FROM (
    SELECT *, row_number() OVER (PARTITION BY account_id, way = 'failing' ORDER BY place, due_at, seq) AS nth FROM (
      SELECT DISTINCT ON (account_id, id) * FROM (
        SELECT *, 1 AS place, 'first' AS way, 0 AS lapsed FROM newest_first
        UNION ALL SELECT *, 2, 'others', 1 FROM lapsed
        UNION ALL SELECT *, 3, 'others', 0 FROM oldest
        UNION ALL SELECT *, 4, 'failing', 0 FROM newest_failing
      ) every ORDER BY account_id, id, place
    ) once
  ) ordered JOIN turn USING (account_id) WHERE way = 'failing' OR nth <= turn.first + turn.others
)`;
}

/** Returns $1 to $7 of `pickedRows`: whose turn it is on the channel, and the result of the look. */
export function turnValues(channel: string, turns: readonly Turn[], { queues, since }: DueMessages): unknown[] {
  const sinceOf = new Map(queues.map(queue => [queue.accountId, queue.since]));
  return [
    turns.map(({ accountId }) => accountId),
    turns.map(({ first }) => first),
    turns.map(({ others }) => others),
    turns.map(({ accountId }) => sinceOf.get(accountId) ?? null),
    timeOf(since),
    channel,
    turns.map(({ failing }) => failing),
  ];
}
