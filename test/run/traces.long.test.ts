import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { pino } from 'pino';
import { register } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { recordSpan, startTracing } from '../../services/process/traces.ts';
import { type Collector, startCollector } from '../support/otlp.ts';
import { startTwilio } from '../support/twilio.ts';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';

const log = pino({ level: 'silent' });

/** Traces go to the collector until the test ends. */
async function traceTo(collector: Pick<Collector, 'url'>) {
  const tracing = await startTracing({ collector: collector.url, service: 'tocsin' }, log);
  onTestFinished(tracing.close);
  return tracing;
}

async function dropped(): Promise<number> {
  const { values } = await register.getSingleMetric('tocsin_trace_spans_dropped_total')!.get();
  return values[0]!.value;
}

const digits = (uuid: string) => uuid.replaceAll('-', '');

test('a call, its acceptance, what came of it and its messages are one trace, whose id is the traceId of the answer', async () => {
  const [collector, twilio] = await Promise.all([startCollector(), startTwilio()]);
  onTestFinished(() => twilio.stop());
  await traceTo(collector);
  const world = await startWorld({ carriers: { twilio: twilio.settings } });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { text: '+12025550111' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['text'] }] }]);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  const key = await owner.key();
  const { status, body } = await world.get(`/v1/alarm/${id}/trigger`, key);
  expect(status).toBe(202);
  await world.settle();

  const traceId = digits(body.traceId);
  const spans = await collector.of(traceId, 4);
  const [incident] = await owner.incidents();
  const [delivery] = incident!.deliveries;
  const root = spans.find(({ name }) => name === 'GET /v1/alarm/{alarm_id}/trigger')!;
  expect(root.spanId).toBe(traceId.slice(16));
  expect(root.parentSpanId || undefined).toBeUndefined();
  const rest = spans.filter(span => span !== root);
  expect(rest.map(({ parentSpanId }) => parentSpanId)).toEqual([root.spanId, root.spanId, root.spanId]);
  const shown = spans.map(({ name, kind, attributes, status: { code } }) => ({ name, kind, attributes, code }));
  expect(shown.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    {
      name: 'GET /v1/alarm/{alarm_id}/trigger',
      kind: 2,
      code: 0,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/alarm/{alarm_id}/trigger',
        'http.response.status_code': 202,
      },
    },
    {
      name: 'accept trigger',
      kind: 2,
      code: 0,
      attributes: { 'tocsin.outcome': 'accepted', 'tocsin.verb': 'trigger', 'tocsin.source': 'alarm' },
    },
    { name: 'apply', kind: 1, code: 0, attributes: { 'tocsin.outcome': 'opened', 'tocsin.incident': incident!.id } },
    {
      name: 'send text',
      kind: 3,
      code: 0,
      attributes: {
        'tocsin.channel': 'text',
        'tocsin.outcome': 'sent',
        'tocsin.purpose': 'alert',
        'tocsin.round': 0,
        'tocsin.step': 0,
        'tocsin.attempt': 1,
        'tocsin.incident': incident!.id,
        'tocsin.delivery': delivery!.id,
      },
    },
  ]);
  for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
    expect(Math.abs(Number(BigInt(startTimeUnixNano) / 1_000_000n) - Date.now())).toBeLessThan(60_000);
  }
  for (const secret of ['Anna', '2025550111', key, owner.accountId]) expect(collector.raw()).not.toContain(secret);
});

test('a typed call has a trace of its own, linked to the traceparent that came with it; one that is refused says why', async () => {
  const collector = await startCollector();
  await traceTo(collector);
  const world = await startWorld();
  const owner = await world.account();
  const id = await owner.alarm({ modes: { away: {} }, onlyWhenArmed: true });
  const parent = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
  const headers = { 'x-api-key': await owner.key(), traceparent: `00-${parent.traceId}-${parent.spanId}-01` };
  const client = createClient(AlarmService, createGrpcTransport({ baseUrl: world.rpcUrl }));
  let own = '';
  await client.arm({ alarmId: id }, { headers, onHeader: header => (own = header.get('x-tocsin-trace')!) });
  await world.settle();
  const [accepted, applied] = (await collector.of(digits(own), 2)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  expect(accepted).toMatchObject({ name: 'accept arm', spanId: digits(own).slice(16), links: [parent] });
  expect(accepted!.parentSpanId || undefined).toBeUndefined();
  expect(applied).toMatchObject({
    name: 'apply',
    parentSpanId: accepted!.spanId,
    attributes: { 'tocsin.outcome': 'armed' },
  });
  // Nothing is in the caller's trace, which is for the caller to tell.
  expect(collector.spans.filter(({ traceId }) => traceId === parent.traceId)).toEqual([]);

  const { body, status } = await world.get(`/v1/alarm/${'a'.repeat(32)}/trigger`, headers['x-api-key']);
  expect(status).toBe(404);
  const [, refused] = (await collector.of(digits(body.traceId), 2)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  expect(refused!.attributes['tocsin.outcome']).toBe('not_found');
});

test.each([
  'hang',
  'refuse',
] as const)('a collector that answers by "%s" holds up no call: spans are dropped and counted', async mode => {
  const collector = await startCollector();
  collector.behave(mode);
  const tracing = await traceTo(collector);
  const world = await startWorld();
  const owner = await world.account();
  const id = await owner.alarm({ modes: { away: {} } });
  const key = await owner.key();
  const before = await dropped();
  for (let calls = 0; calls < 20; calls++) expect((await world.get(`/v1/alarm/${id}/arm`, key)).status).toBe(202);
  await eventually(() => collector.requests() > 0, { what: 'the collector to be asked' });
  expect((await world.get(`/v1/alarm/${id}/arm`, key)).status).toBe(202);
  await world.settle();
  await tracing.close();
  await eventually(async () => (await dropped()) - before >= 20, { what: 'spans to be dropped' });
});

test('more spans than may wait are dropped at once', async () => {
  const collector = await startCollector();
  collector.behave('hang');
  await traceTo(collector);
  const before = await dropped();
  const span = { name: 'apply', place: 'part', kind: 'internal', result: 'ok', attributes: {} } as const;
  const [beganAt, endedAt] = [Date.now() - 5, Date.now()];
  for (let spans = 0; spans < 10_000; spans++) {
    recordSpan?.({ ...span, traceId: '01890a5d-ac96-774b-bcce-b302099a8057', beganAt, endedAt });
  }
  expect((await dropped()) - before).toBe(10_000 - 8_192);
});

test('without a collector nothing records, and OpenTelemetry is loaded by one file alone, and that by import()', () => {
  expect(recordSpan).toBeNull();
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const files = ['services', 'facade'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(path => join(folder, path)),
  );
  const sources = files
    .filter(path => /\.tsx?$/.test(path))
    .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  const loading = (what: RegExp) => sources.filter(({ text }) => what.test(text)).map(({ path }) => path);
  expect(loading(/from '@opentelemetry\//)).toEqual(['services/process/otlp.ts']);
  expect(loading(/from '[./\w-]*\/otlp\.ts'/)).toEqual([]);
  expect(loading(/import\('[./\w-]*\/otlp\.ts'\)/)).toEqual(['services/process/traces.ts']);
});
