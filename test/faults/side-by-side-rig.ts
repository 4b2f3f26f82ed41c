import { randomBytes } from 'node:crypto';
import pg, { type Pool } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { LOCKS } from '../../services/store/lock.ts';
import { newOwner } from '../support/console.ts';
import { dropDatabase, makeDatabase } from '../support/database.ts';
import { eventually } from '../support/wait.ts';
import { type Product, type Ready, startProduct } from './product.ts';

/** One of two processes of the whole product that share a database. */
export interface Beside {
  product: Product;
  ready: Ready;
  /** The user of its database sessions, by which the database knows whose they are. */
  user: string;
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
  /** Waits until every one of these calls is applied; throws where one is applied twice. */
  appliedOnce(traceIds: readonly string[], within?: number): Promise<void>;
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
  const both: Pair['both'] = [
    { ...one, ready: await one.product.ready() },
    { ...two, ready: await two.product.ready() },
  ];

  return {
    both,
    pool,
    async account() {
      const { accountId: id, console } = await newOwner({ rpcUrl: both[0].ready.rpc, operator: SECRETS.CONSOLE_TOKEN });
      const { location } = await console.locations.createLocation({ location: { name: 'Home' } });
      const { secret: key } = await console.apiKeys.createApiKey({ apiKey: { label: 'Panel' } });
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
    async appliedOnce(traceIds, within = 15_000) {
      const sql =
        'SELECT trace_id, count(*)::int AS times FROM call_log WHERE trace_id = ANY ($1::uuid[]) AND applied_at IS NOT NULL GROUP BY 1';
      const found = async () => (await pool.query<{ trace_id: string; times: number }>(sql, [traceIds])).rows;
      await eventually(async () => (await found()).length === traceIds.length, {
        what: `${traceIds.length} accepted calls to be applied`,
        within,
      });
      const twice = (await found()).filter(({ times }) => times !== 1);
      if (twice.length > 0) throw new Error(`${twice.length} calls were applied more than once.`);
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
export async function act({ ready }: Beside, key: string, path: string): Promise<Answered> {
  const response = await fetch(`${ready.http}/v1/${path}`, { headers: { 'x-api-key': key } });
  const { traceId } = (await response.json()) as { traceId: string };
  return { status: response.status, traceId };
}
