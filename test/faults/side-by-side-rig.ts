import { randomBytes } from 'node:crypto';
import pg, { type Pool } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { LOCKS } from '../../services/store/lock.ts';
import { newOwner } from '../support/console.ts';
import { dropDatabase, makeDatabase } from '../support/database.ts';
import { loadHistory, nothingUndone, type Rows } from '../support/history/load.ts';
import { calledBy, type Recording, startRecord } from '../support/history/record.ts';
import type { History } from '../support/history.ts';
import { eventually } from '../support/wait.ts';
import { type Product, type Ready, startProduct } from './product.ts';

/** One of two processes of the whole product that share a database. */
export interface Beside {
  product: Product;
  ready: Ready;
  /** The user of its database sessions, by which the database knows whose they are. */
  user: string;
  /** Whose a key is, and what was called with it at either. */
  owners: Map<string, string>;
  record: Recording;
}

export interface Pair {
  both: [Beside, Beside];
  pool: Pool;
  account(): Promise<SharedAccount>;
  /**
   * Keeps whoever applies in the middle of its transaction, and says who that is; the function given lets it go on. Something
   * has to wait to be applied meanwhile.
   */
  stuckApplying(): Promise<{ victim: Beside; other: Beside; letGo(): Promise<void> }>;
  /** Waits until every one of these calls is applied. */
  applied(traceIds: readonly string[], within?: number): Promise<void>;
  /** All that was called so far, for the checker, once nothing is left to do. */
  history(): Promise<History>;
}

export interface SharedAccount {
  id: string;
  key: string;
  alarm(options?: { onlyWhenArmed?: boolean }): Promise<string>;
}

/** The answer of an action of /v1. */
export interface Answered {
  status: number;
  traceId: string;
}

const SECRETS = {
  KEY_PEPPER: 'p'.repeat(32),
  DATA_KEY: '0'.repeat(64),
  CONSOLE_TOKEN: 'tcn_the-operators-token-in-these-tests',
};

/** Starts both on an empty database of the server of the tests; they end with the test. */
export async function startPair(): Promise<Pair> {
  const postgresUrl = inject('postgresUrl');
  const name = `beside_${newId()}`;
  const url = await makeDatabase(postgresUrl, { name, from: 'template0' });
  const users = [`one_${newId()}`, `two_${newId()}`];
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on('error', () => {});
  onTestFinished(async () => {
    await pool.end();
    await dropDatabase(postgresUrl, name);
    const client = new pg.Client({ connectionString: postgresUrl });
    await client.connect();
    for (const user of users) await client.query(`DROP ROLE ${user}`);
    await client.end();
  });
  const start = async (user: string) => {
    const password = randomBytes(16).toString('hex');
    await pool.query(`CREATE ROLE ${user} LOGIN SUPERUSER PASSWORD '${password}'`);
    const own = new URL(url);
    own.username = user;
    own.password = password;
    return { user, product: startProduct({ ...SECRETS, DATABASE_URL: own.href }) };
  };
  const [one, two] = [await start(users[0]!), await start(users[1]!)];
  const common = { owners: new Map<string, string>(), record: startRecord() };
  const both: Pair['both'] = [
    { ...one, ...common, ready: await one.product.ready() },
    { ...two, ...common, ready: await two.product.ready() },
  ];
  const rows: Rows = async (sql, values = []) => (await pool.query(sql, values)).rows;

  return {
    both,
    pool,
    async account() {
      const { accountId: id, console } = await newOwner({ rpcUrl: both[0].ready.rpc, operator: SECRETS.CONSOLE_TOKEN });
      const { location } = await console.locations.createLocation({ location: { name: 'Home' } });
      const { secret: key } = await console.apiKeys.createApiKey({ apiKey: { label: 'Panel' } });
      common.owners.set(key, id);
      return {
        id,
        key,
        async alarm({ onlyWhenArmed = false } = {}) {
          const made = { name: 'An alarm', locationId: location!.id, onlyWhenArmed };
          return (await console.alarms.createAlarm({ alarm: made })).alarm!.id;
        },
      };
    },
    async stuckApplying() {
      const holder = await pool.connect();
      // Accepting reads the cursor, applying writes it at its end.
      await holder.query('BEGIN; LOCK TABLE journal_cursor IN SHARE MODE');
      const user = await eventually(() => stuckUser(pool), { what: 'somebody to apply' });
      const victim = both.find(beside => beside.user === user)!;
      const other = both.find(beside => beside !== victim)!;
      return {
        victim,
        other,
        async letGo() {
          await holder.query('COMMIT');
          holder.release();
        },
      };
    },
    async applied(traceIds, within = 15_000) {
      const sql = 'SELECT DISTINCT trace_id FROM call_log WHERE trace_id = ANY ($1::uuid[]) AND applied_at IS NOT NULL';
      await eventually(async () => (await rows(sql, [traceIds])).length === traceIds.length, {
        what: `${traceIds.length} accepted calls to be applied`,
        within,
      });
    },
    async history() {
      await nothingUndone(rows);
      return loadHistory(rows, { ...common.record }, { since: common.record.since });
    },
  };
}

/** Whose transaction holds the lock of those who apply, and waits for the cursor. */
async function stuckUser(pool: Pool): Promise<string | null> {
  const { rows } = await pool.query<{ usename: string }>(
    `SELECT a.usename FROM pg_stat_activity a
     JOIN pg_locks held ON held.pid = a.pid AND held.locktype = 'advisory' AND held.granted
       AND (held.classid::bigint << 32) + held.objid::bigint = $1
     JOIN pg_locks waits ON waits.pid = a.pid AND NOT waits.granted
     WHERE a.datname = current_database()`,
    [LOCKS.apply],
  );
  return rows[0]?.usename ?? null;
}

/** An action of /v1 at the door of one of them. */
export function act({ ready, owners, record }: Beside, key: string, path: string): Promise<Answered> {
  return record.call(calledBy(path, owners.get(key)!), async () => {
    const response = await fetch(`${ready.http}/v1/${path}`, { headers: { 'x-api-key': key } });
    const { traceId } = (await response.json()) as { traceId: string };
    return { status: response.status, traceId };
  });
}
