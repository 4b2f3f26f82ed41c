import pg from 'pg';
import { targetOf } from './hosts.ts';

/**
 * Returns the `options` of a connection that protect the others: no statement and no open transaction holds a row for
 * long, and a client that vanished is noticed. They also guarantee durable commits (Commits). `statementMs`: the
 * statement timeout in milliseconds.
 */
export function session(statementMs: number, commits: CommitSetting = 'on', plans: Plans = 'by_estimate'): string {
  const limits = [`-c statement_timeout=${statementMs}`, `-c synchronous_commit=${commits}`];
  return [...OWN_VALUES, ...limits, ...PROMISES, ...(plans === 'by_index' ? BY_INDEX : [])].join(' ');
}

/** How statements are planned: by cost estimates, or always by index (BY_INDEX). */
export type Plans = 'by_estimate' | 'by_index';

/**
 * Returns the `options` of a connection that migrates: no statement timeout, because tables may be large, and plans for
 * whole tables; but a short lock timeout, because everybody else queues up behind a waiting lock.
 */
export function migratingSession(): string {
  return [...OWN_VALUES, '-c statement_timeout=0', `-c lock_timeout=${LOCK_MS}`, ...PROMISES].join(' ');
}

/** Less than an accept may take (1.2 s). */
const LOCK_MS = 700;

/**
 * What a server, a database or a role may be set to otherwise (postgresql.conf, `ALTER DATABASE … SET`, `ALTER ROLE … SET`), and
 * what every statement here relies on: how values are read and written, where tables are, what a transaction sees, and that
 * nothing but our own limits ends it. First in the options: what follows may differ.
 */
export const OWN_VALUES: readonly string[] = [
  '-c search_path=public',
  '-c datestyle=ISO,MDY',
  '-c intervalstyle=postgres',
  '-c timezone=UTC',
  '-c bytea_output=hex',
  '-c extra_float_digits=1',
  '-c standard_conforming_strings=on',
  '-c array_nulls=on',
  '-c transform_null_equals=off',
  '-c quote_all_identifiers=off',
  '-c default_transaction_isolation=read\\ committed',
  '-c default_transaction_deferrable=off',
  '-c lock_timeout=0',
  '-c idle_session_timeout=0',
];

const PROMISES = [
  '-c idle_in_transaction_session_timeout=10s',
  '-c tcp_keepalives_idle=10',
  '-c tcp_keepalives_interval=5',
  '-c tcp_keepalives_count=3',
  // A role may be configured to receive errors only; the warning that a standby may lack a commit must get through
  // (statement.ts).
  '-c client_min_messages=warning',
];

/**
 * The statements of the hot path find their rows by an index, few at a time. Without these settings the planner would
 * learn from a small database to read whole tables, keep that plan, and be slow on the day ten thousand alarms are
 * added.
 */
const BY_INDEX = [
  '-c plan_cache_mode=force_generic_plan',
  '-c enable_seqscan=off',
  '-c enable_hashjoin=off',
  '-c enable_mergejoin=off',
  '-c jit=off',
];

/** When a session considers a commit done: once durable here, or once applied by the standbys too. */
export type CommitSetting = 'on' | 'remote_apply';

/**
 * Returns the commit setting for sessions: durable even if the server's own setting is laxer, the server's own if that
 * is stricter. A 202 must survive a power failure.
 */
export function commitsOf(url: string): Promise<CommitSetting> {
  const options = [...OWN_VALUES, '-c statement_timeout=2s'].join(' ');
  return onOwnConnection(url, options, async client => {
    const { rows } = await client.query<{ synchronous_commit: string }>('SHOW synchronous_commit');
    return rows[0]!.synchronous_commit === 'remote_apply' ? 'remote_apply' : 'on';
  });
}

/** Whether a connection keeps its session, or a pooler lends it another session for each transaction. */
export type Sessions = 'kept' | 'not_kept';

/**
 * Checks whether a connection's settings hold and whether it keeps its session while another one is busy. All locks,
 * limits and prepared statements rely on that.
 */
export function sessionsOf(url: string): Promise<Sessions> {
  const marked = session(2_000, 'on', 'by_index');
  return onOwnConnection(url, marked, async one => {
    const began = await lookAt(one);
    if (began.plans !== 'force_generic_plan') return 'not_kept';
    return onOwnConnection(url, marked, async other => {
      // A pooler would lend this connection the session used last, that of the first.
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

/** Lends a connection that is opened for `ask` alone. `options`: the settings of its session. */
export async function onOwnConnection<T>(
  url: string,
  options: string | undefined,
  ask: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...targetOf(url), options, connectionTimeoutMillis: 2_000 });
  // A stopping server ends the connection; the pending query reports that.
  client.on('error', () => {});
  try {
    await client.connect();
    return await ask(client);
  } finally {
    await client.end().catch(() => {});
  }
}
