import { type Connection, run, type Statement } from '../../store/statement.ts';

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
export function recentChanges(on: Connection, seconds: number): Promise<RecentChange[]> {
  return run(on, recentStatement, [seconds]);
}
