/**
 * What every connection promises the others: no statement and no open transaction holds a row for long, and a client
 * that vanished without a word is noticed. As the `options` of a connection; the limit of a statement in milliseconds.
 */
export function session(statementMs: number): string {
  return [`-c statement_timeout=${statementMs}`, ...PROMISES, ...FIXED_PLANS].join(' ');
}

const PROMISES = [
  '-c idle_in_transaction_session_timeout=10s',
  '-c tcp_keepalives_idle=10',
  '-c tcp_keepalives_interval=5',
  '-c tcp_keepalives_count=3',
  '-c timezone=UTC',
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
