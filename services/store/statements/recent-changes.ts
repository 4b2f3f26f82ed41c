import { type Connection, run, type Statement } from '../statement.ts';

/** An account in which describe or state answers something else than before. */
export interface RecentChange {
  account_id: string;
  kind: 'inventory' | 'state';
}

/** Of all accounts: for those who tell every reader, and show nobody anything. */
const recentStatement: Statement<RecentChange> = {
  name: 'recent_changes',
  text: `
WITH t AS (SELECT tocsin_now() - make_interval(secs => $1) AS since)
SELECT a.id AS account_id, 'state' AS kind FROM account a JOIN (
  SELECT DISTINCT account_seq FROM logged_call WHERE applied_at >= (SELECT since FROM t)
) c ON c.account_seq = a.seq
UNION SELECT account_id, 'state' FROM incident_entry WHERE at >= (SELECT since FROM t)
UNION SELECT account_id, k.kind FROM audit CROSS JOIN (VALUES ('state'), ('inventory')) AS k (kind)
  WHERE at >= (SELECT since FROM t) AND audit.kind IN ('alarm', 'location', 'panic_button')
ORDER BY account_id, kind`,
};

/** What changed in the last so many seconds, as the log of calls, the timelines and the audit have it. */
export function recentChanges(on: Connection, seconds: number): Promise<RecentChange[]> {
  return run(on, recentStatement, [seconds]);
}
