import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import { startEmbedded } from '../../services/embedded/embedded.ts';
import { deploymentTime } from '../../services/store/schema/clock.ts';
import { createSeal } from '../../services/store/seal.ts';
import { makeDatabase, overTcp, resettable } from '../support/database.ts';
import { MESSAGES, MODES, type Mode } from '../support/door-model.ts';
import { makeAccount } from '../support/owner.ts';
import { useControl } from './client.ts';
import { BEGIN } from './lived.ts';
import { endSessions } from './sessions.ts';
import { THIS_VERSION, type Version } from './version.ts';

export const PEPPER = 'a pepper of the simulation, long enough for anybody';
export const seal = createSeal(Buffer.alloc(32, 7));

/** The sources of an account: `door-model.ts` knows one of each kind. */
export type SourceName = 'alarm' | 'button';

/** An account with an alarm and a panic button, and where its people are reached. */
export interface House {
  accountId: string;
  ids: Record<SourceName, string>;
  /** The key that callers use. */
  key: string;
  /** One that its owner may revoke meanwhile. */
  spare: { id: string; secret: string };
  channels: readonly ChannelKind[];
  addresses: readonly string[];
}

/** The clock that a life runs by: a plain one, or the product's own, kept by every process over one that is set meanwhile. */
export type ClockOf = 'nobody' | 'keepers';

/** A server with one migrated database that is brought back for every life. */
export interface World {
  url: string;
  /** The version of every other process, which has brought the database to its own schema; null: all are of this one. */
  beside: Version | null;
  houses: readonly House[];
  /** Asks as nobody who is simulated. */
  ask<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Brings everything back to how it was. */
  reset(clock: ClockOf): Promise<void>;
  /** Sets the database's own clock, in milliseconds since the life began. */
  setWall(ms: number): Promise<void>;
  /** Holds up whoever writes to a table, unless somebody is at it. */
  holdUp(table: 'gate' | 'journal'): Promise<'held' | 'busy'>;
  letGo(): Promise<void>;
  close(): Promise<void>;
}

const log = pino({ level: 'silent' });

/**
 * Durability is not what is looked at, nothing may run beside, and who waits for a lock shall be seen at once. 60 messages
 * a second are logged of what is cut, so the server's log says nothing.
 */
const SERVER = [
  'fsync=off',
  'full_page_writes=off',
  'autovacuum=off',
  'deadlock_timeout=20ms',
  'jit=off',
  'log_min_messages=panic',
];

/** A clock that stands in a sequence, which is set outside any transaction. */
const WALL = `'epoch'::timestamptz + last_value * interval '1 millisecond' FROM sim_clock`;
const clockNamed = (name: string) =>
  `CREATE OR REPLACE FUNCTION ${name}() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT ${WALL} $$`;

/** Starts a server of its own, with two accounts, for this version and one beside it. Takes about four seconds. */
export async function openWorld(beside: Version | null = null): Promise<World> {
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-sim-'));
  opening.defer(() => rm(folder, { recursive: true, force: true }));
  const server = await startEmbedded({ dataDir: folder, shelter: join(folder, 'shelter'), log, settings: SERVER });
  opening.defer(server.stop);

  const url = await makeDatabase(overTcp(server.ownerUrl), { name: 'sim', from: 'template0' });
  const houses = await furnish(url);
  if (beside !== null) await (await beside.openStore(url, log)).close();
  const control = new pg.Client({ connectionString: url });
  await control.connect();
  opening.defer(() => control.end());
  useControl(control);
  opening.defer(endSessions);
  await hurrySignIn(control, new URL(url).password);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  opening.defer(() => holder.end());
  await control.query(`CREATE SEQUENCE sim_clock; SELECT setval('sim_clock', ${BEGIN})`);
  await control.query(clockNamed('tocsin_wall'));
  await resettable(control as unknown as pg.Pool);
  const sequences = await resetOfSequences(control);

  let wall = Number.NaN;
  let runsBy: ClockOf | null = null;
  const closers = opening.move();
  return {
    url,
    beside,
    houses,
    async ask(text, values = []) {
      return (await control.query(text, [...values])).rows;
    },
    async reset(clock) {
      await control.query('SELECT test_reset()');
      await control.query(sequences);
      // Each statement is planned anew after that, in every session.
      if (clock !== runsBy) await control.query(clock === 'keepers' ? deploymentTime() : clockNamed('tocsin_now'));
      runsBy = clock;
    },
    async setWall(ms) {
      if (ms === wall) return;
      wall = ms;
      await control.query("SELECT setval('sim_clock', $1)", [Math.round(BEGIN + ms)]);
    },
    async holdUp(table) {
      try {
        await holder.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE NOWAIT`);
        return 'held';
      } catch {
        await holder.query('ROLLBACK');
        return 'busy';
      }
    },
    async letGo() {
      await holder.query('ROLLBACK');
    },
    close: () => closers.disposeAsync(),
  };
}

/** Processes that die open many connections: signing in is made cheap, with the same password. */
async function hurrySignIn(control: pg.Client, password: string): Promise<void> {
  await control.query('SET scram_iterations = 1');
  await control.query(`ALTER ROLE CURRENT_USER PASSWORD ${pg.escapeLiteral(decodeURIComponent(password))}`);
}

/** What brings every sequence back to where it stands now. */
async function resetOfSequences(control: pg.Client): Promise<string> {
  const { rows } = await control.query<{ name: string; at: string | null }>(
    "SELECT schemaname || '.' || sequencename AS name, last_value::text AS at FROM pg_sequences WHERE schemaname = 'public' AND sequencename <> 'sim_clock'",
  );
  return rows
    .map(({ name, at }) => (at === null ? `ALTER SEQUENCE ${name} RESTART` : `SELECT setval('${name}', ${at})`))
    .join(';');
}

/** The channels of the person of each account: one may be reached in one way only, another in three. */
const CHANNELS: readonly ChannelKind[][] = [['text', 'call', 'email'], ['email']];

/** The channels that have a carrier in the simulation. */
export const CARRIED: readonly ChannelKind[] = ['text', 'call', 'email'];

async function furnish(url: string): Promise<House[]> {
  const store = await THIS_VERSION.openStore(url, log);
  const houses: House[] = [];
  for (const [nth, channels] of CHANNELS.entries()) {
    const owner = await makeAccount({ store, seal, pepper: PEPPER }, { ownerEmail: `owner${nth}@example.com` });
    const reached = channels.map(channel => [
      channel,
      channel === 'email' ? `anna${nth}@example.com` : `+49151000000${nth}`,
    ]);
    const contactId = await owner.contact('Anna', Object.fromEntries(reached));
    const first = channels[0]!;
    const policyFor = async (of: Mode | 'button') => {
      const messages = MESSAGES[of];
      if (messages.length === 0) return {};
      const steps = messages.map((ms, nth) => ({
        delayS: (ms - (messages[nth - 1] ?? 0)) / 1_000,
        contacts: [{ contactId, channels: [first] }],
      }));
      return { policyId: await owner.policy(steps) };
    };
    const modes: Partial<Record<Mode, { policyId?: string; windowS: number }>> = {};
    for (const mode of MODES) modes[mode] = { windowS: 0, ...(await policyFor(mode)) };
    houses.push({
      accountId: owner.accountId,
      ids: { alarm: await owner.alarm({ modes }), button: await owner.panicButton(await policyFor('button')) },
      key: await owner.key(),
      spare: await owner.keyWithId(),
      channels,
      addresses: [...new Set(reached.map(([, address]) => address!))],
    });
  }
  await store.close();
  return houses;
}
