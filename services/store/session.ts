import pg from 'pg';

/**
 * What every connection promises the others: no statement and no open transaction holds a row for long, and a client
 * that vanished without a word is noticed; and that what was committed is kept (Commits). As the `options` of a
 * connection; the limit of a statement in milliseconds.
 */
export function session(statementMs: number, commits: Commits = 'on'): string {
  return [`-c statement_timeout=${statementMs}`, `-c synchronous_commit=${commits}`, ...PROMISES, ...FIXED_PLANS].join(
    ' ',
  );
}

const PROMISES = [
  '-c idle_in_transaction_session_timeout=10s',
  '-c tcp_keepalives_idle=10',
  '-c tcp_keepalives_interval=5',
  '-c tcp_keepalives_count=3',
  '-c timezone=UTC',
  // A role may be set to hear errors only; the warning that a standby may lack what was committed must be heard (statement.ts).
  '-c client_min_messages=warning',
];

/**
 * Every statement here finds its rows by an index, few at a time. Without these the planner would learn from a small
 * database to read whole tables, keep that plan, and be slow on the day on which ten thousand alarms are added.
 */
const FIXED_PLANS = [
  '-c plan_cache_mode=force_generic_plan',
  '-c enable_seqscan=off',
  '-c enable_hashjoin=off',
  '-c enable_mergejoin=off',
  '-c jit=off',
];

/** What a session takes for a commit: durable here, or applied by the standbys too. */
export type Commits = 'on' | 'remote_apply';

/**
 * What every session says about its commits: durable, even where the server's own setting is laxer; the server's own where
 * that is stricter. A 202 must not be lost with the power.
 */
export async function commitsOf(url: string): Promise<Commits> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ synchronous_commit: string }>('SHOW synchronous_commit');
    return rows[0]!.synchronous_commit === 'remote_apply' ? 'remote_apply' : 'on';
  } finally {
    await client.end().catch(() => {});
  }
}
