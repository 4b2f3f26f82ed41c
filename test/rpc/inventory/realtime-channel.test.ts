import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { GRANTS_MOST } from '../../../services/inventory/change-channel.ts';
import { newId } from '../../../services/store/id.ts';
import { newSecret } from '../../../services/store/secret.ts';
import { consoleOf } from '../../support/console.ts';
import { startWorld } from '../../support/world.ts';
import { fault } from '../incident/incident-rig.ts';
import { inventoryOf, withKey } from './realtime-rig.ts';

/* Who may listen to what, and for how long (DECISIONS.md "Channel", "Key format"). */

async function aHouse() {
  const world = await startWorld();
  const [owner, outsider] = [await world.account(), await world.account()];
  const [alarmId, otherAlarmId] = [await owner.alarm(), await owner.alarm()];
  const inventory = inventoryOf(world);
  const authorize = (key: string, channel = '') => inventory.authorizeChannel({ channel }, withKey(key));
  return { world, owner, outsider, alarmId, otherAlarmId, inventory, authorize };
}

describe('AuthorizeChannel', () => {
  test('a key for the account hears all of it, on its channel and at a connect that names none', async () => {
    const { owner, authorize } = await aHouse();
    const { id, secret } = await owner.keyWithId();
    for (const channel of [`/account/${owner.accountId}`, '']) {
      const { grant, ...heard } = await authorize(secret, channel);
      expect(heard).toMatchObject({ accountId: owner.accountId, alarmId: '', keyId: id });
      expect(grant).toMatch(/^\S{1,64}$/);
      expect(grant).not.toContain(secret);
    }
  });

  test('a key for one alarm hears that alarm only, whichever of its two channels it names', async () => {
    const { owner, alarmId, authorize } = await aHouse();
    const key = await owner.key(alarmId);
    for (const channel of [`/account/${owner.accountId}/alarm/${alarmId}`, `/account/${owner.accountId}`, '']) {
      expect(await authorize(key, channel)).toMatchObject({ accountId: owner.accountId, alarmId });
    }
  });

  test('every other channel is refused in the same words, whether it exists or not', async () => {
    const { owner, outsider, alarmId, otherAlarmId, authorize } = await aHouse();
    const own = `/account/${owner.accountId}`;
    const nobodys = [
      `/account/${outsider.accountId}`,
      `/account/${outsider.accountId}/alarm/${alarmId}`,
      `/account/${newId()}`,
      `${own}/alarm/${otherAlarmId}`,
      `${own}/alarm/${newId()}`,
      `${own}/`,
      `${own}/*`,
      '/account/*',
      '/*',
      own.slice(1),
      own.toUpperCase(),
      `${own}\n`,
      'x'.repeat(100_000),
    ];
    const cases = [
      ...[...nobodys, `${own}/alarm/${alarmId}`].map(channel => ({ key: owner.key(), channel })),
      ...nobodys.map(channel => ({ key: owner.key(alarmId), channel })),
      { key: outsider.key(), channel: own },
      { key: outsider.key(), channel: `${own}/alarm/${alarmId}` },
    ];
    for (const { key, channel } of cases) {
      const { code, rawMessage } = await fault(authorize(await key, channel));
      const said = {
        code: Code.PermissionDenied,
        rawMessage: 'This key may not listen there: describe names its channel.',
      };
      expect({ code, rawMessage }, channel.slice(0, 100)).toEqual(said);
    }
  });

  test('a bad key is UNAUTHENTICATED, whatever it asks for', async () => {
    const { world, owner, authorize } = await aHouse();
    const own = consoleOf(world, world.operator, owner.accountId);
    const { secret } = await own.apiKeys.createApiKey({ apiKey: { label: 'Panel' } });
    expect(await authorize(secret)).toMatchObject({ accountId: owner.accountId });
    await own.apiKeys.revokeApiKey({ apiKeyId: 'panel' });
    for (const key of ['', 'nonsense', newSecret('toc'), newSecret('tcn'), secret]) {
      for (const channel of ['', `/account/${owner.accountId}`, '/account/*']) {
        expect((await fault(authorize(key, channel))).code).toBe(Code.Unauthenticated);
      }
    }
  });
});

describe('RecheckGrants', () => {
  test('tells which ended: revoked, rotated away, expired; and of what was never given that it is none', async () => {
    const { world, owner, outsider, inventory, authorize } = await aHouse();
    const own = consoleOf(world, world.operator, owner.accountId);
    const secrets = async (label: string) => (await own.apiKeys.createApiKey({ apiKey: { label } })).secret;
    const [stays, goes, rotates, overlaps] = await Promise.all(['stays', 'goes', 'rotates', 'overlaps'].map(secrets));
    const theirs = await outsider.key();
    const grantOf = async (secret: string) => (await authorize(secret)).grant;
    const grants = await Promise.all([stays!, goes!, rotates!, overlaps!, theirs].map(grantOf));
    const [, gone, rotated, overlapping] = grants as [string, string, string, string, string];
    const ended = async (asked: string[]) => new Set((await inventory.recheckGrants({ grants: asked })).ended);
    expect(await ended(grants)).toEqual(new Set());

    await own.apiKeys.revokeApiKey({ apiKeyId: 'goes' });
    const { secret: next } = await own.apiKeys.rotateApiKey({ apiKeyId: 'rotates', overlapS: 0 });
    await own.apiKeys.rotateApiKey({ apiKeyId: 'overlaps', overlapS: 60 });
    expect(await ended([...grants, await grantOf(next)])).toEqual(new Set([gone, rotated]));
    await world.advance(60);
    expect(await ended(grants)).toEqual(new Set([gone, rotated, overlapping]));

    const none = ['', 'nonsense', 'A'.repeat(43), 'é'.repeat(43), `${grants[0]}=`, 'x'.repeat(100_000)];
    expect(await ended([...none, grants[0]!])).toEqual(new Set(none));
    expect(await ended([])).toEqual(new Set());
  });

  test('takes a great many at once, and no more than it says', async () => {
    const { owner, inventory, authorize } = await aHouse();
    const { grant } = await authorize(await owner.key());
    const unknown = Array.from({ length: GRANTS_MOST - 1 }, (_, n) => String(n).padStart(43, 'A'));
    expect((await inventory.recheckGrants({ grants: [grant, ...unknown] })).ended).toEqual(unknown);
    const refused = await fault(inventory.recheckGrants({ grants: [grant, grant, ...unknown] }));
    expect([refused.code, refused.rawMessage]).toEqual([
      Code.InvalidArgument,
      'grants takes at most 10000 in one call, got 10001.',
    ]);
  });
});
