import { create, type DescMethod } from '@bufbuild/protobuf';
import { Code, createHandlerContext } from '@connectrpc/connect';
import { Pool } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PanicButtonService, TriggerPanicButtonRequestSchema } from '../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import { createLocalBus } from '../../services/changes/local.ts';
import { createPress } from '../../services/incident/press.ts';
import { KEEP_ALL } from '../../services/limits/kept.ts';
import { NO_STRANGERS } from '../../services/limits/strangers.ts';
import { PRESSES_MOST } from '../../services/limits/table.ts';
import { createGates } from '../../services/rpc/gate.ts';
import { newId } from '../../services/store/id.ts';
import type { Holder } from '../../services/store/statements/access.ts';
import { fault, tokenOf } from '../rpc/incident/incident-rig.ts';
import { consoleOf, newOwner, refusal } from '../support/console.ts';
import { twoHouses } from '../support/members.ts';
import type { Owner } from '../support/owner.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { holdApplying, WAITING_CALLS } from '../support/waiting.ts';
import { startWorld, type WorldOptions } from '../support/world.ts';

/** A panic button that tells Anna by email, and Noah's console, in which it is pressed. */
async function aButton(button: Partial<Parameters<Owner['panicButton']>[0]> = {}, options: WorldOptions = {}) {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const world = await startWorld({ smtpUrl: smtp.url, ...options });
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const panicButtonId = await owner.panicButton({ policyId, name: 'Bedside', ...button });
  await world.rows("UPDATE source SET key = 'bedside' WHERE id = $1", [panicButtonId]);
  const key = await owner.key();
  const console = consoleOf(world, await tokenOf(world, owner, 'Noah'));
  return {
    ...{ smtp, world, owner, panicButtonId, console },
    async press(pressId = newId(), of = panicButtonId) {
      return (await console.panicButtons.triggerPanicButton({ panicButtonId: of, pressId })).call!;
    },
    byKey: () => world.get(`/v1/panic/${panicButtonId}/trigger`, key),
    clear: () => world.get(`/v1/panic/${panicButtonId}/clear`, key),
  };
}

test('pressed in the console, a panic button alerts as for a GET, and log and timeline say who pressed it', async () => {
  const { smtp, world, owner, panicButtonId, console, press, byKey, clear } = await aButton();
  const pressed = await press();
  expect(pressed).toMatchObject({
    ...{ verb: 'trigger', outcome: 'opened', environment: 'live', mode: '', sourceId: panicButtonId },
    ...{ actor: 'Noah', keyId: '', keyLabel: '' },
    explanation:
      'Somebody pressed it in the console: that opened an incident, and the people in its policy are alerted in order.',
  });
  await world.settle();
  expect((await smtp.next()).subject).toContain('Bedside');
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ id: pressed.incidentId, status: 'open', environment: 'live', triggerCount: 1 });
  const [line] = incident!.timeline.flatMap(({ entry }) => (entry.case === 'call' ? [entry.value] : []));
  expect(line).toEqual(pressed);
  expect((await console.incidents.listCalls({})).calls[0]).toEqual(pressed);
  expect((await console.incidents.findCall({ traceId: pressed.traceId })).call).toEqual(pressed);

  // What a GET opens in its place is the same but for who did it.
  await clear();
  await world.settle();
  await byKey();
  await world.settle();
  const byGet = (await owner.incidents()).find(({ id }) => id !== incident!.id);
  const told = ({ deliveries }: typeof byGet & object) =>
    deliveries.map(({ contactName, channel, status, round, step }) => [contactName, channel, status, round, step]);
  expect(told(byGet!)).toEqual(told(incident!));
});

test('it joins what a GET opened and a GET joins what it opened, each in its order', async () => {
  const { world, owner, panicButtonId, press, byKey, clear } = await aButton();
  await byKey();
  const joined = await press();
  expect(joined.outcome).toBe('folded');
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ id: joined.incidentId, triggerCount: 2 }]);
  await clear();
  const opened = await press(undefined, 'bedside');
  expect(opened).toMatchObject({ outcome: 'opened', sourceId: panicButtonId });
  const get = await byKey();
  await world.settle();
  expect(await owner.call(get)).toMatchObject({ outcome: 'folded', incidentId: opened.incidentId });
  expect((await owner.incidents()).map(({ triggerCount, status }) => `${status} ${triggerCount}`).sort()).toEqual([
    'closed 2',
    'open 2',
  ]);
});

