import type { JsonObject } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { nameOfField, SECTIONS_OF_FILE } from '../../../facade/console/page/forms/field-names.ts';
import { differenceOfFile, differences, pathOf } from '../../../facade/console/page/parts/differences.ts';
import { words as de } from '../../../facade/console/words/de/first.ts';
import { words as deRest } from '../../../facade/console/words/de/rest.ts';
import { words as en } from '../../../facade/console/words/en/first.ts';
import { words as enRest } from '../../../facade/console/words/en/rest.ts';
import type { Words } from '../../../facade/console/words/types.ts';
import { FILE_SCHEMA, type JsonSchema, SECTIONS } from '../../../services/configuration/file/schema.ts';
import { newOwner } from '../../support/console.ts';
import { verified } from '../../support/verified.ts';
import { startWorld } from '../../support/world.ts';

const LANGUAGES: readonly [string, Words][] = [
  ['en', { first: en, rest: enRest }],
  ['de', { first: de, rest: deRest }],
];

/** The paths of all fields of a thing in a file, down to those that are compared one by one. */
function pathsIn({ properties = {}, items }: JsonSchema, path = ''): string[] {
  if (items !== undefined) return pathsIn(items, path);
  return Object.entries(properties).flatMap(([field, inner]) => {
    const own = path === '' ? field : `${path}.${field}`;
    return [own, ...(field === 'secret' ? [] : pathsIn(inner, own))];
  });
}

const IN_FILE = [
  ['account', FILE_SCHEMA.properties!.account!] as const,
  ...Object.entries(SECTIONS).map(([section, kind]) => [kind, FILE_SCHEMA.properties![section]!] as const),
];

test('the page knows what every list of a file holds', () => {
  expect(SECTIONS_OF_FILE).toEqual(SECTIONS);
});

test.for(LANGUAGES)('every field that a file may change has a name for people: %s', ([, say]) => {
  for (const [thing, schema] of IN_FILE) {
    const paths = pathsIn(schema);
    expect(paths.length).toBeGreaterThan(3);
    const unnamed = paths
      .map(field => pathOf(differenceOfFile({ field, before: '', after: '' }).way))
      .filter(path => (nameOfField(say, thing, path) ?? '') === '');
    expect(unnamed, `${thing}: name them in facade/console/page/forms/field-names.ts`).toEqual([]);
  }
});

test('every field that the audit of a lived account shows has a name for people, in every language', async () => {
  const world = await startWorld();
  const { console: own, accountId } = await newOwner(world);
  const { members, contacts, locations, policies, alarms, panicButtons, apiKeys, audit } = own;
  await members.inviteMember({ email: 'noah@example.com', role: 'viewer', name: 'Noah' });
  const { contact } = await contacts.createContact({
    contact: { name: 'Anna', channels: [{ channel: 'email', address: 'anna@example.com' }] },
  });
  await verified(world, { accountId, contactId: contact!.id });
  const { location } = await locations.createLocation({ location: { name: 'Home' } });
  const steps = [{ delayS: 60, contacts: [{ contactId: contact!.id, channels: ['email'] }] }];
  await policies.createPolicy({ policy: { name: 'First', steps } });
  const at = { locationId: location!.id };
  const { alarm } = await alarms.createAlarm({ alarm: { ...at, name: 'House' } });
  await panicButtons.createPanicButton({ panicButton: { ...at, name: 'Bed', responseKind: 'fire' } });
  const { apiKey } = await apiKeys.createApiKey({ apiKey: { label: 'Camera', alarmId: alarm!.id } });
  await apiKeys.rotateApiKey({ apiKeyId: apiKey!.id, overlapS: 60 });

  const { changes } = await audit.listChanges({ pageSize: 200 });
  expect(new Set(changes.map(({ kind }) => kind))).toEqual(
    new Set(['account', 'token', 'member', 'contact', 'location', 'policy', 'alarm', 'panic_button', 'api_key']),
  );
  expect(changes.map(({ action }) => action)).toContain('rotate');
  for (const [, say] of LANGUAGES) {
    const shown = changes.flatMap(({ kind, before, after }) =>
      differences(before, after).flatMap(({ way }) =>
        way.map((_, at) => [kind, pathOf(way.slice(0, at + 1))] as const),
      ),
    );
    const inside = changes.flatMap(({ kind, after }) => insideOf(after ?? {}).map(path => [kind, path] as const));
    const unnamed = [...shown, ...inside].filter(([kind, path]) => (nameOfField(say, kind, path) ?? '') === '');
    expect([...new Set(unnamed.map(([kind, path]) => `${kind}: ${path}`))]).toEqual([]);
    expect(shown.map(([, path]) => path)).toContain('channels.verification');
    expect(inside.map(([, path]) => path)).toContain('steps.contacts.channels');
  }
});

/** The paths of all fields, however deep. */
function insideOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap(one => insideOf(one, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) => {
    const own = path === '' ? field : `${path}.${field}`;
    return [own, ...insideOf(inner, own)];
  });
}

const said = (before: JsonObject, after: JsonObject) =>
  differences(before, after).map(({ way, before, after }) => [
    way.map(place => ('field' in place ? place.field : `(${place.one})`)).join('.'),
    before,
    after,
  ]);

test('compares what is in a list with what is known by the same, wherever it stands', () => {
  const away = { id: 'away', windowS: 0, policyId: 'p' };
  const night = { id: 'night', windowS: 0, policyId: '' };
  expect(said({ modes: [away, night] }, { modes: [night, { ...away, windowS: 20 }] })).toEqual([
    ['modes.(away).windowS', 0, 20],
  ]);
  expect(said({ modes: [away, night] }, { modes: [away] })).toEqual([['modes.(night)', night, null]]);
  const [step, other] = [{ delayS: 0 }, { delayS: 60 }];
  expect(said({ steps: [step] }, { steps: [step, other] })).toEqual([['steps.(2)', null, other]]);
});

test('says of a list that its order alone is different', () => {
  const [email, text] = [{ channel: 'email' }, { channel: 'text' }];
  expect(said({ channels: [email, text] }, { channels: [text, email] })).toEqual([
    ['channels', [email, text], [text, email]],
  ]);
});
