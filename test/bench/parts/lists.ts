import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import type { Pool } from 'pg';
import { AccountService } from '../../../gen/tocsin/console/v1/accounts_pb.ts';
import { AlarmService } from '../../../gen/tocsin/console/v1/alarms_pb.ts';
import { percentile } from '../numbers.ts';
import { fillWithAlarms } from '../seed.ts';

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
  // How alarms are made is another measurement (file.ts).
  await fillWithAlarms(pool, account!.id, ALARMS);

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
  return { alarms: ALARMS, pages: took.length, p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
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
