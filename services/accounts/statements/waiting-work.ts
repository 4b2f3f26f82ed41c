import { CHANNELS } from '../../domain/delivery.ts';
import { type Connection, run, type Statement } from '../../store/statement.ts';
import { FAILING, STANDING } from '../../store/statements/turn.ts';
import { countUnapplied, oldestUnappliedS } from '../../store/statements/unapplied.ts';

/** What waits. */
export interface WaitingWork {
  /** How many accepted calls are not applied yet. */
  calls: number;
  /** How long ago the oldest of them was accepted, in seconds; 0 if none waits. */
  unappliedS: number;
  /** How late the oldest due message is, in seconds; 0 if none is. One that is failing waits for its carrier. */
  overdueS: number;
}

const ofAllStatement: Statement<Pick<WaitingWork, 'overdueS'>> = {
  name: 'waiting_work_of_all',
  text: `
SELECT coalesce((SELECT greatest(0, extract(epoch FROM (SELECT tocsin_now()) - min(due_at)))::int
    FROM delivery WHERE status = 'scheduled' AND NOT ${FAILING} AND due_at <= (SELECT tocsin_now())), 0) AS "overdueS"`,
};

/** $1 account, $2 channels. A group of the journal holds calls of many accounts. */
const ofAccountStatement: Statement<WaitingWork> = {
  name: 'waiting_work_of_account',
  text: `
WITH t AS MATERIALIZED (SELECT tocsin_now() AS now),
waiting AS (
  SELECT accepted_at AS at, 1 AS calls FROM queued_action WHERE account_id = $1
  UNION ALL
  SELECT g.at, json_array_length(u.unit -> 3) FROM waiting_group g CROSS JOIN json_array_elements(g.calls) AS u (unit)
  JOIN source s ON s.account_id = $1 AND s.seq = (u.unit ->> 0)::bigint
),
due AS (
  SELECT d.due_at FROM unnest($2::text[]) AS c (channel) CROSS JOIN LATERAL (
    SELECT due_at FROM delivery
    WHERE status = 'scheduled' AND ((channel || '/' || account_id) COLLATE "C") = c.channel || '/' || $1::text
      AND ${STANDING} = 'fresh'
    ORDER BY due_at LIMIT 1
  ) d
)
SELECT coalesce(sum(calls), 0)::int AS calls,
  coalesce(greatest(0, extract(epoch FROM (SELECT now FROM t) - min(at))), 0)::float8 AS "unappliedS",
  coalesce((SELECT greatest(0, extract(epoch FROM (SELECT now FROM t) - min(due_at))) FROM due), 0)::int AS "overdueS"
FROM waiting`,
};

/** Returns what waits in one account; null: in all of them. */
export async function readWaitingWork(db: Connection, accountId: string | null): Promise<WaitingWork> {
  if (accountId !== null) return (await run(db, ofAccountStatement, [accountId, [...CHANNELS]]))[0]!;
  const [all] = await run(db, ofAllStatement, []);
  return { ...all!, calls: await countUnapplied(db), unappliedS: await oldestUnappliedS(db) };
}
