import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createPlanKeeper } from '../../services/accounts/plan-keeper.ts';
import { subjects } from '../../services/changes/bus.ts';
import { changeAccount } from '../../services/configuration/change.ts';
import { PLAN } from '../../services/domain/actor.ts';
import { KEEP_ALL } from '../../services/limits/kept.ts';
import { createSeal } from '../../services/store/seal.ts';
import { type Console, consoleOf } from '../support/console.ts';
import { advanceClock } from '../support/database.ts';
import { WAITING_CALLS } from '../support/waiting.ts';
import { startWorld, type World } from '../support/world.ts';

const DAYS_S = 14 * 24 * 3600;

/** A free account in its first days, with a location. */
async function freeOwner(world: World) {
  const operator = consoleOf(world, world.operator);
  const { account, token } = await operator.accounts.createAccount({ account: { name: 'Elms', plan: 'free' } });
  const own = consoleOf(world, token);
  await own.locations.createLocation({ location: { name: 'Home' } });
  return { own, accountId: account!.id };
}

/** A free account in its first days with four live alarms, then a panic button; a key, and the night of the fourth has a window. */
async function fiveSources() {
  const world = await startWorld();
  const { own, accountId } = await freeOwner(world);
  const asOperator = consoleOf(world, world.operator, accountId);
  const alarms: string[] = [];
  for (const name of ['A', 'B', 'C', 'D']) {
    const modes = [{ id: 'away' }, { id: 'night', windowS: 120 }];
    const { alarm } = await own.alarms.createAlarm({ alarm: { name, locationId: 'home', test: false, modes } });
    alarms.push(alarm!.id);
  }
  const { panicButton } = await own.panicButtons.createPanicButton({
    panicButton: { name: 'Bedside', locationId: 'home', test: false, responseKind: 'medical' },
  });
  const { secret: key } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  const setPlan = async (plan: string) => {
    const { version } = (await asOperator.accounts.getAccount({})).account!;
    return asOperator.accounts.updateAccount({ account: { plan, version }, updateMask: { paths: ['plan'] } });
  };
  const paths = [...alarms.map(id => `/v1/alarm/${id}`), `/v1/panic/${panicButton!.id}`];
  /** The status of a trigger of each of them, oldest first. */
  const fire = async () => {
    const statuses: number[] = [];
    for (const path of paths) {
      statuses.push((await world.get(`${path}/trigger`, key)).status);
      await world.advance(1);
    }
    return statuses;
  };
  return { world, own, accountId, alarms, panicId: panicButton!.id, key, setPlan, fire };
}

/** What owners are told of sources that were switched off; that nobody is alerted here is told too, and of no concern. */
const noticesOf = (world: World) =>
  world.rows("SELECT kind, about FROM notice WHERE kind = 'sources_deactivated' ORDER BY seq");

test('everything works for 14 days; then the newest sources beyond the plan’s number are switched off by themselves, without any call', async () => {
  const { world, own, alarms, panicId, key, fire } = await fiveSources();
  await world.advance(DAYS_S - 10);
  expect(await fire()).toEqual([202, 202, 202, 202, 202]);
  // Inside its window when the days end.
  await world.get(`/v1/alarm/${alarms[3]}/clear`, key);
  const pending = await world.get(`/v1/alarm/${alarms[3]}/trigger/night`, key);
  await world.advance(4);
  expect((await own.accounts.getPlan({})).sourcesDeactivated).toBe(0);
  await world.advance(1);
  expect(await own.accounts.getPlan({})).toMatchObject({ sourcesActive: 3, sourcesDeactivated: 2 });

  const { incidents } = await own.incidents.listIncidents({});
  expect(incidents.map(({ sourceName, status, closeReason }) => [sourceName, status, closeReason])).toEqual([
    ['Bedside', 'closed', 'source_disabled'],
    ['D', 'closed', 'clear'],
    ['C', 'open', ''],
    ['B', 'open', ''],
    ['A', 'open', ''],
  ]);
  expect((await own.incidents.findCall({ traceId: pending.body.traceId })).call).toMatchObject({
    outcome: 'cancelled',
  });
  await world.advance(300);
  expect((await own.incidents.listIncidents({})).incidents).toHaveLength(5);
  expect(await fire()).toEqual([202, 202, 202, 404, 404]);

  const describe = JSON.stringify((await world.get('/v1/integration/describe', key)).body.data);
  const state = JSON.stringify((await world.get('/v1/integration/state', key)).body.data);
  for (const id of alarms.slice(0, 3)) for (const text of [describe, state]) expect(text).toContain(id);
  for (const id of [alarms[3]!, panicId]) for (const text of [describe, state]) expect(text).not.toContain(id);

  const { changes } = await own.audit.listChanges({ pageSize: 2 });
  expect(changes.map(({ actor, kind, name, before, after }) => [actor, kind, name, before, after])).toEqual([
    ['Plan', 'panic_button', 'Bedside', { deactivated: false }, { deactivated: true }],
    ['Plan', 'alarm', 'D', { deactivated: false }, { deactivated: true }],
  ]);
  expect((await own.accounts.listNotices({ pageSize: 1 })).notices).toMatchObject([
    { kind: 'sources_deactivated', explanation: expect.stringContaining('Switched off: D, Bedside.') },
  ]);
});

