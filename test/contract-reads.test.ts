import { describe, expect, test } from 'vitest';
import { newId } from '../services/store/id.ts';
import { aHouse, answer, ask, type House, seen } from './support/contract.ts';
import { startWorld } from './support/world.ts';

/* What describe and state show (SPEC.md 4 "Integration endpoints", DECISIONS.md "Lists", "Caching", "version"). */

const MODES = [
  { id: 'home', name: 'Home' },
  { id: 'away', name: 'Away' },
  { id: 'night', name: 'Night' },
  { id: 'vacation', name: 'Vacation' },
];

async function anInventory() {
  const world = await startWorld();
  const owner = await world.account();
  const place = async (name: string) => {
    const id = newId();
    await world.rows('INSERT INTO location (account_id, id, key, name) VALUES ($1, $2, $2, $3)', [
      owner.accountId,
      id,
      name,
    ]);
    return id;
  };
  const office = await place('Office "Süd" <1>');
  const empty = await place('Empty');
  const cabin = await place('Cabin');
  const key = await owner.key();
  const read = async (what: 'describe' | 'state', as = key) =>
    seen(await ask(world, `/v1/integration/${what}`, { headers: { 'x-api-key': as } }));
  return { world, owner, office, empty, cabin, key, read };
}

describe('describe', () => {
  test('groups by location; locations and sources in the order of creation, modes always home, away, night, vacation', async () => {
    const { owner, office, cabin, world, read } = await anInventory();
    const z = await owner.alarm({ name: 'Z', locationId: cabin });
    const second = await owner.alarm({ name: 'Second', locationId: office });
    const button = await owner.panicButton({ name: 'Desk', locationId: office, responseKind: 'duress' });
    const a = await owner.alarm({ name: 'A', locationId: cabin });
    await world.rows("DELETE FROM mode WHERE source_id = $1 AND id = 'night'", [z]);
    await world.rows("UPDATE mode SET name = 'Out' WHERE source_id = $1 AND id = 'away'", [z]);
    await world.rows('DELETE FROM mode WHERE source_id = $1', [a]);
    await world.rows("UPDATE mode SET window_s = 5 WHERE source_id = $1 AND id = 'home'", [second]);
    const { status, body } = await read('describe');
    expect(status).toBe(200);
    const [home, , , vacation] = MODES;
    expect(body.data).toStrictEqual({
      version: '1.0.0',
      locations: [
        {
          id: office,
          name: 'Office "Süd" <1>',
          alarms: [{ id: second, name: 'Second', modes: MODES }],
          panicButtons: [{ id: button, name: 'Desk' }],
        },
        {
          id: cabin,
          name: 'Cabin',
          alarms: [
            { id: z, name: 'Z', modes: [home, { id: 'away', name: 'Out' }, vacation] },
            { id: a, name: 'A', modes: [] },
          ],
          panicButtons: [],
        },
      ],
    });
  });

  test('leaves out what cannot act, and a location of which nothing is visible', async () => {
    const { owner, office, cabin, world, read } = await anInventory();
    const gone = [await owner.alarm({ locationId: office }), await owner.panicButton({ locationId: office })];
    const kept = await owner.panicButton({ name: 'Kept', locationId: cabin });
    await world.rows('UPDATE source SET disabled = true WHERE id = $1', [gone[0]]);
    await world.rows('UPDATE source SET deactivated = true WHERE id = $1', [gone[1]]);
    expect((await read('describe')).body.data.locations).toStrictEqual([
      { id: cabin, name: 'Cabin', alarms: [], panicButtons: [{ id: kept, name: 'Kept' }] },
    ]);
    expect((await read('state')).body.data.alarms).toStrictEqual([]);
  });

  test('of an account with nothing to show is an empty list', async () => {
    const { read } = await anInventory();
    const cached = { 'cache-control': 'private, max-age=3600', vary: 'X-API-Key' };
    expect(await read('describe')).toStrictEqual(
      answer(200, { headers: cached, data: { version: '1.0.0', locations: [] } }),
    );
    expect(await read('state')).toStrictEqual(answer(200, { data: { version: '1.0.0', alarms: [] } }));
  });

  test('of a key whose one alarm is disabled shows nothing, and the key still opens', async () => {
    const { owner, world, read } = await anInventory();
    const id = await owner.alarm();
    await owner.alarm();
    const scoped = await owner.key(id);
    expect((await read('state', scoped)).body.data.alarms).toEqual([{ id, state: 'disarmed' }]);
    await world.rows('UPDATE source SET disabled = true WHERE id = $1', [id]);
    expect((await read('describe', scoped)).body.data.locations).toEqual([]);
    expect((await read('state', scoped)).body.data.alarms).toEqual([]);
  });

  test('renaming changes names and never an identifier or a path (SPEC.md 2)', async () => {
    const { owner, world, office, key, read } = await anInventory();
    const id = await owner.alarm({ locationId: office });
    await world.rows("UPDATE location SET name = 'Shop' WHERE id = $1", [office]);
    const [location] = (await read('describe')).body.data.locations;
    expect([location.id, location.name, location.alarms[0].id]).toEqual([office, 'Shop', id]);
    expect((await world.get(`/v1/alarm/${id}/arm`, key)).body.data.location).toEqual({ id: office, name: 'Shop' });
  });
});

