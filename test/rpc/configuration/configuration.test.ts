import { Code, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { expect, test } from 'vitest';
import type { ApplyProgress } from '../../../gen/tocsin/console/v1/configuration_pb.ts';
import { LocationService } from '../../../gen/tocsin/console/v1/locations_pb.ts';
import { fault } from '../incident/incident-rig.ts';
import { changed, HOME, SECRETS, startConfigured, told } from './configuration-rig.ts';

test('a file makes an account work: its camera triggers its alarm', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  const progress: ApplyProgress[] = [];
  const { outcome, changes, total, newSecrets } = await home.apply(HOME, { secrets: SECRETS, progress });
  expect({ outcome, total }).toEqual({ outcome: 'applied', total: 7 });
  expect(changed(changes)).toEqual([
    'update account name',
    'create location home',
    'create contact anna',
    'create policy family',
    'create alarm house',
    'create panic_button bed',
    'create api_key camera',
  ]);
  expect([...new Set(progress.map(({ stage }) => stage))]).toEqual(['reading', 'comparing', 'writing']);
  expect(newSecrets).toMatchObject([{ key: 'camera', label: 'Camera', secret: expect.stringMatching(/^toc_\w{36}$/) }]);

  const houseId = changes.find(({ key }) => key === 'house')!.id;
  const armed = await world.get(`/v1/alarm/${houseId}/arm`, newSecrets[0]!.secret);
  expect(armed.status).toBe(202);
  await world.get(`/v1/alarm/${houseId}/trigger`, newSecrets[0]!.secret);
  await world.advance(31);
  const rows = await world.rows<{ channel: string }>('SELECT channel FROM delivery ORDER BY channel');
  expect(rows.map(({ channel }) => channel)).toEqual(['email', 'webhook', 'email', 'webhook'].sort());
});

test('the same file twice changes nothing, and check says before what apply does', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  const before = await home.check(HOME, { secrets: SECRETS });
  expect(before.problems).toEqual([]);
  expect(before.changes.filter(({ action }) => action === 'create').map(({ id }) => id)).toEqual([
    '',
    '',
    '',
    '',
    '',
    '',
  ]);
  const first = await home.apply(HOME, { secrets: SECRETS });
  expect(changed(before.changes)).toEqual(changed(first.changes));

  const versions = 'SELECT id, version FROM source UNION ALL SELECT id, version FROM contact ORDER BY id';
  const was = await world.rows(versions);
  const second = await home.apply(HOME, { secrets: SECRETS, prune: true });
  expect(second).toMatchObject({ outcome: 'unchanged', changes: [], total: 0, newSecrets: [], problems: [] });
  expect((await home.check(HOME, { secrets: SECRETS })).changes).toEqual([]);
  expect(await world.rows(versions)).toEqual(was);
});

test('a rename keeps the id, and only what differs is told', async () => {
  const { account } = await startConfigured();
  const home = await account();
  const made = await home.apply(HOME, { secrets: SECRETS });
  const idOf = (key: string) => made.changes.find(one => one.key === key)!.id;
  const other = HOME.replace('name: House', 'name: The house')
    .replace('windowS: 30', 'windowS: 60')
    .replace('delayS: 0', 'delayS: 5');
  const { changes } = await home.apply(other, { secrets: SECRETS });
  expect(changed(changes)).toEqual([
    'update policy family steps[0].delayS',
    'update alarm house name,modes[1].windowS',
  ]);
  expect(changes.map(({ id }) => id)).toEqual([idOf('family'), idOf('house')]);
  expect(changes[1]!.fields[0]).toMatchObject({ field: 'name', before: '"House"', after: '"The house"' });
});

test('a field that the file leaves out has its default, a thing that it leaves out stays unless pruned', async () => {
  const { account } = await startConfigured();
  const home = await account();
  await home.apply(HOME, { secrets: SECRETS });
  const less = 'version: 1\nlocations: [{ key: home, name: Home }]\n';
  const kept = await home.apply(less);
  expect(changed(kept.changes)).toEqual(['update location home address']);
  expect(await home.export()).toContain('key: house');

  const would = await home.check(less, { prune: true });
  const pruned = await home.apply(less, { prune: true });
  expect(changed(pruned.changes)).toEqual([
    'delete panic_button bed',
    'delete alarm house',
    'delete policy family',
    'delete contact anna',
    'delete api_key camera',
  ]);
  expect(changed(would.changes)).toEqual(changed(pruned.changes));
  expect((await home.export()).replace(/^#.*\n/gm, '')).toBe(
    `version: 1\naccount:\n  name: Home\n  ownerEmail: ""\n  ownerLocale: en\n  ownerTimeZone: UTC\n  stillHappeningS: 0\n  drills: "off"\n\nlocations:\n  - { key: home, name: Home, test: false }\n`,
  );
});

test('what is still used is not pruned: the place that uses it is told', async () => {
  const { account } = await startConfigured();
  const home = await account();
  await home.apply(HOME, { secrets: SECRETS });
  const before = await home.export();
  const without = HOME.replace(/contacts:.*?policies:/s, 'policies:');
  const { outcome, problems } = await home.apply(without, { prune: true });
  expect(outcome).toBe('refused');
  expect(told(problems)).toEqual([
    '9 policies[0].steps[0].contacts[0].contact takes the key of a contact of this file (what it does not name is deleted), got "anna".',
  ]);
  expect(await home.export()).toBe(before);
  expect((await home.apply(without)).outcome).toBe('unchanged');
});

test('unknown references and all other mistakes are told together, in the order of the file, and nothing is written', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  const text = HOME.replace('location: home, resp', 'location: hoem, resp')
    .replace('policy: family, windowS: 30', 'policy: familly, windowS: 300')
    .replace('contact: anna', 'contact: noah');
  const { outcome, problems, missingSecrets, changes } = await home.apply(text);
  expect(outcome).toBe('refused');
  expect(changes).toEqual([]);
  expect(missingSecrets).toEqual(['env:HOOK_URL']);
  expect(told(problems)).toEqual([
    '13 contacts[0].channels[1].address takes the secret that env:HOOK_URL names, got nothing.',
    '18 policies[0].steps[0].contacts[0].contact takes the key of a contact of this file or this account, got "noah".',
    '26 alarms[0].modes[0].policy takes the key of a policy of this file or this account, got "familly". (family)',
    '26 alarms[0].modes[0].windowS takes a whole number from 0 to 120 seconds, got 300.',
    '28 panicButtons[0].location takes the key of a location of this file or this account, got "hoem". (home)',
  ]);
  expect(await home.check(text)).toMatchObject({ missingSecrets, changes: [] });
  expect(told((await home.check(text)).problems)).toEqual(told(problems));
  expect(await world.rows('SELECT FROM location')).toEqual([]);
});

