import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { LOCKS } from '../../services/store/lock.ts';
import { connection } from '../support/connection.ts';
import { dropDatabase, makeDatabase, TEMPLATE } from '../support/database.ts';
import { type Heartbeats, startHeartbeats } from '../support/heartbeats.ts';
import { startLine } from '../support/line.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { startWorld, type World, type WorldOptions } from '../support/world.ts';
import { startProduct } from './product.ts';

/* DECISIONS.md "Watchman": whatever keeps a call from alerting somebody is told outside within 90 s. */
vi.setConfig({ testTimeout: 180_000 });

/** The longest from a fault to the first look that can see it, and from there to the second: the third asks carriers. */
const UNTIL_LOOKED_MS = 20_000;
const UNTIL_ASKED_MS = 60_000;
const SUSPECT_MS = 5_000;
const TOLD_MS = 90_000;

interface Watched {
  world: World;
  heartbeats: Heartbeats;
  fault(): Promise<string[]>;
}

async function watchedWorld(options: WorldOptions = {}): Promise<Watched> {
  const heartbeats = await startHeartbeats();
  const lines: string[] = [];
  const world = await startWorld({ ...options, heartbeatUrl: heartbeats.url, logLines: lines });
  const said = () => lines.map(line => JSON.parse(line) as { msg: string; faults?: string[] });
  return { world, heartbeats, fault: async () => said().findLast(({ faults }) => faults !== undefined)?.faults ?? [] };
}

/** Two looks: what a fault leads to, in how long at most where the watchman looks in its own time. */
async function looks({ world, heartbeats }: Watched, untilMs = UNTIL_LOOKED_MS) {
  heartbeats.said();
  const began = performance.now();
  await world.services.watch();
  expect(heartbeats.said()).toEqual([]);
  await world.services.watch();
  expectInTime(untilMs + SUSPECT_MS + performance.now() - began, TOLD_MS);
  return heartbeats.said();
}

const FULL = `CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  RAISE EXCEPTION 'could not extend file "base/1/2": No space left on device' USING ERRCODE = 'disk_full'; END $$`;

/** What breaks, what the watchman calls it, and how it is mended. */
const BREAKAGES: readonly { what: string; faults: string[]; breaks(world: World): Promise<() => Promise<unknown>> }[] =
  [
    {
      what: 'somebody holds the turn to apply',
      faults: ['beat'],
      async breaks(world) {
        const other = await connection(world.databaseUrl);
        await other.query('SELECT pg_advisory_lock($1)', [LOCKS.apply]);
        return () => other.query('SELECT pg_advisory_unlock($1)', [LOCKS.apply]);
      },
    },
    {
      what: 'messages cannot be written',
      faults: ['dry_life'],
      async breaks(world) {
        await world.rows('ALTER TABLE delivery ADD CONSTRAINT broken CHECK (false) NOT VALID');
        return () => world.rows('ALTER TABLE delivery DROP CONSTRAINT broken');
      },
    },
    {
      what: 'the disk is full',
      faults: ['beat'],
      async breaks(world) {
        await world.rows(FULL);
        await world.rows(
          'CREATE TRIGGER disk_is_full BEFORE INSERT ON journal FOR EACH ROW EXECUTE FUNCTION disk_is_full()',
        );
        return () => world.rows('DROP TRIGGER disk_is_full ON journal');
      },
    },
  ];

test.each(BREAKAGES)('each breakage is told outside: $what; and once it is mended all is well', async ({
  faults,
  breaks,
}) => {
  const watched = await watchedWorld({ tables: 'fresh' });
  await watched.world.services.watch();
  expect(watched.heartbeats.said()).toEqual(['well']);
  const mend = await breaks(watched.world);
  expect(await looks(watched)).toEqual(['fail']);
  expect(await watched.fault()).toEqual(faults);
  await mend();
  await watched.world.services.watch();
  expect(watched.heartbeats.said()).toEqual(['well']);
});

test('each breakage is told outside: the clock of the database is set, for a minute', async () => {
  const watched = await watchedWorld({ clock: 'settable' });
  await watched.world.services.watch();
  await watched.world.setClock(-3_600);
  expect(await looks(watched)).toEqual(['fail']);
  expect(await watched.fault()).toEqual(['clock_stepped']);
  await watched.world.advance(60);
  await watched.world.services.watch();
  expect(watched.heartbeats.said()).toEqual(['well']);
});

test('each breakage is told outside: every carrier fails', async () => {
  const smtp = await startSmtp();
  await smtp.stop();
  const watched = await watchedWorld({ smtpUrl: smtp.url });
  expect(await looks(watched, UNTIL_ASKED_MS)).toEqual(['fail']);
  expect(await watched.fault()).toEqual(['carriers']);
});

test('each breakage is told outside: the database falls silent', async () => {
  const postgresUrl = inject('postgresUrl');
  const name = `line_${newId()}`;
  const { port } = new URL(await makeDatabase(postgresUrl, { name, from: TEMPLATE }));
  onTestFinished(() => dropDatabase(postgresUrl, name));
  const line = await startLine(Number(port));
  const server = new URL(postgresUrl);
  server.port = String(line.port);
  const watched = await watchedWorld({ server: server.href, database: name });
  await watched.world.services.watch();
  expect(watched.heartbeats.said()).toEqual(['well']);
  line.silence();
  expect(await looks(watched)).toEqual(['fail']);
  expect(await watched.fault()).toContain('database');
  line.mend();
  await eventually(
    async () => {
      await watched.world.services.watch();
      return watched.heartbeats.said().includes('well');
    },
    { what: 'all to be well again' },
  );
});

test('a fault that passes is not told outside: of one look nothing is said', async () => {
  const watched = await watchedWorld({ tables: 'fresh' });
  const mend = await BREAKAGES[1]!.breaks(watched.world);
  await watched.world.services.watch();
  await mend();
  await watched.world.services.watch();
  expect(watched.heartbeats.said()).toEqual(['well']);
});

test('of two processes one looks, and both tell what it saw', async () => {
  const name = `two_${newId()}`;
  await makeDatabase(inject('postgresUrl'), { name, from: TEMPLATE });
  const one = await watchedWorld({ database: name });
  const other = await watchedWorld({ database: name });
  await Promise.all([one.world.services.watch(), other.world.services.watch()]);
  await Promise.all([one.world.services.watch(), other.world.services.watch()]);
  const said = [one.heartbeats.said(), other.heartbeats.said()];
  expect(said.map(({ length }) => length).sort()).toEqual([0, 2]);
});

test('a process that is gone, and NATS between processes: nobody says any more that all is well', async () => {
  const nats = await startNatsServer();
  onTestFinished(nats.stop);
  const heartbeats = await startHeartbeats();
  const name = `gone_${newId()}`;
  const DATABASE_URL = await makeDatabase(inject('postgresUrl'), { name, from: TEMPLATE });
  onTestFinished(() => dropDatabase(inject('postgresUrl'), name));
  const settings = {
    DATABASE_URL,
    KEY_PEPPER: 'p'.repeat(32),
    DATA_KEY: '0'.repeat(64),
    NATS_URL: nats.url,
    HEARTBEAT_URL: heartbeats.url,
  };
  const services = startProduct(settings, { script: 'services' });
  await services.ready();
  const heard = (what: 'well' | 'fail') =>
    eventually(() => heartbeats.said().at(-1) === what, { what: `the heartbeat to say ${what}`, within: TOLD_MS });
  await heard('well');
  await nats.kill();
  await heard('fail');
  await nats.restart();
  await heard('well');
  await services.kill();
  expect(heartbeats.said()).toEqual([]);
});
