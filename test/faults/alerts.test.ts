import pg from 'pg';
import { pino } from 'pino';
import { Gauge, register } from 'prom-client';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { backupFailures, lastBackup } from '../../services/backup/metrics.ts';
import { connectNatsBus } from '../../services/changes/nats.ts';
import { callsStoredAgain } from '../../services/engine/accept/metrics.ts';
import {
  callsGivenUp,
  heartbeats,
  stepsMissed,
  stoodBy,
  stoppedByCeiling,
  watchFaults,
} from '../../services/engine/metrics.ts';
import { createHealthPages, serveHealthPages } from '../../services/process/health-pages.ts';
import { newId } from '../../services/store/id.ts';
import { LOCKS } from '../../services/store/lock.ts';
import { type AlertRule, RULES, RULES_TEXT } from '../run/watching.ts';
import { advanceClock, dropDatabase, makeDatabase, TEMPLATE } from '../support/database.ts';
import { startLine } from '../support/line.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { type Prometheus, startPrometheus } from '../support/prometheus.ts';
import { startTwilio } from '../support/twilio.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';
import { ownPort } from './cluster/ports.ts';

vi.setConfig({ testTimeout: 240_000 });

/** The rules as they are, but for how long something has to be so before they fire: this test has less time. */
function withoutPatience(text: string): string {
  const { groups } = parse(text) as { groups: { rules: AlertRule[] }[] };
  return stringify({
    groups: groups.map(group => ({ ...group, rules: group.rules.map(rule => ({ ...rule, for: '0s' })) })),
  });
}