test('secrets are nowhere to be read afterwards: not in changes, not in the audit, not in the tables', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  await home.apply(HOME, { secrets: { 'env:HOOK_URL': 'https://hooks.example.com/f1rst' } });
  const { changes } = await home.apply(HOME, { secrets: SECRETS });
  expect(changes).toMatchObject([
    { key: 'anna', fields: [{ field: 'channels[1].address', before: '"…"', after: '{"env":"HOOK_URL"}' }] },
  ]);
  const [{ all }] = (await world.rows(
    `SELECT (SELECT json_agg(a) FROM audit a)::text || (SELECT json_agg(c) FROM contact_channel c)::text AS all`,
  )) as [{ all: string }];
  expect(all).toContain('anna');
  expect(all).not.toMatch(/s3cret|f1rst|anna@example/);
});

test('two applies at once are one after the other: both are whole, and the last one holds', async () => {
  const { account } = await startConfigured();
  const home = await account();
  const files = ['One', 'Two', 'Three', 'Four'].map(word => HOME.replaceAll(/name: (\w+)/g, `name: ${word}`));
  const results = await Promise.all(files.map(text => home.apply(text, { secrets: SECRETS })));
  expect(results.map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'applied', 'applied']);
  expect(results.filter(({ newSecrets }) => newSecrets.length > 0)).toHaveLength(1);
  const names = (await home.export()).match(/(?<=name: )(One|Two|Three|Four)/g);
  expect(names?.length).toBeGreaterThan(4);
  expect(new Set(names).size).toBe(1);
});

test('accounts do not see each other: the same keys, other things', async () => {
  const { world, account } = await startConfigured();
  const [home, outsider] = [await account(), await account('Outsider')];
  const mine = await home.apply(HOME, { secrets: SECRETS });
  const before = await home.export();
  expect(await outsider.export()).not.toContain('key:');
  const theirs = await outsider.apply(HOME.replaceAll('House', 'Their house'), { secrets: SECRETS });
  expect(theirs.changes.map(({ action }) => action).slice(1)).toEqual(mine.changes.map(() => 'create').slice(1));
  expect((await outsider.apply('version: 1\n', { prune: true })).total).toBe(6);
  expect(await home.export()).toBe(before);
  expect(told((await outsider.check('version: 1\nalarms: [{ key: a, name: A, location: home }]\n')).problems)).toEqual([
    '2 alarms[0].location takes the key of a location of this file or this account, got "home".',
  ]);

  const named = { headers: { ...outsider.headers, 'x-tocsin-account': home.accountId } };
  expect((await fault(home.client.export({}, named))).code).toBe(Code.NotFound);
  const operator = { headers: { authorization: `Bearer ${world.operator}`, 'x-tocsin-account': home.accountId } };
  expect((await home.client.export({}, operator)).text).toBe(before);
});

test('an API key opens nothing here, nor does nothing at all', async () => {
  const { account } = await startConfigured();
  const home = await account();
  const { newSecrets } = await home.apply(HOME, { secrets: SECRETS });
  const key = newSecrets[0]!.secret;
  for (const headers of [{}, { 'x-api-key': key }, { authorization: `Bearer ${key}` }]) {
    const text = 'version: 1\n';
    const stream = async () => {
      for await (const _ of home.client.apply({ text }, { headers })) throw new Error('It answered.');
    };
    const calls = [
      () => home.client.check({ text }, { headers }),
      () => home.client.export({}, { headers }),
      () => home.client.getSchema({}, { headers }),
      stream,
    ];
    for (const call of calls) expect((await fault(call())).code).toBe(Code.Unauthenticated);
  }
});

test('what was made over RPC belongs to the same account of things', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  const transport = createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' });
  const locations = createClient(LocationService, transport);
  const made = await locations.createLocation({ location: { name: 'Home' } }, { headers: home.headers });
  const { changes } = await home.apply(HOME, { secrets: SECRETS });
  expect(changes[1]).toMatchObject({ action: 'update', kind: 'location', id: made.location!.id });
});
