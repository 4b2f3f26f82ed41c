import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { newOwner, refusal } from '../../support/console.ts';
import { startWorld } from '../../support/world.ts';

async function anAlarm() {
  const world = await startWorld();
  const owner = await newOwner(world);
  const own = owner.console;
  await own.locations.createLocation({ location: { name: 'Home' } });
  const { alarm } = await own.alarms.createAlarm({ alarm: { name: 'House', locationId: 'home' } });
  const status = async (secret: string, id = alarm!.id) => (await world.get(`/v1/alarm/${id}/arm`, secret)).status;
  return { world, ...owner, own, alarm: alarm!, status };
}

test('a key opens /v1, its secret is shown once and stored nowhere', async () => {
  const { world, own, status } = await anAlarm();
  const { apiKey, secret } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  expect(secret).toMatch(/^toc_[0-9A-Za-z]{36}$/);
  expect(apiKey).toMatchObject({ key: 'camera', label: 'Camera', status: 'active', lastUsedAddress: '' });
  expect(apiKey!.secrets).toMatchObject([{ last4: secret.slice(-4) }]);
  expect(await status(secret)).toBe(202);
  const kept = await Promise.all(
    ['api_key', 'api_key_secret', 'audit'].map(table =>
      world.rows(`SELECT row_to_json(t)::text AS row FROM ${table} t`),
    ),
  );
  expect(JSON.stringify(kept)).not.toContain(secret);
  expect(JSON.stringify((await own.apiKeys.listApiKeys({})).apiKeys, (_, value) => `${value}`)).not.toContain(secret);
});

test('a key for one alarm reaches no other', async () => {
  const { own, status } = await anAlarm();
  const other = (await own.alarms.createAlarm({ alarm: { name: 'Shop', locationId: 'home' } })).alarm!;
  const { secret } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera', alarmId: 'house' } });
  expect([await status(secret), await status(secret, other.id)]).toEqual([202, 404]);
});

test('revoked: the very next call is a 401, twice is fine, and nothing brings it back', async () => {
  const { own, status } = await anAlarm();
  const { secret } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  expect(await status(secret)).toBe(202);
  for (const _ of [1, 2]) {
    expect((await own.apiKeys.revokeApiKey({ apiKeyId: 'camera' })).apiKey).toMatchObject({ status: 'revoked' });
    expect(await status(secret)).toBe(401);
  }
  expect(await refusal(own.apiKeys.rotateApiKey({ apiKeyId: 'camera' }))).toMatchObject({ code: 'FailedPrecondition' });
  const { version } = (await own.apiKeys.getApiKey({ apiKeyId: 'camera' })).apiKey!;
  const revived = own.apiKeys.updateApiKey({ apiKey: { id: 'camera', version, label: 'Alive' } });
  expect(await refusal(revived)).toMatchObject({ code: 'FailedPrecondition' });
  const actions = (await own.audit.listChanges({})).changes.map(one => `${one.kind} ${one.action}`);
  expect(actions.filter(one => one === 'api_key revoke')).toEqual(['api_key revoke']);
});

test('rotated: both secrets open until the overlap ends, then only the new one', async () => {
  const { world, own, status } = await anAlarm();
  const { secret: before } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  const { secret: after, apiKey } = await own.apiKeys.rotateApiKey({ apiKeyId: 'camera', overlapS: 3600 });
  expect(apiKey!.secrets.map(one => one.last4)).toEqual([after.slice(-4), before.slice(-4)]);
  expect([await status(before), await status(after)]).toEqual([202, 202]);
  await world.advance(3599);
  expect(await status(before)).toBe(202);
  await world.advance(1);
  expect([await status(before), await status(after)]).toEqual([401, 202]);
  const { secret: last } = await own.apiKeys.rotateApiKey({ apiKeyId: 'camera', overlapS: 0 });
  expect([await status(after), await status(last)]).toEqual([401, 202]);
  expect(await refusal(own.apiKeys.rotateApiKey({ apiKeyId: 'camera', overlapS: 2_592_001 }))).toMatchObject({
    fields: { overlapS: 'takes 0 to 2592000 seconds, got 2592001.' },
  });
});