test('a real Prometheus that scrapes the product is quiet while all is well, and fires each rule when its fault comes', async () => {
  const server = new URL(inject('postgresUrl'));
  const name = `watched_${newId()}`;
  const databaseUrl = await makeDatabase(server.href, { name, from: TEMPLATE });
  onTestFinished(() => dropDatabase(inject('postgresUrl'), name));
  const line = await startLine(Number(server.port));
  const [twilio, nats] = await Promise.all([startTwilio(), startNatsServer()]);
  onTestFinished(async () => void (await Promise.all([twilio.stop(), nats.stop()])));
  const bus = await connectNatsBus({ servers: nats.url, log: pino({ level: 'silent' }) });
  const through = new URL(server);
  through.port = String(line.port);
  const world = await startWorld({ server: through.href, database: name, bus, carriers: { twilio: twilio.settings } });
  // By another way, which stays when the product's falls silent.
  const beside = new pg.Client({ connectionString: databaseUrl });
  await beside.connect();
  onTestFinished(() => beside.end());
  // A process of its own would do: what counts is that its endpoint is gone.
  const port = await ownPort();
  const other = await serveHealthPages(
    { host: '127.0.0.1', port, ifTaken: 'refuse_to_start' },
    createHealthPages(async () => true),
    pino({ level: 'silent' }),
  );

  const prometheus = await startPrometheus([new URL(world.url).host, `127.0.0.1:${port}`], withoutPatience(RULES_TEXT));
  const fired = watch(prometheus);
  // Before the first scrape there is no process at all.
  await eventually(
    async () => (await prometheus.value('count(up == 1)')) === 2 && (await prometheus.alerts()).length === 0,
    {
      what: 'Prometheus to find both',
    },
  );
  const { id, key } = await family(world);
  await world.get(`/v1/alarm/${id}/trigger`, key);
  await world.settle();
  await world.services.measure();
  await eventually(async () => (await prometheus.value('tocsin_calls_total{outcome="accepted"} offset 2s'))! > 0, {
    what: 'the call to have been scraped, and every rule evaluated since',
  });
  expect(new Set(Object.values(await prometheus.rules()))).toEqual(new Set(['ok']));
  expect(await prometheus.alerts()).toEqual([]);

  // The second step is due after a minute; it goes out 12 s late.
  await world.advance(72);
  await fired('TocsinStepsLate');

  await beside.query(
    "CREATE OR REPLACE FUNCTION tocsin_wall() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT clock_timestamp() - interval '1 hour' $$",
  );
  await fired('TocsinClockSet');

  twilio.behave('busy');
  for (let calls = 0; calls < 4; calls++) {
    const another = await family(world);
    await world.get(`/v1/alarm/${another.id}/trigger`, another.key);
  }
  await world.settle();
  await fired('TocsinCarrierFaults');
  twilio.behave('ok');

  await beside.query('SELECT pg_advisory_lock($1)', [LOCKS.apply]);
  const waiting = await family(world);
  await world.get(`/v1/alarm/${waiting.id}/trigger`, waiting.key);
  await advanceClock(world.store.pool, 31);
  await world.services.measure();
  await fired('TocsinCallsWait');
  await beside.query('SELECT pg_advisory_unlock($1)', [LOCKS.apply]);
  await world.settle();

  // A message that nobody can get at: due after a minute, and not tried for 40 s then.
  const late = await family(world);
  await world.get(`/v1/alarm/${late.id}/trigger`, late.key);
  await world.settle();
  await beside.query('BEGIN');
  await beside.query("SELECT FROM delivery WHERE status = 'scheduled' FOR UPDATE");
  await advanceClock(world.store.pool, 100);
  await fired('TocsinMessagesWait');
  await beside.query('ROLLBACK');
  await world.settle();

  // That the product counts these is shown where they happen: guards.long.test.ts, spend-ceiling.test.ts, fairness.test.ts,
  // went-back.test.ts, watchman.test.ts, standing-by.test.ts.
  callsStoredAgain.inc();
  watchFaults.set({ fault: 'beat' }, 1);
  heartbeats.inc({ said: 'well', became: 'lost' }, 4);
  gaugeOf('tocsin_http_own_way').set(0);
  Object.assign(gaugeOf('tocsin_watch_age_seconds'), { collect: () => gaugeOf('tocsin_watch_age_seconds').set(91) });
  stepsMissed.inc();
  callsGivenUp.inc();
  stoppedByCeiling.inc({ by: 'over_source_share' });
  stoodBy.inc({ channel: 'text' });
  // Two days without a backup.
  backupFailures.inc();
  lastBackup.set(Date.now() / 1000 - 172_801);
  const counted = ['StepsMissed', 'CallsGivenUp', 'SpendCeiling', 'BackupFailed', 'BackupOld', 'DatabaseWentBack'];
  counted.push('WatchmanFails', 'HeartbeatLost', 'OwnWayFails', 'WatchmanLate', 'CarrierStoodBy');
  for (const alert of counted) await fired(`Tocsin${alert}`);

  await beside.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await beside.query('SELECT count(*) FROM account');
  // How long a snapshot is held goes by Postgres' own clock.
  await world.rows(
    "CREATE OR REPLACE FUNCTION tocsin_wall() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT clock_timestamp() + interval '302 s' $$",
  );
  await world.services.measure();
  await fired('TocsinSnapshotHeld');
  await beside.query('ROLLBACK');

  await other.close();
  await fired('TocsinAway');

  await nats.kill();
  await fired('TocsinNatsAway');

  line.silence();
  expect((await world.get(`/v1/alarm/${id}/trigger`, key)).status).toBe(503);
  await fired('TocsinCallsUnavailable');
  const asked = Array.from({ length: 100 }, () => world.store.pool.query('SELECT 1').catch(() => {}));
  await fired('TocsinConnectionsShort');
  await fired('TocsinDatabaseSilent', 90_000);
  line.mend();
  await Promise.all(asked);

  const all = [...fired.seen].toSorted();
  expect(all).toEqual(RULES.map(({ alert }) => alert).toSorted());
});

/** Waits until an alert fires. `seen`: all that fired so far. */
function watch(prometheus: Prometheus) {
  const seen = new Set<string>();
  const fired = async (alert: string, within = 20_000) => {
    const one = await eventually(
      async () => {
        const firing = (await prometheus.alerts()).filter(({ state }) => state === 'firing');
        for (const { labels } of firing) seen.add(labels.alertname);
        return firing.find(({ labels }) => labels.alertname === alert);
      },
      { what: `${alert} to fire`, within },
    );
    expect(one.annotations.runbook_url).toContain(`#${alert.toLowerCase()}`);
  };
  return Object.assign(fired, { seen });
}

/** A gauge of this process, by its name. */
function gaugeOf(name: string): Gauge {
  const metric = register.getSingleMetric(name);
  if (metric instanceof Gauge) return metric;
  throw new Error(`There is no gauge ${name}.`);
}

/** A live alarm that tells Anna by text, at once and after a minute. */
async function family(world: World) {
  const owner = await world.account();
  const anna = await owner.contact('Anna', { text: '+12025550111' });
  const steps = [0, 60].map(delayS => ({ delayS, contacts: [{ contactId: anna, channels: ['text' as const] }] }));
  const policyId = await owner.policy(steps);
  return { id: await owner.alarm({ modes: { away: { policyId } } }), key: await owner.key() };
}
