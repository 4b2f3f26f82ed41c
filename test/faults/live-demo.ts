import pg, { type Pool } from 'pg';
import { onTestFinished } from 'vitest';
import { ROLE } from '../../services/embedded/cluster.ts';
import { databaseUrl, THIS_MACHINE } from '../../services/embedded/database.ts';
import { openRecord } from '../../services/embedded/record.ts';
import { moveableClock } from '../support/database.ts';
import { eventually } from '../support/wait.ts';
import { WAITING_CALLS } from '../support/waiting.ts';

/** What the tests need to know of a demo account that was made live. */
export interface LiveDemo {
  accountId: string;
  /** Ids of sources: three alarms and two panic buttons. */
  sources: { house: string; shop: string; tryMe: string; bedside: string; counter: string };
}

/** Connections of the owner's to the embedded database of the product that runs on this DATA_DIR; they may be cut. */
export async function connectTo(dataDir: string): Promise<Pool> {
  const pool = new pg.Pool({
    connectionString: databaseUrl(ROLE, { host: THIS_MACHINE, ...(await openRecord(dataDir)) }),
    max: 2,
  });
  pool.on('error', () => {
    // A server that is killed under an idle connection is what the tests are about.
  });
  onTestFinished(() => pool.end());
  return pool;
}

/**
 * Makes the whole demo live: every step of every policy tells the contact of DEMO_EMAIL. The alarms share a policy with a
 * step after each of `stepsAfterS`, and all their modes have a false-alarm window of `windowS`; the buttons' has one step.
 */
export async function makeLive(pool: Pool, to: { windowS: number; stepsAfterS: readonly number[] }): Promise<LiveDemo> {
  await eventually(async () => (await pool.query(WAITING_CALLS)).rowCount === 0, {
    what: 'the rehearsal of the demo to be applied',
  });
  const { rows: people } = await pool.query<{ id: string; account_id: string }>(
    "SELECT id, account_id FROM contact WHERE name = 'You'",
  );
  const { id: contactId, account_id: accountId } = people[0]!;
  const steps = (delaysS: readonly number[]) =>
    JSON.stringify(delaysS.map(delayS => ({ delayS, contacts: [{ contactId, channels: ['email'] }] })));
  await pool.query('UPDATE policy SET steps = $1', [steps([0])]);
  const { rows: policies } = await pool.query<{ id: string }>(
    "UPDATE policy SET steps = $1 WHERE name = 'You, by email' RETURNING id",
    [steps(to.stepsAfterS)],
  );
  await pool.query('UPDATE mode SET policy_id = $1, window_s = $2', [policies[0]!.id, to.windowS]);
  const { rows: sources } = await pool.query<{ name: string; id: string }>(
    'UPDATE source SET test = false RETURNING name, id',
  );
  const idOf = (name: string) => sources.find(source => source.name === name)!.id;
  return {
    accountId,
    sources: {
      house: idOf('House'),
      shop: idOf('Shop'),
      tryMe: idOf('Try me (live)'),
      bedside: idOf('Bedside button'),
      counter: idOf('Counter button'),
    },
  };
}

/** Puts the moveable clock under a product that runs, at the present time: no clock may go back. */
export async function stopClock(pool: Pool): Promise<void> {
  const client = await pool.connect();
  await client.query('BEGIN');
  await moveableClock(client);
  await client.query("UPDATE test_clock SET at = date_trunc('milliseconds', clock_timestamp())");
  await client.query('COMMIT');
  client.release();
}