test('in the queue it keeps its place between calls that came before and after', async () => {
  const { world, owner, press, byKey, clear } = await aButton();
  const letGo = await holdApplying(world.databaseUrl);
  const before = await byKey();
  const cleared = await clear();
  const pressing = press();
  await eventually(async () => (await world.rows(WAITING_CALLS)).length === 3, { what: 'the press to be stored' });
  const after = await byKey();
  await letGo();
  const pressed = await pressing;
  await world.settle();
  expect(pressed.outcome).toBe('opened');
  expect((await owner.call(before)).outcome).toBe('opened');
  expect((await owner.call(cleared)).outcome).toBe('closed');
  expect(await owner.call(after)).toMatchObject({ outcome: 'folded', incidentId: pressed.incidentId });
});

test('the same press sent again triggers once, however it comes and whatever happened since; two presses are two', async () => {
  const { world, owner, press, clear } = await aButton();
  const pressId = newId();
  const all = await Promise.all([press(pressId), press(pressId), press(pressId)]);
  expect(new Set(all.map(({ traceId }) => traceId)).size).toBe(1);
  expect(all.map(({ outcome }) => outcome)).toEqual(['opened', 'opened', 'opened']);
  await clear();
  await world.settle();
  expect(await press(pressId)).toEqual(all[0]);
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ triggerCount: 1, status: 'closed' }]);

  const two = await Promise.all([press(), press()]);
  expect(two.map(({ outcome }) => outcome).sort()).toEqual(['folded', 'opened']);
  await world.settle();
  expect(await owner.incidents()).toContainEqual(expect.objectContaining({ triggerCount: 2, status: 'open' }));
});

test('whoever goes away before the answer finds with the same press what became of it', async () => {
  const { world, owner, console, panicButtonId, press } = await aButton();
  const letGo = await holdApplying(world.databaseUrl);
  const pressId = newId();
  const gone = new AbortController();
  const lost = console.panicButtons.triggerPanicButton({ panicButtonId, pressId }, { signal: gone.signal });
  await eventually(async () => (await world.rows(WAITING_CALLS)).length, { what: 'the press to be stored' });
  gone.abort();
  expect((await fault(lost)).code).toBe(Code.Canceled);
  await letGo();
  expect((await press(pressId)).outcome).toBe('opened');
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ triggerCount: 1 }]);
});

test('a press that cannot be applied for long is answered as accepted, and is', { timeout: 20_000 }, async () => {
  const { world, owner, press } = await aButton();
  const letGo = await holdApplying(world.databaseUrl);
  const pressId = newId();
  expect(await press(pressId)).toMatchObject({ outcome: 'accepted', incidentId: '', actor: 'Noah' });
  await letGo();
  await world.settle();
  expect(await press(pressId)).toMatchObject({ outcome: 'opened' });
  expect(await owner.incidents()).toMatchObject([{ triggerCount: 1 }]);
});

test('of many that cannot be applied a few wait, the others are told at once that theirs is stored', async () => {
  const { world, owner, press } = await aButton();
  const letGo = await holdApplying(world.databaseUrl);
  const told: string[] = [];
  const all = Array.from({ length: PRESSES_MOST.waiting + 3 }, async () => {
    const { outcome } = await press();
    told.push(outcome);
  });
  await eventually(() => told.length === 3, { what: 'those beyond to be told' });
  expect(told).toEqual(['accepted', 'accepted', 'accepted']);
  await letGo();
  await Promise.all(all);
  expect(told.filter(outcome => outcome === 'accepted')).toHaveLength(3);
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ triggerCount: PRESSES_MOST.waiting + 3 }]);
});

test('in test, by its own switch or that of its place, it is recorded and nobody is alerted', async () => {
  const { smtp, world, owner, press } = await aButton({ test: true });
  const pressed = await press();
  expect(pressed).toMatchObject({
    ...{ outcome: 'opened', environment: 'test' },
    explanation:
      'Pressed or rehearsed in the console while in test: that opened an incident that records who would have been alerted, and nobody was alerted.',
    advice: 'To be alerted by the next trigger, switch test off there and at its location.',
  });
  await world.advance(3600);
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ id: pressed.incidentId, environment: 'test' });
  expect(incident!.deliveries.map(({ status }) => status)).toEqual(['suppressed']);

  const other = await world.account({ locationTest: true });
  const button = await other.panicButton({});
  const { panicButtons } = consoleOf(world, await tokenOf(world, other, 'Noah'));
  const { call } = await panicButtons.triggerPanicButton({ panicButtonId: button, pressId: newId() });
  expect(call).toMatchObject({ outcome: 'opened', environment: 'test' });
  await world.settle();
  expect(smtp.mails).toEqual([]);
});