test('SPEC.md 7: what the plan switched off answers every verb byte for byte like what never was', async () => {
  const { world, alarms, panicId, key } = await fiveSources();
  await world.advance(DAYS_S);
  const answer = async (path: string) => {
    const response = await fetch(world.url + path, { headers: { 'x-api-key': key } });
    const text = (await response.text()).replace(/"traceId":"[0-9a-f-]{36}"/, '"traceId":""');
    const headers = [...response.headers].filter(([name]) => name !== 'date');
    return JSON.stringify({ status: response.status, headers, text });
  };
  const never = 'q'.repeat(32);
  const verbs = ['arm', 'arm/night', 'arm/garden', 'disarm', 'trigger', 'trigger/night', 'trigger/garden', 'clear'];
  for (const verb of verbs) {
    const off = await answer(`/v1/alarm/${alarms[3]}/${verb}`);
    expect(off, verb).toBe(await answer(`/v1/alarm/${never}/${verb}`));
    expect(off, verb).toContain('"status":404');
    expect(await answer(`/v1/alarm/${alarms[0]}/${verb}`), verb).not.toBe(off);
  }
  for (const verb of ['trigger', 'clear']) {
    const off = await answer(`/v1/panic/${panicId}/${verb}`);
    expect(off, verb).toBe(await answer(`/v1/panic/${never}/${verb}`));
    expect(off, verb).toContain('"status":404');
  }
});

test('an upgrade switches all of them on again at once, and a downgrade off, closing what is open', async () => {
  const { world, own, setPlan, fire } = await fiveSources();
  await world.advance(DAYS_S);
  expect(await fire()).toEqual([202, 202, 202, 404, 404]);
  await setPlan('paid');
  expect(await own.accounts.getPlan({})).toMatchObject({ sourcesActive: 5, sourcesDeactivated: 0, sourcesMost: 0 });
  expect(await fire()).toEqual([202, 202, 202, 202, 202]);
  await setPlan('free');
  await world.settle();
  const { incidents } = await own.incidents.listIncidents({});
  expect(incidents.map(({ sourceName, status, closeReason }) => [sourceName, status, closeReason])).toEqual([
    ['Bedside', 'closed', 'source_disabled'],
    ['D', 'closed', 'source_disabled'],
    ['C', 'open', ''],
    ['B', 'open', ''],
    ['A', 'open', ''],
  ]);
  expect(await fire()).toEqual([202, 202, 202, 404, 404]);
  // Each switching-off is told: at the end of the days, and after the downgrade.
  expect(await noticesOf(world)).toEqual([
    { kind: 'sources_deactivated', about: { sources: 'D, Bedside' } },
    { kind: 'sources_deactivated', about: { sources: 'D, Bedside' } },
  ]);
});

test('the end of the first 14 days switches off what is in test first, by its own switch or its location’s, then the newest (DECISIONS.md "Downgrade")', async () => {
  const world = await startWorld();
  const [{ own }, beside] = [await freeOwner(world), await freeOwner(world)];
  await own.locations.createLocation({ location: { name: 'Model home', test: true } });
  const add = (of: Console, name: string, locationId: string, test: boolean) =>
    of.alarms.createAlarm({ alarm: { name, locationId, test } });
  for (const [name, locationId, test] of [
    ['Tried', 'home', true],
    ['Model', 'model-home', false],
    ['A', 'home', false],
    ['B', 'home', false],
  ] as const) {
    await add(own, name, locationId, test);
  }
  await add(beside.own, 'Tried', 'home', true);
  await world.advance(DAYS_S);
  const off = async (of: Console) =>
    (await of.alarms.listAlarms({})).alarms.filter(({ deactivated }) => deactivated).map(({ name }) => name);
  // One too many: of the two in test the newer one, although two live ones are newer still.
  expect(await off(own)).toEqual(['Model']);
  expect(await off(beside.own)).toEqual([]);
  // Who puts what is covered in test to rehearse it does not lose it.
  await own.alarms.updateAlarm({ alarm: { key: 'a', version: 1, test: true }, updateMask: { paths: ['test'] } });
  expect(await off(own)).toEqual(['Model']);
});

