import { readFileSync } from 'node:fs';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { expect, test } from 'vitest';
import { ConfigurationService } from '../../../gen/tocsin/console/v1/configuration_pb.ts';
import { HOME, SECRETS, startConfigured } from './configuration-rig.ts';

test('the export is the same every time, has no secret of a key, and applied again changes nothing', async () => {
  const { account } = await startConfigured();
  const home = await account();
  const { newSecrets } = await home.apply(HOME, { secrets: SECRETS });
  const text = await home.export();
  expect(await home.export()).toBe(text);
  expect(text).not.toContain(newSecrets[0]!.secret.slice(-6));
  expect(text.replace(/^#.*\n/gm, '')).toBe(`version: 1
account:
  name: Home
  ownerEmail: ""
  ownerLocale: en
  ownerTimeZone: UTC
  stillHappeningS: 0
  drills: "off"

locations:
  - { key: home, name: Home, address: "12 Example Street\\n1010 Example City", test: false }

contacts:
  - key: anna
    name: Anna Example
    locale: de-AT
    timeZone: Europe/Vienna
    voice: Polly.Vicki
    channels:
      - { channel: email, address: anna@example.com }
      - { channel: webhook, address: "https://hooks.example.com/s3cret" }

policies:
  - key: family
    name: Family
    steps:
      - contacts:
          - { contact: anna, channels: [ email, webhook ] }
    repeat: 1
    repeatDelayS: 600

alarms:
  - key: house
    name: House
    location: home
    test: false
    modes:
      - { id: home, name: Home }
      - { id: away, name: Away, policy: family, windowS: 30 }

panicButtons:
  - { key: bed, name: Bedside, location: home, test: true, responseKind: medical, policy: family }

apiKeys:
  - { key: camera, label: Camera, alarm: house }
`);
  expect(await home.apply(text, { prune: true })).toMatchObject({ outcome: 'unchanged', problems: [] });
});

test('an export applied to a fresh account gives the same inventory, whatever is in the names', async () => {
  const { world, account } = await startConfigured();
  const [home, copy] = [await account(), await account()];
  const names = [
    'yes',
    '"12"',
    '"~"',
    '"a: b # c"',
    '"*x & \\"y\\" \'z\'"',
    "'{[,]}'",
    '"Zoë  ☎"',
    '"-"',
    '"1e3"',
    '"Anna "',
  ];
  const locations = names
    .map((name, n) => `  - { key: "${n}", name: ${name}, address: "a\\n\\n  b: ${n}\\n" }\n`)
    .join('');
  const many = HOME.replace('locations:\n', `locations:\n${locations}`);
  await home.apply(many, { secrets: SECRETS });
  // Made before there were keys: their ids are their keys.
  await world.rows("UPDATE location SET key = id WHERE key = '3'");

  const text = await home.export();
  expect(await copy.apply(text)).toMatchObject({ outcome: 'applied', problems: [] });
  expect(await copy.export()).toBe(text);
});

test('an empty account is a file too', async () => {
  const { account } = await startConfigured();
  const home = await account('no');
  expect((await home.export()).replace(/^#.*\n/gm, '')).toBe(`version: 1
account:
  name: "no"
  ownerEmail: ""
  ownerLocale: en
  ownerTimeZone: UTC
  stillHappeningS: 0
  drills: "off"
`);
  expect(await home.apply(await home.export(), { prune: true })).toMatchObject({ outcome: 'unchanged' });
});

test('the JSON Schema that the service gives is the one that the docs publish', async () => {
  const { world, account } = await startConfigured();
  const { headers } = await account();
  const client = createClient(
    ConfigurationService,
    createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }),
  );
  const { schema } = await client.getSchema({}, { headers });
  const published = readFileSync(new URL('../../../facade/docs/config.schema.json', import.meta.url), 'utf8');
  expect(JSON.parse(published)).toEqual(JSON.parse(schema));
  const answer = await fetch(`${world.url}/docs/config.schema.json`);
  expect(answer.headers.get('content-type')).toBe('application/schema+json; charset=utf-8');
  expect(await answer.text()).toBe(published);
  expect(JSON.parse(schema)).toMatchObject({
    properties: {
      alarms: { items: { required: ['key', 'name', 'location'], properties: { location: { type: 'string' } } } },
    },
  });
});