test('a press tells live whoever a rehearsal told nothing: the test incident makes room', async () => {
  const { world, owner, panicButtonId, press } = await aButton({ test: true });
  await press();
  await world.rows('UPDATE source SET test = false WHERE id = $1', [panicButtonId]);
  expect(await press()).toMatchObject({ outcome: 'opened', environment: 'live' });
  await world.settle();
  expect(
    (await owner.incidents()).map(({ environment, closeReason }) => `${environment} ${closeReason}`).sort(),
  ).toEqual(['live ', 'test superseded']);
});

test.each([
  ['disabled', 'disabled', '"Bedside" is disabled: nothing was triggered, and nobody is told.'],
  [
    'deactivated by a downgrade',
    'deactivated',
    '"Bedside" is switched off, as the plan does not cover it: nothing was triggered, and nobody is told.',
  ],
])('%s, it answers why nothing was triggered, as a GET is answered 404', async (_, column, said) => {
  const { world, owner, panicButtonId, press, byKey } = await aButton();
  await world.rows(`UPDATE source SET ${column} = true WHERE id = $1`, [panicButtonId]);
  expect((await byKey()).status).toBe(404);
  expect(await refusal(press())).toMatchObject({ code: 'FailedPrecondition', message: said });
  await world.settle();
  expect(await owner.incidents()).toEqual([]);
});

test('what is somebody else’s, an alarm and what is not there are the same; a press without a good name is refused', async () => {
  const { world, owner, press } = await aButton();
  const outsider = await newOwner(world);
  const other = await world.account();
  const theirs = await other.panicButton({});
  const alarm = await owner.alarm({});
  for (const id of [theirs, alarm, newId(), '', 'é'])
    expect(await refusal(press(newId(), id))).toMatchObject({
      code: 'NotFound',
      message: 'There is no such panic button in this account.',
    });
  const panicButtonId = await owner.panicButton({});
  const byOutsider = outsider.console.panicButtons.triggerPanicButton({ panicButtonId, pressId: newId() });
  expect((await refusal(byOutsider)).code).toBe('NotFound');
  for (const pressId of ['', 'a'.repeat(31), 'A'.repeat(32)])
    expect((await refusal(press(pressId))).fields).toHaveProperty('pressId');
  await world.settle();
  expect(await world.rows('SELECT 1 FROM call_log')).toEqual([]);
});

test('the same name of a press in two accounts is two presses, and on two buttons of one', async () => {
  const { world, owner, press } = await aButton();
  const pressId = newId();
  await press(pressId);
  const second = await owner.panicButton({});
  expect(await press(pressId, second)).toMatchObject({ outcome: 'opened', sourceId: second });
  const other = await world.account();
  const theirs = await other.panicButton({});
  const { panicButtons } = consoleOf(world, await tokenOf(world, other, 'Noah'));
  expect((await panicButtons.triggerPanicButton({ panicButtonId: theirs, pressId })).call!.outcome).toBe('opened');
});

test('a responder presses under their own name, a viewer may not, and nobody with a session that has ended', async () => {
  const { world, elms, as } = await twoHouses();
  const { location } = await elms.console.locations.createLocation({ location: { name: 'Home' } });
  const made = await elms.console.panicButtons.createPanicButton({
    panicButton: { name: 'Bedside', locationId: location!.id, responseKind: 'medical' },
  });
  const panicButtonId = made.panicButton!.id;
  const [rita, vera] = [await as('responder', 'Rita'), await as('viewer', 'Vera')];
  const press = (by: typeof rita) => by.panicButtons.triggerPanicButton({ panicButtonId, pressId: newId() });
  expect((await press(rita)).call).toMatchObject({ actor: 'Rita', keyId: '', outcome: 'opened' });
  expect((await refusal(press(vera))).code).toBe('PermissionDenied');
  await rita.sessions.endAllSessions({});
  expect((await refusal(press(rita))).code).toBe('Unauthenticated');
  await world.settle();
  expect(await world.rows("SELECT actor FROM call_log WHERE verb = 'trigger'")).toEqual([{ actor: 'Rita' }]);
});

