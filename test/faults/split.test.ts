import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { connectNatsBus } from '../../services/changes/nats.ts';
import { newId } from '../../services/store/id.ts';
import { newSecret } from '../../services/store/secret.ts';
import { dropDatabase, makeDatabase } from '../support/database.ts';
import { historyChecker } from '../support/history/checker.ts';
import { loadHistory, nothingUndone, type Rows } from '../support/history/load.ts';
import { calledBy, type Recording, startRecord } from '../support/history/record.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { ownPort } from './cluster/ports.ts';
import { rowsAt } from './embedded-rig.ts';
import { type Ready, startProduct } from './product.ts';
import { takenPort } from './refusal.ts';

/*
 * Services and facades in processes of their own, any number of each, on a real database
 * and a real NATS server, with real kills.
 */
vi.setConfig({ testTimeout: 90_000 });

const checker = historyChecker('killed and stopped apart');

const SECRETS = { KEY_PEPPER: 'p'.repeat(32), DATA_KEY: '0'.repeat(64) };

/** Every series that the docs tell to alert on. */
const ALERTED = readFileSync(new URL('../../facade/docs/operating.md', import.meta.url), 'utf8')
  .split('\n')
  .flatMap(line => {
    const [, names = '', , alert = ''] = line.startsWith('| `tocsin_') ? line.split(/\s*\|\s*/) : [];
    return alert === '' ? [] : [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
  });

/** How long a caller may be kept waiting for any answer, in milliseconds: the facade gives services 2.5 s. */
const ANSWERED_MS = 3_500;

/** An empty database and a NATS server, which every process of one test is given. */
async function aDeployment() {
  const postgresUrl = inject('postgresUrl');
  const name = `apart_${newId()}`;
  const DATABASE_URL = await makeDatabase(postgresUrl, { name, from: 'template0' });
  onTestFinished(() => dropDatabase(postgresUrl, name));
  const nats = await startNatsServer();
  onTestFinished(() => nats.stop());
  const common = { NATS_URL: nats.url };
  const services = (more: Record<string, string> = {}) =>
    startProduct({ ...SECRETS, ...common, DATABASE_URL, ...more }, { script: 'services' });
  const facade = (rpcUrls: readonly string[], more: Record<string, string> = {}) =>
    startProduct({ ...common, RPC_URL: rpcUrls.join(','), ...more }, { script: 'facade' });
  return { nats, services, facade, rows: rowsAt(DATABASE_URL) };
}

/** One call of /v1, with how long its answer took. */
async function ask({ http }: Pick<Ready, 'http'>, path: string, apiKey: string) {
  const began = performance.now();
  const response = await fetch(`${http}/v1/${path}`, { headers: { 'x-api-key': apiKey } });
  const body = (await response.json()) as { traceId: string; data: Record<string, unknown> };
  return { status: response.status, body, ms: performance.now() - began };
}

interface Demo {
  accountId: string;
  apiKey: string;
  alarmId: string;
  panicId: string;
}

/** The key that a first start showed, and the first alarm and panic button that it reaches. */
async function demoOf(first: Ready, at: Pick<Ready, 'http'>, rows: Rows): Promise<Demo> {
  const apiKey = first.apiKey!;
  const { body } = await ask(at, 'integration/describe', apiKey);
  const places = body.data.locations as { alarms: { id: string }[]; panicButtons: { id: string }[] }[];
  const alarmId = places.flatMap(({ alarms }) => alarms)[0]!.id;
  const [account] = await rows<{ id: string }>('SELECT id FROM account');
  return {
    apiKey,
    accountId: account!.id,
    alarmId,
    panicId: places.flatMap(({ panicButtons }) => panicButtons)[0]!.id,
  };
}

/** Calls without end over 20 connections until it is stopped; gives every status and what callers saw. */
function startLoad(at: Pick<Ready, 'http'>, { apiKey, accountId, alarmId, panicId }: Demo) {
  let state: 'on' | 'off' = 'on';
  const statuses: number[] = [];
  const record = startRecord();
  let slowestMs = 0;
  const paths = [
    ...['arm', 'disarm', 'clear'].map(verb => `alarm/${alarmId}/${verb}`),
    ...['trigger', 'clear'].map(verb => `panic/${panicId}/${verb}`),
  ];
  const callers = Array.from({ length: 20 }, async (_, caller) => {
    for (let turn = caller; state === 'on'; turn++) {
      const path = paths[turn % paths.length]!;
      const { status, ms } = await record.call(calledBy(path, accountId), async () => {
        const { body, ...answer } = await ask(at, path, apiKey);
        return { ...answer, traceId: body.traceId };
      });
      statuses.push(status);
      slowestMs = Math.max(slowestMs, ms);
    }
  });
  const more = (calls: number) => {
    const from = statuses.length;
    return eventually(() => statuses.length >= from + calls, { what: `${calls} more answers`, within: 30_000 });
  };
  return {
    more,
    async stop() {
      state = 'off';
      await Promise.all(callers);
      return { statuses: new Set(statuses), record, slowestMs };
    },
  };
}

/** All that was accepted is done, whatever a facade repeated. */
async function expectDone(rows: Rows, record: Recording) {
  await nothingUndone(rows, { but: ['message'] });
  checker.holds(
    await loadHistory(rows, { ...record, repeats: 'by the facade' }, { since: record.since, but: ['message'] }),
  );
}

test('a call through the facade is applied by the services, and others hear of it over NATS', async () => {
  const { nats, services, facade, rows } = await aDeployment();
  const there = await services({ PUBLIC_URL: 'https://alarm.example.com' }).ready();
  expect(Object.keys(there)).toEqual(['ready', 'process', 'rpc', 'metrics', 'apiKey', 'signInUrl']);
  expect(there.process).toBe('services');
  const here = await facade([there.rpc]).ready();
  expect(here).toEqual({
    ready: true,
    process: 'facade',
    http: expect.stringMatching(/^http:\/\/localhost:\d+$/),
    realtime: expect.stringMatching(/^ws:\/\/localhost:\d+\/event\/realtime$/),
    metrics: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
  });
  const { apiKey, alarmId } = await demoOf(there, here, rows);
  const { body: described } = await ask(here, 'integration/describe', apiKey);
  const realtime = described.data.realtime as { httpHost: string; channel: string };
  expect(realtime).toMatchObject({ httpHost: 'alarm.example.com', realtimeHost: 'alarm.example.com' });

  const reader = await connectNatsBus({ servers: nats.url, log: pino({ level: 'silent' }) });
  onTestFinished(() => reader.close());
  const heard: unknown[] = [];
  reader.subscribe(`tocsin.change.${realtime.channel.split('/').at(-1)}`, payload => heard.push(payload));
  await reader.flush();
  expect((await ask(here, `alarm/${alarmId}/arm/night`, apiKey)).status).toBe(202);
  await eventually(() => heard.length > 0, { what: 'the signal' });
  expect(heard).toEqual([{ kind: 'state', alarmId }]);
  const { body } = await ask(here, 'integration/state', apiKey);
  expect(body.data.alarms).toContainEqual({ id: alarmId, state: 'night' });
  expect((await ask(here, 'integration/state', 'nonsense')).status).toBe(401);
});

test('each process says how it is, and its figures are on METRICS_PORT alone', async () => {
  const { services, facade } = await aDeployment();
  const there = await services().ready();
  const here = await facade([there.rpc]).ready();
  const status = async (url: string) => (await fetch(url)).status;
  for (const [own, other, series] of [
    [there.metrics, there.rpc, 'tocsin_oldest_unapplied_seconds'],
    [here.metrics, here.http, 'tocsin_realtime_sockets'],
  ] as const) {
    expect(await status(`${other}/metrics`)).toBe(404);
    for (const url of [own, other]) {
      expect([await status(`${url}/livez`), await status(`${url}/readyz`)], url).toEqual([200, 200]);
    }
    const figures = await (await fetch(`${own}/metrics`)).text();
    for (const one of [series, 'tocsin_nats_connected', 'process_resident_memory_bytes']) {
      expect(figures).toMatch(new RegExp(`^${one} \\d`, 'm'));
    }
  }
  expect(ALERTED.length).toBeGreaterThan(10);
  const [engine, door] = await Promise.all(
    [there.metrics, here.metrics].map(async own => (await fetch(`${own}/metrics`)).text()),
  );
  const missing = ALERTED.filter(name => {
    const figures = /^tocsin_(http|realtime)_/.test(name) ? door! : engine!;
    return !figures.includes(`\n# TYPE ${name} `);
  });
  expect(missing).toEqual([]);

  // Whoever names the port of everything else for them wants them there.
  const [ofServices, ofFacade] = [`${await ownPort()}`, `${await ownPort()}`];
  const beside = await services({ RPC_PORT: ofServices, METRICS_PORT: ofServices }).ready();
  const alike = await facade([beside.rpc], { HTTP_PORT: ofFacade, METRICS_PORT: ofFacade }).ready();
  for (const [url, { metrics }] of [
    [beside.rpc, beside],
    [alike.http, alike],
  ] as const) {
    expect([metrics, await status(`${url}/metrics`)]).toEqual([undefined, 200]);
  }
});

test('services killed under load: the others take every call; all killed: 503 at once; one back: as before', async () => {
  const { services, facade, rows } = await aDeployment();
  const one = services();
  const first = await one.ready();
  const two = services();
  const second = await two.ready();
  expect(second).not.toHaveProperty('apiKey');
  const here = await facade([first.rpc, second.rpc]).ready();
  const demo = await demoOf(first, here, rows);

  const load = startLoad(here, demo);
  await load.more(200);
  await one.kill();
  await load.more(200);
  const { statuses, record, slowestMs } = await load.stop();
  expect([...statuses]).toEqual([202]);
  expectInTime(slowestMs, ANSWERED_MS);
  await expectDone(rows, record);

  await two.kill();
  for (const _ of [1, 2, 3]) {
    const { status, ms } = await ask(here, `alarm/${demo.alarmId}/arm`, demo.apiKey);
    expect(status).toBe(503);
    expectInTime(ms, 1_000);
  }
  expect((await fetch(`${here.http}/readyz`)).status).toBe(503);

  const again = await services({ RPC_PORT: new URL(first.rpc).port }).ready();
  expect(again.rpc).toBe(first.rpc);
  await eventually(async () => (await fetch(`${here.http}/readyz`)).status === 200, { what: 'the facade to be ready' });
  expect((await ask(here, `alarm/${demo.alarmId}/arm`, demo.apiKey)).status).toBe(202);
});

test('services that hang: every call is answered by the others, in time', async () => {
  const { services, facade, rows } = await aDeployment();
  const one = services();
  const first = await one.ready();
  const second = await services().ready();
  const here = await facade([first.rpc, second.rpc]).ready();
  const demo = await demoOf(first, here, rows);
  const load = startLoad(here, demo);
  await load.more(100);
  one.freeze();
  await load.more(200);
  const { statuses, record, slowestMs } = await load.stop();
  expect([...statuses]).toEqual([202]);
  expectInTime(slowestMs, ANSWERED_MS);
  await expectDone(rows, record);
});

test('SIGTERM under load: services finish what they have, the others take the rest; both kinds end with exit code 0', async () => {
  const { services, facade, rows } = await aDeployment();
  const one = services();
  const first = await one.ready();
  const second = await services().ready();
  const front = facade([first.rpc, second.rpc]);
  const here = await front.ready();
  const load = startLoad(here, await demoOf(first, here, rows));
  await load.more(200);
  one.signal('SIGTERM');
  expect(await one.ended()).toBe(0);
  await load.more(200);
  const { statuses, record } = await load.stop();
  expect([...statuses]).toEqual([202]);
  await expectDone(rows, record);
  front.signal('SIGTERM');
  expect(await front.ended()).toBe(0);
  expect(front.printed().stderr).not.toContain('unexpected error');
});

test('the facade may start first: 503 until services are there', async () => {
  const { services, facade } = await aDeployment();
  const { port, close } = await takenPort();
  await close();
  const here = await facade([`http://127.0.0.1:${port}`]).ready();
  expect((await ask(here, 'integration/state', newSecret('toc'))).status).toBe(503);
  expect((await ask(here, 'integration/state', 'nonsense')).status).toBe(401);
  expect((await fetch(`${here.http}/livez`)).status).toBe(200);
  const there = await services({ RPC_PORT: `${port}` }).ready();
  await eventually(async () => (await fetch(`${here.http}/readyz`)).status === 200, { what: 'the facade to be ready' });
  expect((await ask(here, 'integration/state', there.apiKey!)).status).toBe(200);
});

test('services that start together on an empty database make one demo and one key', async () => {
  const { services, rows } = await aDeployment();
  const started = [services(), services(), services()];
  await Promise.all(started.map(one => one.ready()));
  expect(started.flatMap(one => one.printed().stdout.match(/toc_\w+/g) ?? [])).toHaveLength(1);
  expect(await rows('SELECT id FROM account')).toHaveLength(1);
});