describe('state', () => {
  test('is the armed mode, disarmed, or triggered while an incident is open', async () => {
    const { world, ids, good } = await aHouse();
    const steps = [
      ['arm/home', 'home'],
      ['arm', 'home'],
      ['arm/away', 'away'],
      ['arm/night', 'night'],
      ['arm/vacation', 'vacation'],
      ['trigger', 'triggered'],
      ['arm/away', 'triggered'],
      ['clear', 'away'],
      ['disarm', 'disarmed'],
      ['trigger/night', 'triggered'],
      ['disarm', 'triggered'],
      ['clear', 'disarmed'],
    ];
    const state = async () => {
      const { body } = await world.get('/v1/integration/state', good.account['x-api-key']);
      return (body.data.alarms as { state: string }[]).map(alarm => alarm.state);
    };
    const shown = [['at first', ...(await state())]];
    for (const [step] of steps) {
      await world.get(`/v1/alarm/${ids.alarm}/${step}`, good.account['x-api-key']);
      await world.settle();
      shown.push([step!, ...(await state())]);
    }
    const expected = [['at first', 'disarmed'], ...steps].map(step => [...step, 'disarmed']);
    expect(shown).toStrictEqual(expected);
  });
});

describe('a key', () => {
  test('reads what it reaches and nothing else: its account, or its one alarm', async () => {
    const { world, owner, neighbour, ids, good } = await aHouse();
    const alarm = { id: ids.alarm, name: 'House', modes: MODES };
    const barn = { id: ids.barn, name: 'Barn', modes: MODES };
    const nextDoor = { id: ids.neighboursAlarm, name: 'Next door', modes: MODES };
    const home = { id: owner.locationId, name: 'Home' };
    const button = { id: ids.panic, name: 'Button' };
    const elsewhere = { id: neighbour.locationId, name: 'Home' };
    const cached = { 'cache-control': 'private, max-age=3600', vary: 'X-API-Key' };
    const inventory = (locations: unknown[]) => answer(200, { headers: cached, data: { version: '1.0.0', locations } });
    const states = (...alarms: string[]) =>
      answer(200, { data: { version: '1.0.0', alarms: alarms.map(id => ({ id, state: 'disarmed' })) } });
    const read = async (name: keyof House['good'], what: string) =>
      seen(await ask(world, `/v1/integration/${what}`, { headers: good[name] }));
    expect({
      account: [await read('account', 'describe'), await read('account', 'state')],
      scoped: [await read('scoped', 'describe'), await read('scoped', 'state')],
      neighbour: [await read('neighbour', 'describe'), await read('neighbour', 'state')],
    }).toStrictEqual({
      account: [inventory([{ ...home, alarms: [alarm, barn], panicButtons: [button] }]), states(ids.alarm, ids.barn)],
      scoped: [inventory([{ ...home, alarms: [alarm], panicButtons: [] }]), states(ids.alarm)],
      neighbour: [
        inventory([{ ...elsewhere, alarms: [nextDoor], panicButtons: [{ id: ids.neighboursPanic, name: 'Button' }] }]),
        states(ids.neighboursAlarm),
      ],
    });
  });
});
