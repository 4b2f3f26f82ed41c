import { timestampDate } from '@bufbuild/protobuf/wkt';
import { ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { PlanLimitSchema } from '../../../gen/tocsin/common/v1/common_pb.ts';
import { type Console, consoleOf, refusal } from '../../support/console.ts';
import { startWorld, type World } from '../../support/world.ts';

const DAYS_S = 14 * 24 * 3600;

/** An account on the free plan with a location, made as the operator makes one. */
async function aFreeAccount(world: World) {
  const operator = consoleOf(world, world.operator);
  const { account, token } = await operator.accounts.createAccount({ account: { name: 'Elms', plan: 'free' } });
  const own = consoleOf(world, token);
  await own.locations.createLocation({ location: { name: 'Home' } });
  return { own, accountId: account!.id, asOperator: consoleOf(world, world.operator, account!.id) };
}

const alarm = (own: Console, name: string, disabled = false) =>
  own.alarms.createAlarm({ alarm: { name, locationId: 'home', disabled } });
const button = (own: Console, name: string) =>
  own.panicButtons.createPanicButton({ panicButton: { name, locationId: 'home', responseKind: 'fire' } });
const disable = async (own: Console, alarmId: string, disabled: boolean) => {
  const { version } = (await own.alarms.getAlarm({ alarmId })).alarm!;
  return own.alarms.updateAlarm({ alarm: { key: alarmId, version, disabled }, updateMask: { paths: ['disabled'] } });
};
const running = async (own: Console) =>
  (await own.alarms.listAlarms({})).alarms.filter(one => !one.deactivated && !one.disabled).map(({ key }) => key);

test('the plan tells what is allowed now, until the first 14 days end, and after them (SPEC.md 8)', async () => {
  const world = await startWorld();
  const { own } = await aFreeAccount(world);
  for (const name of ['A', 'B', 'C', 'D']) await alarm(own, name);
  await alarm(own, 'E', true);
  const inTrial = await own.accounts.getPlan({});
  expect(timestampDate(inTrial.trialEndsAt!).toISOString()).toBe('2026-01-29T20:00:00.000Z');
  expect(inTrial).toMatchObject({
    plan: 'free',
    channels: ['text', 'call', 'email', 'push', 'chat', 'webhook'],
    channelsUntilTrialEnds: ['text', 'call'],
    sourcesMost: 0,
    sourcesMostAfterTrial: 3,
    sourcesActive: 4,
    sourcesDeactivated: 0,
  });
  await world.advance(DAYS_S);
  expect(await own.accounts.getPlan({})).toMatchObject({
    plan: 'free',
    channels: ['email', 'push', 'chat', 'webhook'],
    channelsUntilTrialEnds: [],
    sourcesMost: 3,
    sourcesMostAfterTrial: 3,
    sourcesActive: 3,
    sourcesDeactivated: 1,
  });
});

test('the paid plan has no number', async () => {
  const world = await startWorld();
  const { own, asOperator } = await aFreeAccount(world);
  await asOperator.accounts.updateAccount({ account: { name: 'Elms', plan: 'paid', version: 1 } });
  await world.advance(DAYS_S);
  for (const name of ['A', 'B', 'C', 'D']) await alarm(own, name);
  expect(await own.accounts.getPlan({})).toMatchObject({
    plan: 'paid',
    channelsUntilTrialEnds: [],
    sourcesMost: 0,
    sourcesMostAfterTrial: 0,
    sourcesActive: 4,
    sourcesDeactivated: 0,
  });
});

test('one source too many is refused with the plan’s number, whether it is made or enabled; nothing is written', async () => {
  const world = await startWorld();
  const { own, accountId } = await aFreeAccount(world);
  await alarm(own, 'A');
  await alarm(own, 'Off', true);
  await world.advance(DAYS_S);
  await button(own, 'B');
  await alarm(own, 'C');
  // A disabled one takes no place.
  await alarm(own, 'Spare', true);
  const changes = (await own.audit.listChanges({})).changes.length;
  const sentence =
    'The free plan covers 3 alarms and panic buttons together; with this change 4 would be enabled. ' +
    'Disable or delete 1 of them, or change to the paid plan.';
  for (const call of [() => alarm(own, 'D'), () => button(own, 'D'), () => disable(own, 'off', false)]) {
    const error = await call().catch(ConnectError.from);
    expect(error).toBeInstanceOf(ConnectError);
    const refused = error as ConnectError;
    expect(await refusal(Promise.reject(refused))).toMatchObject({ code: 'FailedPrecondition', message: sentence });
    expect(refused.findDetails(PlanLimitSchema)).toMatchObject([{ plan: 'free', sourcesMost: 3, sources: 4 }]);
  }
  expect((await own.audit.listChanges({})).changes.length).toBe(changes);
  expect(await world.rows('SELECT FROM source WHERE account_id = $1', [accountId])).toHaveLength(5);
  // Everything else may be changed.
  const { alarm: c } = await own.alarms.getAlarm({ alarmId: 'c' });
  await own.alarms.updateAlarm({ alarm: { ...c!, name: 'Cellar' } });
  // A place that becomes free is taken by the next one.
  await own.panicButtons.deletePanicButton({ panicButtonId: 'b' });
  expect((await disable(own, 'off', false)).alarm).toMatchObject({ disabled: false, deactivated: false });
  expect(await running(own)).toEqual(['a', 'off', 'c']);
});

test('owners choose what is covered: disabling one brings the oldest that was switched off back', async () => {
  const world = await startWorld();
  const { own } = await aFreeAccount(world);
  for (const name of ['A', 'B', 'C', 'D', 'E']) await alarm(own, name);
  await world.advance(DAYS_S);
  expect(await running(own)).toEqual(['a', 'b', 'c']);
  // The plan's switching spends no version: an edit that was begun before goes on.
  const { alarm: answered } = await own.alarms.updateAlarm({
    alarm: { key: 'a', version: 1, disabled: true },
    updateMask: { paths: ['disabled'] },
  });
  expect(answered).toMatchObject({ disabled: true, deactivated: false, version: 2 });
  expect(await running(own)).toEqual(['b', 'c', 'd']);
  expect(await refusal(disable(own, 'a', false))).toMatchObject({ code: 'FailedPrecondition' });
  await own.alarms.deleteAlarm({ alarmId: 'b' });
  expect(await running(own)).toEqual(['c', 'd', 'e']);
  // One that the plan switched off is its owner's alone once its owner disables it.
  await alarm(own, 'F', true);
  expect((await own.alarms.getAlarm({ alarmId: 'f' })).alarm).toMatchObject({ disabled: true, deactivated: false });
});

const file = (names: readonly string[]) => `version: 1
account: { name: Elms }
locations:
  - { key: home, name: Home }
alarms:
${names.map(name => `  - { key: ${name}, name: ${name}, location: home }`).join('\n')}
`;

test('a file that asks for more sources than the plan covers is a problem, and nothing of it is applied', async () => {
  const world = await startWorld();
  const { own } = await aFreeAccount(world);
  const apply = async (text: string) => {
    for await (const { event } of own.configuration.apply({ text, prune: true })) {
      if (event.case === 'result') return event.value;
    }
    throw new Error('no result');
  };
  expect(await apply(file(['a', 'b', 'c', 'd']))).toMatchObject({ outcome: 'applied' });
  await world.advance(DAYS_S);
  expect(await running(own)).toEqual(['a', 'b', 'c']);
  const problem = expect.stringMatching(/^The free plan covers 3 .* with this change 5 would be enabled\. /);
  expect((await own.configuration.check({ text: file(['a', 'b', 'c', 'd', 'e']) })).problems).toMatchObject([
    { line: 0, field: '', problem },
  ]);
  const before = (await own.alarms.listAlarms({})).alarms;
  expect(await apply(file(['a', 'b', 'c', 'd', 'e']).replace('Elms', 'Oaks'))).toMatchObject({
    outcome: 'refused',
    problems: [{ problem }],
  });
  expect((await own.alarms.listAlarms({})).alarms).toEqual(before);
  expect((await own.accounts.getAccount({})).account).toMatchObject({ name: 'Elms' });
  // What is there already may stay in a file, and a file may swap.
  expect(await apply(file(['a', 'b', 'c', 'd']))).toMatchObject({ outcome: 'unchanged' });
  expect(await apply(file(['x', 'c', 'd']))).toMatchObject({ outcome: 'applied' });
  expect(await running(own)).toEqual(['c', 'd', 'x']);
});

test('of two that are made at once for one place, one is refused', async () => {
  const world = await startWorld();
  const { own } = await aFreeAccount(world);
  await world.advance(DAYS_S);
  await alarm(own, 'A');
  await alarm(own, 'B');
  const made = await Promise.allSettled(['C', 'D', 'E'].map(name => alarm(own, name)));
  expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(await running(own)).toHaveLength(3);
});