test('a press in test counts as a call in test, and is refused where there is no room; one that is live is never', async () => {
  const take = vi.fn((_account: string, use: string) => (use === 'test' ? ('too_much' as const) : ('taken' as const)));
  const kept = { ...KEEP_ALL, take, growsBackS: () => 7 };
  const { world, owner, panicButtonId, press, byKey } = await aButton({ test: true }, { kept });
  expect((await byKey()).status).toBe(429);
  const refused = await fault(press());
  expect([refused.code, refused.metadata.get('retry-after')]).toEqual([Code.ResourceExhausted, '7']);
  await world.rows('UPDATE source SET test = false WHERE id = $1', [panicButtonId]);
  expect(await press()).toMatchObject({ outcome: 'opened', environment: 'live' });
  await world.settle();
  expect((await owner.incidents()).map(({ environment }) => environment)).toEqual(['live']);
});

test('a press that stores nothing counts as an action of its account, and gives back what it took in test', async () => {
  const { world, owner, panicButtonId } = await aButton({ test: true });
  const pool = new Pool({ connectionString: world.databaseUrl, max: 4 });
  onTestFinished(() => pool.end());
  const taken: string[] = [];
  const [take, giveBack] = [vi.fn(() => 'taken' as const), vi.fn()];
  const press = createPress({
    ...{ pool, nudge() {}, kept: { ...KEEP_ALL, take, giveBack } },
    bus: createLocalBus(),
    limits: { take: ({ of }) => (taken.push(of!) > 4 ? 'too_many' : 'taken'), learn() {} },
  });
  const who = {
    token: 'account',
    accountId: owner.accountId,
    actor: { kind: 'account', tokenId: 't', name: 'N' },
  } as const;
  // Whoever has gone waits for no outcome.
  const signal = AbortSignal.abort();
  const asked = (pressId: string, of = panicButtonId) =>
    press(who, create(TriggerPanicButtonRequestSchema, { panicButtonId: of, pressId }), { signal });
  const pressId = newId();
  await Promise.all([asked(pressId), asked(pressId)]);
  expect(taken).toEqual([`console of ${owner.accountId}`]);
  expect(take.mock.calls.length - giveBack.mock.calls.length).toBe(1);
  expect((await refusal(asked('no name'))).code).toBe('InvalidArgument');
  expect((await refusal(asked(newId(), newId()))).code).toBe('NotFound');
  await asked(newId());
  await world.rows('UPDATE source SET disabled = true WHERE id = $1', [panicButtonId]);
  expect((await refusal(asked(newId()))).code).toBe('FailedPrecondition');
  for (const [name, of] of [['no name'], [newId(), newId()], [newId()], [pressId]] as const)
    expect((await refusal(asked(name, of))).code).toBe('ResourceExhausted');
  await world.rows('UPDATE source SET disabled = false WHERE id = $1', [panicButtonId]);
  expect((await asked(newId())).call).toMatchObject({ outcome: 'accepted' });
});

test('whatever else the consoles of its account ask, a press is not limited, but for whoever may not press', async () => {
  const token = { id: 't', accountId: 'a', kind: 'account' as const, label: 'A token' };
  let holder: Holder = { token, endedAt: null, session: null, person: null, memberships: [] };
  const gates = createGates({
    serviceToken: null,
    keys: { find: async () => null } as never,
    tokens: { find: async () => holder } as never,
    limits: { take: () => 'too_many', learn() {} },
    strangers: NO_STRANGERS,
  });
  const admitted = (method: DescMethod) =>
    gates.direct.admit(
      createHandlerContext({
        ...{ service: method.parent, method, protocolName: 'connect', requestMethod: 'POST', url: 'http://localhost/' },
        requestHeader: { authorization: 'Bearer tcn_any' },
      }),
    );
  const { updatePanicButton, triggerPanicButton } = PanicButtonService.method;
  expect((await fault(admitted(updatePanicButton))).code).toBe(Code.ResourceExhausted);
  await admitted(triggerPanicButton);
  const member = { accountId: 'a', accountName: 'A', memberId: 'm', name: 'Vera', seen: 'noted' } as const;
  holder = { ...holder, token: null, memberships: [{ ...member, role: 'responder' }] };
  await admitted(triggerPanicButton);
  holder = { ...holder, memberships: [{ ...member, role: 'viewer' }] };
  expect((await fault(admitted(triggerPanicButton))).code).toBe(Code.ResourceExhausted);
});
