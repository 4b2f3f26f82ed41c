import pg from 'pg';

/**
 * What every connection promises the others: no statement and no open transaction holds a row for long, and a client
 * that vanished without a word is noticed; and that what was committed is kept (Commits). As the `options` of a
 * connection; the limit of a statement in milliseconds.
 */
export function session(statementMs: number, commits: Commits = 'on', plans: Plans = 'by_estimate'): string {
  const limits = [`-c statement_timeout=${statementMs}`, `-c synchronous_commit=${commits}`];
  return [...limits, ...PROMISES, ...(plans === 'by_index' ? BY_INDEX : [])].join(' ');
}

/** How statements are planned: as Postgres estimates what is cheapest, or each row by its index (BY_INDEX). */
export type Plans = 'by_estimate' | 'by_index';

/**
 * What the connections that migrate say: a statement may take as long as the tables are large, and plans are made for whole
 * tables; but nobody waits long for a table that a call wants too, for whoever waits has all others wait behind it.
 */
export function migratingSession(): string {
  return ['-c statement_timeout=0', `-c lock_timeout=${LOCK_MS}`, ...PROMISES].join(' ');
}

/** Less than an accept may take (1.2 s). */
const LOCK_MS = 700;

const PROMISES = [
  '-c idle_in_transaction_session_timeout=10s',
  '-c tcp_keepalives_idle=10',
  '-c tcp_keepalives_interval=5',
  '-c tcp_keepalives_count=3',
  '-c timezone=UTC',
  // A role may be set to hear errors only; the warning that a standby may lack what was committed must be heard (statement.ts).
  '-c client_min_messages=warning',
  // Which words of deliveries it knows: the version before knows others (migrations/20261123-words.ts).
  '-c tocsin.words=acknowledged',
];

/**
 * The statements of the hot path find their rows by an index, few at a time. Without these the planner would learn from a
 * small database to read whole tables, keep that plan, and be slow on the day on which ten thousand alarms are added.
 */
const BY_INDEX = [
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
export function commitsOf(url: string): Promise<Commits> {
  return onOwnConnection(url, undefined, async client => {
    const { rows } = await client.query<{ synchronous_commit: string }>('SHOW synchronous_commit');
    return rows[0]!.synchronous_commit === 'remote_apply' ? 'remote_apply' : 'on';
  });
}

/** Whether a connection is one session of the server, or a pooler lends it another session for each transaction. */
export type Sessions = 'kept' | 'not_kept';

/**
 * Looks whether what a connection sets as it begins holds, and whether it keeps its session while another one is busy. All
 * locks, limits and prepared statements stand on that.
 */
export function sessionsOf(url: string): Promise<Sessions> {
  const marked = session(2_000, 'on', 'by_index');
  return onOwnConnection(url, marked, async one => {
    const began = await lookAt(one);
    if (began.plans !== 'force_generic_plan') return 'not_kept';
    return onOwnConnection(url, marked, async other => {
      // A pooler lends this one the session that was used last: that of the first.
      await other.query('BEGIN');
      const [busy, now] = [await lookAt(other), await lookAt(one)];
      return busy.pid === began.pid || now.pid !== began.pid ? 'not_kept' : 'kept';
    });
  });
}

async function lookAt(client: pg.Client): Promise<{ pid: number; plans: string }> {
  const { rows } = await client.query<{ pid: number; plans: string }>(
    "SELECT pg_backend_pid() AS pid, current_setting('plan_cache_mode') AS plans",
  );
  return rows[0]!;
}

async function onOwnConnection<T>(
  url: string,
  options: string | undefined,
  ask: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, options, connectionTimeoutMillis: 2_000 });
  // A server that stops ends the connection; the question that waits on it is what fails.
  client.on('error', () => {});
  try {
    await client.connect();
    return await ask(client);
  } finally {
    await client.end().catch(() => {});
  }
}
