import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { pino } from 'pino';
import { expect, inject, onTestFinished, test } from 'vitest';
import '../../services/changes/nats.ts';
import type { Carrier } from '../../services/channels/carrier.ts';
import { CARRIERS, type CarrierSettings } from '../../services/channels/carriers.ts';
import { createHealthPages, serveHealthPages } from '../../services/process/health-pages.ts';
import { ownPort } from '../faults/cluster/ports.ts';
import { dropDatabase, makeDatabase, TEMPLATE } from '../support/database.ts';
import { figuresIn } from '../support/figures.ts';
import { startLine } from '../support/line.ts';
import { logInto } from '../support/log.ts';
import { type Loft, pigeons } from '../support/made-up-carrier.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { startWorld, type World } from '../support/world.ts';

const PAGE = readFileSync(new URL('../../facade/docs/operating.md', import.meta.url), 'utf8');
const TABLE = PAGE.slice(PAGE.indexOf('| Metric |'), PAGE.indexOf('## Retention'));

async function scrape(url: string): Promise<string> {
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return response.text();
}

/** A live alarm that tells Anna by email and by text. */
async function family(world: World) {
  const owner = await world.account();
  const anna = await owner.contact('Anna', { email: 'anna@example.com', text: '+12025550111' });
  const steps = [{ delayS: 0, contacts: [{ contactId: anna, channels: ['email' as const, 'text' as const] }] }];
  const policyId = await owner.policy(steps);
  return { owner, id: await owner.alarm({ modes: { away: { policyId } } }), key: await owner.key() };
}

test('the services say over HTTP/1.1 of their port how they are, and count a call from its acceptance to its delivery', async () => {
  const [smtp, twilio] = await Promise.all([startSmtp(), startTwilio()]);
  onTestFinished(async () => void (await Promise.all([smtp.stop(), twilio.stop()])));
  const carriers = { twilio: twilio.settings };
  const world = await startWorld({ smtpUrl: smtp.url, carriers, publicUrl: 'of the facade' });
  const { owner, id, key } = await family(world);
  for (const path of ['/livez', '/readyz', '/metrics']) {
    expect((await fetch(world.rpcUrl + path)).status, path).toBe(200);
    for (const url of [world.rpcUrl, world.url]) {
      const head = await fetch(url + path, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-type'), await head.text()], url + path).toEqual([
        200,
        expect.stringMatching(/^(application\/json|text\/plain); /),
        '',
      ]);
    }
  }
  expect((await fetch(`${world.rpcUrl}/metric`)).status).toBe(404);

  const before = await scrape(world.rpcUrl);
  expect((await world.get(`/v1/alarm/${id}/trigger`, key)).status).toBe(202);
  expect((await world.get(`/v1/alarm/${id}/trigger/beach`, key)).status).toBe(404);
  await world.settle();
  await twilio.tell((await twilio.nextMessage()).sid, 'delivered');
  await world.services.measure();
  const after = await scrape(world.rpcUrl);
  const rose = (name: string) => figuresIn(after)(name) - figuresIn(before)(name);
  const counted = [
    'tocsin_calls_total{outcome="accepted"}',
    'tocsin_calls_total{outcome="unknown_mode"}',
    'tocsin_calls_applied_total{outcome="opened"}',
    'tocsin_apply_wait_seconds_count',
    'tocsin_first_attempt_seconds_count{channel="email"}',
    'tocsin_send_seconds_count{channel="text"}',
    'tocsin_deliveries_total{channel="email",status="sent"}',
    'tocsin_deliveries_total{channel="text",status="delivered"}',
    'tocsin_delivered_seconds_count{channel="text"}',
  ];
  expect(Object.fromEntries(counted.map(name => [name, rose(name)]))).toEqual(
    Object.fromEntries(counted.map(name => [name, 1])),
  );
  expect(rose('tocsin_accept_seconds_count')).toBe(2);
  expect(figuresIn(after)('tocsin_unapplied_calls')).toBe(0);
  expect(after).toContain('tocsin_delivery_due{channel="email"} 0');
  // Whoever scrapes learns nothing of anybody.
  for (const secret of [id, key, owner.accountId, 'Anna', 'anna@', '2025550111']) {
    expect(after).not.toContain(secret);
  }
});

