import { Code, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { describe, expect, test } from 'vitest';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { ResponderService } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import { BatchService } from '../../gen/tocsin/internal/v1/batch_pb.ts';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { newOwner, refusal } from '../support/console.ts';
import { startWorld } from '../support/world.ts';

const TOKEN = 's'.repeat(40);

const AS_SERVICE = { headers: { 'x-tocsin-service': TOKEN } };

const PROTOCOLS: [string, (baseUrl: string) => Transport][] = [
  ['gRPC', baseUrl => createGrpcTransport({ baseUrl })],
  ['gRPC-Web over HTTP/1.1', baseUrl => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })],
  ['Connect over HTTP/1.1', baseUrl => createConnectTransport({ baseUrl, httpVersion: '1.1' })],
  ['Connect over HTTP/2', baseUrl => createConnectTransport({ baseUrl, httpVersion: '2' })],
];

/** Without a call. */
async function* aMessage() {
  yield {};
}

/** What belongs between the parts of a deployment. */
const INTERNAL: [string, (transport: Transport, options?: { headers: Record<string, string> }) => Promise<unknown>][] =
  [
    [
      'Carry',
      async (transport, options) => {
        const answers: unknown[] = [];
        for await (const answer of createClient(BatchService, transport).carry(aMessage(), options))
          answers.push(answer);
      },
    ],
    ['RecheckGrants', (transport, options) => createClient(InventoryService, transport).recheckGrants({}, options)],
  ];

describe.each(PROTOCOLS)('over %s', (protocol, open) => {
  // Over HTTP/1.1 no client opens a stream both ways.
  const reachable = INTERNAL.filter(([name]) => name !== 'Carry' || !protocol.endsWith('HTTP/1.1'));
  test.each(reachable)('%s is for who shows SERVICE_TOKEN, and nobody else', async (_name, ask) => {
    const world = await startWorld({ serviceToken: TOKEN });
    const transport = open(world.rpcUrl);
    const wrong = { headers: { 'x-tocsin-service': `${TOKEN.slice(1)}t` } };
    for (const options of [undefined, wrong]) {
      expect(await refusal(ask(transport, options))).toMatchObject({ code: 'Unauthenticated' });
    }
    await ask(transport, AS_SERVICE);
  });

  test('a key opens what it opens without it', async () => {
    const world = await startWorld({ serviceToken: TOKEN });
    const owner = await world.account();
    const [key, alarmId] = [await owner.key(), await owner.alarm()];
    const alarms = createClient(AlarmService, open(world.rpcUrl));
    expect(await alarms.trigger({ alarmId }, { headers: { 'x-api-key': key } })).toMatchObject({ environment: 'live' });
  });
});

test('the page and the carriers are for who shows SERVICE_TOKEN', async () => {
  const world = await startWorld({ serviceToken: TOKEN });
  const responder = createClient(
    ResponderService,
    createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }),
  );
  expect(await refusal(responder.getPage({ token: 'x' }))).toMatchObject({ code: 'Unauthenticated' });
  expect(await refusal(responder.getPage({ token: 'x' }, AS_SERVICE))).not.toMatchObject({ code: 'Unauthenticated' });
});

test('whom a call comes from is believed from who shows SERVICE_TOKEN, and from nobody else', async () => {
  const world = await startWorld({ serviceToken: TOKEN });
  const { console: owner } = await newOwner(world);
  const { secret, apiKey } = await owner.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  const inventory = createClient(
    InventoryService,
    createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }),
  );
  const use = async (more: Record<string, string>) => {
    await inventory.checkKey({}, { headers: { 'x-api-key': secret, 'x-tocsin-client': '203.0.113.9 agent', ...more } });
    await world.settle();
    const { rows } = await world.store.pool.query('SELECT last_used_address AS address FROM api_key WHERE key = $1', [
      apiKey!.key,
    ]);
    return rows[0].address;
  };
  expect(await use({})).not.toBe('203.0.113.9');
  // A use is written down at most once a minute.
  await world.advance(61);
  expect(await use({ 'x-tocsin-service': TOKEN })).toBe('203.0.113.9');
});

test('a large message is accepted where a configuration comes in, and nowhere else', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const alarms = createClient(AlarmService, createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }));
  const asked = alarms.trigger(
    { alarmId: 'a'.repeat(2 * 1024 * 1024) },
    { headers: { 'x-api-key': await owner.key() } },
  );
  const { code } = (await asked.catch((error: { code: Code }) => error)) as { code: Code };
  expect(code).toBe(Code.ResourceExhausted);
});