test('text ends with the first days while email goes on, on the sources that stay', async () => {
  const world = await startWorld();
  const owner = await world.account({ plan: 'free' });
  const anna = await owner.contact('Anna', { text: '+12025550111', email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['text', 'email'] }] }]);
  const button = await owner.panicButton({ policyId });
  const key = await owner.key();
  const told = async () => {
    await world.get(`/v1/panic/${button}/trigger`, key);
    await world.settle();
    const [newest] = await owner.incidents();
    await world.get(`/v1/panic/${button}/clear`, key);
    return newest!.deliveries.map(({ channel, status, reason }) => [channel, status, reason === 'plan_required']);
  };
  expect(await told()).toEqual([
    ['text', 'no_carrier', false],
    ['email', 'no_carrier', false],
  ]);
  await world.advance(DAYS_S);
  expect(await told()).toEqual([
    ['text', 'failed', true],
    ['email', 'no_carrier', false],
  ]);
});

test('listeners hear of the switching, once for each kind of answer that changed', async () => {
  const { world, accountId, setPlan } = await fiveSources();
  const heard: unknown[] = [];
  const end = world.bus.subscribe(subjects.change(accountId), signal => heard.push(signal));
  await world.advance(DAYS_S);
  expect(heard).toContainEqual(expect.objectContaining({ kind: 'inventory' }));
  expect(heard).toContainEqual(expect.objectContaining({ kind: 'state' }));
  heard.length = 0;
  await setPlan('paid');
  expect(heard).toContainEqual(expect.objectContaining({ kind: 'inventory' }));
  expect(heard).toContainEqual(expect.objectContaining({ kind: 'state' }));
  end();
});

/** What another process of the same deployment would change by. */
function anotherProcess({ store, bus }: World) {
  const seal = createSeal(Buffer.alloc(32));
  return {
    pool: store.pool,
    orm: store.orm,
    seal,
    bus,
    nudge() {},
    contactVerification: 'trusted' as const,
    kept: KEEP_ALL,
  };
}

test('several processes that see the days end at once switch once, and tell once', async () => {
  const { world, own } = await fiveSources();
  await advanceClock(world.store.pool, DAYS_S);
  const look = () => createPlanKeeper({ ...anotherProcess(world), log: pino({ level: 'silent' }) })();
  const [one, other] = await Promise.all([look(), look(), world.settle()]);
  expect([one, other].every(again => again === 'now' || again.inMs > 0)).toBe(true);
  expect(await look()).toEqual({ inMs: Number.POSITIVE_INFINITY });
  expect(await noticesOf(world)).toHaveLength(1);
  expect(await own.accounts.getPlan({})).toMatchObject({ sourcesActive: 3, sourcesDeactivated: 2 });
  const byPlan = (await own.audit.listChanges({})).changes.filter(({ actor }) => actor === 'Plan');
  expect(byPlan).toHaveLength(2);
});

test('a switching that dies before its commit has switched nothing and told nobody, and is done again', async () => {
  const { world, own, accountId, alarms, key } = await fiveSources();
  await world.get(`/v1/alarm/${alarms[3]}/trigger`, key);
  await world.settle();
  await advanceClock(world.store.pool, DAYS_S);
  const dies = changeAccount(anotherProcess(world), { accountId, actor: PLAN }, async open => {
    await open.applyPlan();
    const { rows } = await open.client.query('SELECT FROM source WHERE account_id = $1 AND deactivated', [accountId]);
    expect(rows).toHaveLength(2);
    throw new Error('killed before the commit');
  });
  await expect(dies).rejects.toThrow('killed before the commit');
  expect(await own.accounts.getPlan({})).toMatchObject({ sourcesDeactivated: 0 });
  expect(await noticesOf(world)).toEqual([]);
  expect(await world.rows(WAITING_CALLS)).toEqual([]);
  expect((await own.audit.listChanges({})).changes.filter(({ actor }) => actor === 'Plan')).toEqual([]);
  await world.settle();
  expect(await own.accounts.getPlan({})).toMatchObject({ sourcesDeactivated: 2 });
  expect(await noticesOf(world)).toHaveLength(1);
});

test('changes of the plan that come at once end in one of them, with the sources that it covers', async () => {
  const { world, own, setPlan } = await fiveSources();
  await world.advance(DAYS_S);
  await Promise.allSettled([setPlan('paid'), setPlan('paid'), own.alarms.deleteAlarm({ alarmId: 'a' })]);
  expect(await own.accounts.getPlan({})).toMatchObject({ plan: 'paid', sourcesActive: 4, sourcesDeactivated: 0 });
  const [downgraded, created] = await Promise.allSettled([
    setPlan('free'),
    own.alarms.createAlarm({ alarm: { name: 'E', locationId: 'home' } }),
  ]);
  expect(downgraded.status).toBe('fulfilled');
  // Whichever came first: the plan covers three, and the newest are off or were refused.
  const { sourcesActive, sourcesDeactivated } = await own.accounts.getPlan({});
  expect(sourcesActive).toBe(3);
  expect(sourcesDeactivated).toBe(created.status === 'fulfilled' ? 2 : 1);
});