test('what a carrier refuses and a window that ends are counted', async () => {
  const [smtp, twilio] = await Promise.all([startSmtp(), startTwilio()]);
  onTestFinished(async () => void (await Promise.all([smtp.stop(), twilio.stop()])));
  twilio.behave('busy');
  const world = await startWorld({ smtpUrl: smtp.url, carriers: { twilio: twilio.settings } });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { text: '+12025550111' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['text'] }] }]);
  const id = await owner.alarm({ modes: { away: { policyId, windowS: 30 } } });
  const key = await owner.key();
  const before = await scrape(world.url);
  await world.get(`/v1/alarm/${id}/trigger`, key);
  await world.settle();
  await world.advance(31);
  const after = await scrape(world.url);
  for (const name of [
    'tocsin_window_lateness_seconds_count',
    'tocsin_carrier_faults_total{channel="text",kind="temporary_fault"}',
  ]) {
    expect(figuresIn(after)(name) - figuresIn(before)(name), name).toBe(1);
  }
});

test('what goes in place of a message that failed is no first attempt, and what is never handed to a carrier is none', async () => {
  const [smtp, twilio] = await Promise.all([startSmtp(), startTwilio()]);
  onTestFinished(async () => void (await Promise.all([smtp.stop(), twilio.stop()])));
  const world = await startWorld({ smtpUrl: smtp.url, carriers: { twilio: twilio.settings } });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { text: '+12025550111', email: 'anna@example.com', push: 'topic' });
  const contacts = [{ contactId: anna, channels: ['text' as const, 'push' as const] }];
  const policyId = await owner.policy([{ delayS: 0, contacts }]);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  twilio.failNext({ status: 400, code: 21211 });
  const before = await scrape(world.url);
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.settle();
  expect(smtp.mails).toHaveLength(1);
  const after = await scrape(world.url);
  const rose = (series: string) => figuresIn(after)(series) - figuresIn(before)(series);
  const counted = (name: string) =>
    Object.fromEntries(
      ['text', 'push', 'email'].map(channel => [channel, rose(`${name}_count{channel="${channel}"}`)]),
    );
  expect(counted('tocsin_first_attempt_seconds')).toEqual({ text: 1, push: 0, email: 0 });
  expect(counted('tocsin_send_seconds')).toEqual({ text: 1, push: 0, email: 1 });
});

test('what a carrier that had taken a message reports afterwards counts as its fault', async () => {
  const twilio = await startTwilio();
  onTestFinished(() => twilio.stop());
  const world = await startWorld({ carriers: { twilio: twilio.settings }, publicUrl: 'of the facade' });
  const { id, key } = await family(world);
  const before = await scrape(world.url);
  await world.get(`/v1/alarm/${id}/trigger`, key);
  await world.settle();
  await twilio.tell((await twilio.nextMessage()).sid, 'undelivered', { errorCode: 30005 });
  const faults = 'tocsin_carrier_faults_total{channel="text",kind="permanent_fault"}';
  expect(figuresIn(await scrape(world.url))(faults) - figuresIn(before)(faults)).toBe(1);
});

test('an attempt that ends in an error of our own counts as one that the carrier failed, with its time', async () => {
  const broken: Carrier<'pigeon', Loft> = {
    ...pigeons,
    open: (kind, loft, on) => ({
      ...pigeons.open(kind, loft, on)!,
      async send() {
        throw new Error('the loft is on fire');
      },
    }),
  };
  const carriers = CARRIERS as Carrier<string, unknown>[];
  carriers.push(broken as Carrier<string, unknown>);
  onTestFinished(() => void carriers.pop());
  const loft: Loft = { pigeons: [], problem: null, ring: 'r1' };
  const world = await startWorld({ carriers: { pigeon: loft } as Partial<CarrierSettings> });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { push: 'the-roof-of-anna' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['push'] }] }]);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  const before = await scrape(world.url);
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.settle();
  const after = await scrape(world.url);
  for (const series of [
    'tocsin_send_seconds_count{channel="push"}',
    'tocsin_first_attempt_seconds_count{channel="push"}',
    'tocsin_carrier_faults_total{channel="push",kind="temporary_fault"}',
  ]) {
    expect(figuresIn(after)(series) - figuresIn(before)(series), series).toBe(1);
  }
});

