import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import type { Pool } from 'pg';
import { AccountService } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import { AlarmService } from '../../gen/tocsin/console/v1/alarms_pb.ts';

/** How long one page of a list takes, in milliseconds, while so many alarms are in the table. */
export interface Lists {
  alarms: number;
  pages: number;
  p50: number;
  p99: number;
}

/** Where the console of the product is, and the operator's token. */
export interface ConsoleDoor {
  rpcUrl: string;
  token: string;
}

const ALARMS = 100_000;

/** How many pages are timed: from the beginning, and from the middle and the end of the list. */
const PAGES = 100;

/** Fills an account with alarms and times pages of the usual size at the beginning, in the middle and at the end. */
export async function measureLists(pool: Pool, door: ConsoleDoor): Promise<Lists> {
  const transport = createConnectTransport({ baseUrl: door.rpcUrl, httpVersion: '1.1' });
  const asOperator = { authorization: `Bearer ${door.token}` };
  const accounts = createClient(AccountService, transport);
  const { account } = await accounts.createAccount({ account: { name: 'Lists' } }, { headers: asOperator });
  await fill(pool, account!.id);

  const alarms = createClient(AlarmService, transport);
  const as = { headers: { ...asOperator, 'x-tocsin-account': account!.id } };
  const took: number[] = [];
  for (const place of await places(pool, account!.id)) {
    let pageToken = Buffer.from(place).toString('base64url');
    for (let page = 0; page < PAGES / 3; page++) {
      const began = performance.now();
      const answer = await alarms.listAlarms({ pageToken }, as);
      took.push(performance.now() - began);
      if (answer.alarms.length === 0) throw new Error('A page of the list was empty.');
      if (answer.nextPageToken === '') break;
      pageToken = answer.nextPageToken;
    }
  }
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))]!;
  return { alarms: ALARMS, pages: took.length, p50: at(0.5), p99: at(0.99) };
}

/** In a few statements: how alarms are made is another measurement. */
async function fill(pool: Pool, accountId: string): Promise<void> {
  const ids = `SELECT md5($1 || n) AS id, n FROM generate_series(1, ${ALARMS}) n`;
  await pool.query("INSERT INTO location (account_id, id, key, name) VALUES ($1, md5($1), 'home', 'Home')", [
    accountId,
  ]);
  await pool.query(
    `INSERT INTO source (account_id, id, kind, key, location_id, name)
     SELECT $1, id, 'alarm', 'alarm-' || n, md5($1), 'Alarm ' || n FROM (${ids}) made`,
    [accountId],
  );
  await pool.query(`INSERT INTO source_state (account_id, source_id) SELECT $1, id FROM (${ids}) made`, [accountId]);
  await pool.query(
    `INSERT INTO mode (account_id, source_id, id, name)
     SELECT $1, made.id, mode, mode FROM (${ids}) made CROSS JOIN unnest(ARRAY['home', 'away', 'night']) mode`,
    [accountId],
  );
}

/** Before the first alarm, before the middle one, and before the last thousands. */
async function places(pool: Pool, accountId: string): Promise<string[]> {
  const { rows } = await pool.query<{ seq: string }>(
    `SELECT seq::text FROM source WHERE account_id = $1 ORDER BY source.seq OFFSET ${ALARMS / 2} LIMIT 1`,
    [accountId],
  );
  const last = await pool.query<{ seq: string }>(
    `SELECT seq::text FROM source WHERE account_id = $1 ORDER BY source.seq DESC OFFSET 5000 LIMIT 1`,
    [accountId],
  );
  return ['0', rows[0]!.seq, last.rows[0]!.seq];
}
