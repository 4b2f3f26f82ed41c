import { ACCEPTING_FOR_MS } from '../../domain/supervision.ts';
import { ms } from '../columns.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/**
 * Since when the deployment accepts calls without a break: since the process that does so for longest began, but not
 * before its clock was set or another server took the database over; since now, where none does. DECISIONS.md "Supervised
 * senders".
 */
export const ACCEPTING_SINCE = `greatest(
    coalesce(
      (SELECT min(a.since) FROM accepting a WHERE a.until > tocsin_now() - interval '${ACCEPTING_FOR_MS} milliseconds'),
      tocsin_now()
    ),
    (SELECT c.stepped_at FROM clock c ORDER BY c.id DESC LIMIT 1),
    (SELECT max(o.at) FROM takeover o))`;

/** A silent mark is not needed after a day: it only counts while it is fresh. A crash that takes one along costs nothing. */
const markStatement: Statement<{ since: number; now: number }> = {
  name: 'mark_accepting',
  text: `
WITH n AS MATERIALIZED (SELECT tocsin_now() AS now, set_config('synchronous_commit', 'off', true) AS commits),
gone AS (DELETE FROM accepting a USING n WHERE a.until < n.now - interval '1 day' AND a.process <> $1),
mark AS (
  INSERT INTO accepting AS a (process, since, until) SELECT $1, n.now, n.now FROM n
  ON CONFLICT (process) DO UPDATE SET until = EXCLUDED.until,
    since = CASE WHEN $2::boolean THEN EXCLUDED.since ELSE a.since END
  RETURNING a.since
)
SELECT ${ms('m.since')} AS since, ${ms('n.now')} AS now FROM mark m, n`,
};

/** Says that a process accepts calls; `anew`: there was a break since it last said so. Returns since when it does, and the time. */
export async function markAccepting(db: Connection, process: string, how: 'on' | 'anew') {
  const [row] = await run(db, markStatement, [process, how === 'anew']);
  return row!;
}

const endStatement: Statement<object> = {
  name: 'end_accepting',
  text: 'DELETE FROM accepting WHERE process = $1',
};

export async function endAccepting(db: Connection, process: string): Promise<void> {
  await run(db, endStatement, [process]);
}
