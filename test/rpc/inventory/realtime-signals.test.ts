import { describe, expect, test } from 'vitest';
import { subjects } from '../../../services/changes/bus.ts';
import { consoleOf, newOwner } from '../../support/console.ts';
import type { Owner } from '../../support/owner.ts';
import { startWorld, type World } from '../../support/world.ts';

/* Which changes are signalled, to whom, and about which alarm (SPEC.md 6, DECISIONS.md "When"). */

/** What was published for an account since it was last asked for; with what each reader would find at that moment. */
function listenTo(world: World, accountId: string) {
  let heard: unknown[] = [];
  world.bus.subscribe(subjects.change(accountId), payload => heard.push(payload));
  return async () => {
    await world.settle();
    await world.bus.flush();
    const taken = heard;
    heard = [];
    return taken;
  };
}

async function aHouse() {
  const world = await startWorld();
  const [owner, outsider] = [await world.account(), await world.account()];
  const signals = listenTo(world, owner.accountId);
  const others = listenTo(world, outsider.accountId);
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  return { world, owner, outsider, policyId, signals, others };
}

/** The state of an alarm as any reader finds it. */
async function stateOf(world: World, owner: Owner, alarmId: string): Promise<unknown> {
  const { body } = await world.get('/v1/integration/state', await owner.key());
  return (body.data.alarms as { id: string; state: string }[]).find(({ id }) => id === alarmId)?.state;
}

describe('state', () => {
  test('arm, disarm, trigger, clear: one signal for the alarm each, and none for a call that changes nothing', async () => {
    const { world, owner, policyId, signals, others } = await aHouse();
    const alarmId = await owner.alarm({ modes: { away: { policyId } } });
    const key = await owner.key();
    const one = [{ kind: 'state', alarmId }];
    for (const [verb, state] of [
      ['arm', 'away'],
      ['arm/night', 'night'],
      ['trigger', 'triggered'],
      ['clear', 'night'],
      ['disarm', 'disarmed'],
    ]) {
      for (const told of [one, []]) {
        expect((await world.get(`/v1/alarm/${alarmId}/${verb}`, key)).status).toBe(202);
        expect([verb, await signals()]).toEqual([verb, told]);
        expect(await stateOf(world, owner, alarmId)).toBe(state);
      }
    }
    expect(await others()).toEqual([]);
  });

  test('the end of a false-alarm window, and not its beginning', async () => {
    const { world, owner, policyId, signals } = await aHouse();
    const alarmId = await owner.alarm({ modes: { away: { policyId, windowS: 30 } } });
    const key = await owner.key();
    const act = (verb: string) => world.get(`/v1/alarm/${alarmId}/${verb}`, key);
    await act('arm');
    await signals();
    await act('trigger');
    expect(await signals()).toEqual([]);
    await world.advance(30);
    expect(await signals()).toEqual([{ kind: 'state', alarmId }]);
    expect(await stateOf(world, owner, alarmId)).toBe('triggered');
  });

  test('an incident that closes by itself', async () => {
    const { world, owner, policyId, signals } = await aHouse();
    const alarmId = await owner.alarm({ modes: { away: { policyId } } });
    await world.get(`/v1/alarm/${alarmId}/trigger`, await owner.key());
    expect(await signals()).toEqual([{ kind: 'state', alarmId }]);
    await world.advance(86_400 - 1);
    expect(await signals()).toEqual([]);
    await world.advance(1);
    expect(await signals()).toEqual([{ kind: 'state', alarmId }]);
    expect(await stateOf(world, owner, alarmId)).toBe('disarmed');
  });

  test('an incident that a person closes', async () => {
    const { world, owner, policyId, signals } = await aHouse();
    const alarmId = await owner.alarm({ modes: { away: { policyId } } });
    await world.get(`/v1/alarm/${alarmId}/trigger`, await owner.key());
    await signals();
    const [incident] = await owner.incidents();
    const { incidents } = consoleOf(world, world.operator, owner.accountId);
    await incidents.acknowledge({ incidentId: incident!.id });
    expect(await signals()).toEqual([]);
    await incidents.close({ incidentId: incident!.id });
    expect(await signals()).toEqual([{ kind: 'state', alarmId }]);
  });
});