test('a scrape does not wait for a database that hangs: it gives what was last seen, with its age', async () => {
  const postgresUrl = inject('postgresUrl');
  const name = `scraped_${Math.random().toString(36).slice(2)}`;
  const databaseUrl = new URL(await makeDatabase(postgresUrl, { name, from: TEMPLATE }));
  onTestFinished(() => dropDatabase(postgresUrl, name));
  const line = await startLine(Number(databaseUrl.port));
  const server = new URL(postgresUrl);
  server.port = String(line.port);
  const world = await startWorld({ server: server.href, database: name });
  await world.services.measure();

  line.silence();
  for (const url of [world.url, world.rpcUrl]) {
    const answer = world.store.pool.query('SELECT 1').then(
      () => 'the database',
      () => 'the database',
    );
    const text = await Promise.race([scrape(url), answer]);
    expect(text).toMatch(/^tocsin_oldest_unapplied_seconds 0$/m);
    expect(figuresIn(text)('tocsin_vitals_age_seconds')).toBeGreaterThan(0);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
  }
  line.mend();
});

test('a port of its own serves the pages and nothing else, and ends with the process', async () => {
  let state: 'well' | 'ill' = 'well';
  const pages = createHealthPages(async () => state === 'well');
  const port = await ownPort();
  const url = `http://127.0.0.1:${port}`;
  const served = await serveHealthPages(
    { host: '127.0.0.1', port, ifTaken: 'refuse_to_start' },
    pages,
    pino({ level: 'silent' }),
  );
  await scrape(url);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  state = 'ill';
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'services_not_ready' });
  for (const path of ['/', '/v1', '/metrics/', '/constructor', '/__proto__']) {
    expect((await fetch(url + path)).status, path).toBe(404);
  }
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404);
  await served.close();
  await expect(fetch(`${url}/livez`)).rejects.toThrow();
});

test('the usual port is taken: another one takes its place, and the log says so; one that was asked for is refused', async () => {
  const lines: string[] = [];
  const pages = createHealthPages(async () => true);
  const serve = (port: number, ifTaken: 'take_a_free_one' | 'refuse_to_start') =>
    serveHealthPages({ host: '127.0.0.1', port, ifTaken }, pages, logInto(lines));
  const port = await ownPort();
  const first = await serve(port, 'take_a_free_one');
  const second = await serve(port, 'take_a_free_one');
  expect(first.url).toBe(`http://127.0.0.1:${port}`);
  expect(second.url).not.toBe(first.url);
  for (const { url } of [first, second]) await scrape(url!);
  expect(lines.join()).toContain(`port ${port} is taken`);
  await expect(serve(port, 'refuse_to_start')).rejects.toThrow('EADDRINUSE');
  await Promise.all([first.close(), second.close()]);
});

test('whoever holds all connections of that port keeps nobody from scraping', async () => {
  const port = await ownPort();
  const served = await serveHealthPages(
    { host: '127.0.0.1', port, ifTaken: 'refuse_to_start' },
    createHealthPages(async () => true),
    pino({ level: 'silent' }),
  );
  const held = Array.from({ length: 300 }, () => connect({ host: '127.0.0.1', port }).on('error', () => {}));
  onTestFinished(() => held.forEach(socket => void socket.destroy()));
  await Promise.all(held.map(socket => once(socket, 'connect')));
  await scrape(`http://127.0.0.1:${port}`);
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  await served.close();
});

test('every series is in the table of the docs, and every series that the docs name is there', async () => {
  const world = await startWorld();
  const text = await scrape(world.url);
  const served = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!);
  const named = [...TABLE.matchAll(/`((?:tocsin|process|nodejs)_\w+)`/g)].map(([, name]) => name!);
  expect(named.filter(name => !served.includes(name))).toEqual([]);
  expect(served.filter(name => !/^(process|nodejs)_/.test(name)).toSorted()).toEqual(
    named.filter(name => name.startsWith('tocsin_')).toSorted(),
  );
  for (const [, name, type] of text.matchAll(/^# TYPE (tocsin_\S+) (\S+)$/gm)) {
    if (type === 'counter') expect(name).toMatch(/_total$/);
    if (type === 'histogram') expect(name).toMatch(/_seconds$/);
  }
});