test('a key with an end stops at it; its reach never changes', async () => {
  const { world, own, status } = await anAlarm();
  const expiresAt = timestampFromDate(new Date('2026-01-15T21:00:00Z'));
  const { apiKey, secret } = await own.apiKeys.createApiKey({ apiKey: { label: 'Guest', expiresAt } });
  await world.advance(3599);
  expect(await status(secret)).toBe(202);
  await world.advance(1);
  expect(await status(secret)).toBe(401);
  const again = await own.apiKeys.updateApiKey({ apiKey: { id: apiKey!.id, version: 1, label: 'Guest' } });
  expect(again.apiKey).toMatchObject({ status: 'active', label: 'Guest', version: 2 });
  expect(await status(secret)).toBe(202);
  const moved = own.apiKeys.updateApiKey({ apiKey: { id: apiKey!.id, version: 2, label: 'Guest', alarmId: 'house' } });
  expect(await refusal(moved)).toMatchObject({ fields: { alarmId: expect.stringContaining('Create another key') } });
});

test('another account neither sees nor changes a key, and cannot tell whether there is one', async () => {
  const { world, own } = await anAlarm();
  const { apiKey } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  const stranger = (await newOwner(world)).console.apiKeys;
  expect((await stranger.listApiKeys({})).apiKeys).toEqual([]);
  const unknown = await refusal(stranger.getApiKey({ apiKeyId: 'a'.repeat(32) }));
  for (const apiKeyId of [apiKey!.id, 'camera']) {
    expect(await refusal(stranger.getApiKey({ apiKeyId }))).toEqual(unknown);
    expect(await refusal(stranger.revokeApiKey({ apiKeyId }))).toEqual(unknown);
    expect(await refusal(stranger.rotateApiKey({ apiKeyId }))).toEqual(unknown);
  }
});

/* DECISIONS.md "Look here" */
describe('the look-here link of a key', () => {
  test('is stored, changed and taken away like its other fields', async () => {
    const { own } = await anAlarm();
    const lookUrl = 'https://cameras.example.com/front?view=1#now';
    const { apiKey } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera', lookUrl: ` ${lookUrl} ` } });
    expect(apiKey!.lookUrl).toBe(lookUrl);
    const mask = { updateMask: { paths: ['look_url'] } };
    const inside = { id: 'camera', version: 1, lookUrl: 'http://192.168.1.20/' };
    expect((await own.apiKeys.updateApiKey({ apiKey: inside, ...mask })).apiKey).toMatchObject({
      label: 'Camera',
      lookUrl: 'http://192.168.1.20/',
      version: 2,
    });
    const gone = await own.apiKeys.updateApiKey({ apiKey: { id: 'camera', version: 2 }, ...mask });
    expect(gone.apiKey).toMatchObject({ lookUrl: '', version: 3 });
    expect((await own.apiKeys.createApiKey({ apiKey: { label: 'Hall' } })).apiKey!.lookUrl).toBe('');
  });

  test.each([
    'cameras.example.com',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://cameras.example.com/',
    'http://cameras.example.com/',
    'https://anna:secret@cameras.example.com/',
    'https://anna@cameras.example.com/',
    'https://cameras.example.com/a b',
    'https://cameras.example.com/\u202egnp',
    'https://',
    `https://cameras.example.com/${'x'.repeat(500)}`,
  ])('%s is none', async lookUrl => {
    const { own } = await anAlarm();
    const refused = await refusal(own.apiKeys.createApiKey({ apiKey: { label: 'Camera', lookUrl } }));
    expect(refused.code).toBe('InvalidArgument');
    expect(refused.fields.lookUrl).toMatch(
      /^takes an https URL without a login, at most 500 characters, or nothing for none, got "/,
    );
    expect((await own.apiKeys.listApiKeys({})).apiKeys).toEqual([]);
  });

  test('is nobody else’s to set', async () => {
    const { world, own } = await anAlarm();
    const { apiKey } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
    const stranger = (await newOwner(world)).console.apiKeys;
    const lookUrl = 'https://evil.example.com/';
    const tried = stranger.updateApiKey({
      apiKey: { id: apiKey!.id, version: 1, lookUrl },
      updateMask: { paths: ['look_url'] },
    });
    expect((await refusal(tried)).code).toBe('NotFound');
    expect((await own.apiKeys.getApiKey({ apiKeyId: 'camera' })).apiKey!.lookUrl).toBe('');
  });
});