describe('what an owner changes', () => {
  async function anOwner() {
    const world = await startWorld();
    const { accountId, console: own } = await newOwner(world);
    const signals = listenTo(world, accountId);
    await own.locations.createLocation({ location: { name: 'Home' } });
    expect(await signals()).toEqual([{ kind: 'inventory', alarmId: '' }]);
    const create = async (name: string) =>
      (await own.alarms.createAlarm({ alarm: { name, locationId: 'home', test: true } })).alarm!;
    return { world, accountId, own, signals, create };
  }

  test('an alarm that appears, is renamed, disabled, enabled and deleted', async () => {
    const { own, signals, create } = await anOwner();
    const { id: alarmId } = await create('House');
    const inventory = { kind: 'inventory', alarmId };
    const both = [inventory, { kind: 'state', alarmId }];
    expect(await signals()).toEqual(both);
    const change = async (alarm: { name?: string; disabled?: boolean }, paths: string[]) => {
      const { version } = (await own.alarms.getAlarm({ alarmId })).alarm!;
      await own.alarms.updateAlarm({ alarm: { id: alarmId, version, ...alarm }, updateMask: { paths } });
      return signals();
    };
    expect(await change({ name: 'Villa' }, ['name'])).toEqual([inventory]);
    expect(await change({ disabled: true }, ['disabled'])).toEqual(both);
    expect(await change({ disabled: true }, ['disabled'])).toEqual([]);
    expect(await change({ disabled: false }, ['disabled'])).toEqual(both);
    await own.alarms.deleteAlarm({ alarmId });
    expect(await signals()).toEqual(both);
  });

  test('disabled or made live while it is triggered: the state changes a second time when the incident has ended', async () => {
    const { world, accountId, own, signals, create } = await anOwner();
    const { secret } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
    const { id: alarmId } = await create('House');
    const state = { kind: 'state', alarmId };
    for (const [path, value] of [
      ['test', false],
      ['disabled', true],
    ] as const) {
      expect((await world.get(`/v1/alarm/${alarmId}/trigger`, secret)).status).toBe(202);
      await signals();
      const { version } = (await own.alarms.getAlarm({ alarmId })).alarm!;
      const alarm = { id: alarmId, version, [path]: value };
      await own.alarms.updateAlarm({ alarm, updateMask: { paths: [path] } });
      const told = await signals();
      expect(told[0]).toEqual({ kind: 'inventory', alarmId });
      expect(told.at(-1)).toEqual(state);
      const still = await world.rows("SELECT id FROM incident WHERE account_id = $1 AND status = 'open'", [accountId]);
      expect(still).toEqual([]);
    }
  });

  test('a panic button and a location concern no alarm; a contact, a policy and a key are not shown', async () => {
    const { own, signals } = await anOwner();
    const everything = [{ kind: 'inventory', alarmId: '' }];
    await own.panicButtons.createPanicButton({
      panicButton: { name: 'Desk', locationId: 'home', responseKind: 'fire' },
    });
    expect(await signals()).toEqual(everything);
    const { version } = (await own.locations.getLocation({ locationId: 'home' })).location!;
    const location = { id: 'home', version, name: 'House' };
    await own.locations.updateLocation({ location, updateMask: { paths: ['name'] } });
    expect(await signals()).toEqual(everything);
    await own.contacts.createContact({ contact: { name: 'Anna' } });
    await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
    expect(await signals()).toEqual([]);
  });

  test('a change that is refused is not signalled', async () => {
    const { own, signals, create } = await anOwner();
    await create('House');
    await signals();
    await expect(own.locations.deleteLocation({ locationId: 'home' })).rejects.toThrow();
    await expect(own.alarms.createAlarm({ alarm: { name: 'Two', locationId: 'nowhere' } })).rejects.toThrow();
    expect(await signals()).toEqual([]);
  });

  test('what ends a key is told once it has happened: a rotation, a revocation; and nothing to other keys', async () => {
    const { world, own } = await anOwner();
    const { apiKey, secret } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
    const found: (() => Promise<number>)[] = [];
    world.bus.subscribe(subjects.keyRevoked(apiKey!.id), () => {
      const answer = world.get('/v1/integration/state', secret);
      found.push(async () => (await answer).status);
    });
    const seen = async () => {
      await world.bus.flush();
      return Promise.all(found.splice(0).map(status => status()));
    };
    await own.apiKeys.createApiKey({ apiKey: { label: 'Another' } });
    expect(await seen()).toEqual([]);
    await own.apiKeys.rotateApiKey({ apiKeyId: 'camera', overlapS: 0 });
    expect(await seen()).toEqual([401]);
    await own.apiKeys.revokeApiKey({ apiKeyId: 'camera' });
    expect(await seen()).toEqual([401]);
    await own.apiKeys.revokeApiKey({ apiKeyId: 'camera' });
    expect(await seen()).toEqual([]);
  });
});
