import { describe, expect, test } from 'vitest';
import type { RehearseResponse } from '../../../gen/tocsin/console/v1/drills_pb.ts';
import { consoleOf, refusal } from '../../support/console.ts';
import { advanceClock } from '../../support/database.ts';
import { WAITING_CALLS } from '../../support/waiting.ts';
import { startWorld } from '../../support/world.ts';
import { tokenOf } from '../incident/incident-rig.ts';

/** An owner whose alarm is in test: its policy tells Anna at once, and Ben after a minute by email and call. */
async function inTest(alarm: { onlyWhenArmed?: boolean; windowS?: number } = {}, plan: 'free' | 'paid' = 'paid') {
  const { windowS = 0, ...switches } = alarm;
  const world = await startWorld({ smtpUrl: 'smtp://127.0.0.1:9' });
  const owner = await world.account({ plan });
  const anna = await owner.contact('Anna', { email: 'anna@example.com', text: '+12025550100' });
  const ben = await owner.contact('Ben', { email: 'ben@example.com' });
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId: anna, channels: ['email', 'text'] }] },
    { delayS: 60, contacts: [{ contactId: ben, channels: ['email', 'call'] }] },
  ]);
  const sourceId = await owner.alarm({ test: true, modes: { away: { policyId, windowS } }, ...switches });
  const key = await owner.key();
  const { drills, incidents } = consoleOf(world, await tokenOf(world, owner, 'Anna’s laptop'));
  const act = (action: string) => world.get(`/v1/alarm/${sourceId}/${action}`, key);
  return { world, owner, policyId, sourceId, drills, incidents, act };
}

const linesOf = ({ lines }: RehearseResponse) => lines.map(({ afterS, text }) => `${afterS} ${text}`);

test('the transcript and the preview say which addresses nobody has shown to be theirs', async () => {
  const { owner, world, sourceId, drills } = await inTest();
  const { contacts, readiness } = consoleOf(world, await tokenOf(world, owner, 'Ben’s laptop'));
  const ben = (await contacts.listContacts({})).contacts.find(({ name }) => name === 'Ben')!;
  const channels = [{ channel: 'email', address: 'ben@example.org' }];
  await contacts.updateContact({
    contact: { id: ben.id, version: ben.version, channels },
    updateMask: { paths: ['channels'] },
  });
  const { deliveries } = await readiness.preview({ sourceId });
  expect(deliveries.map(({ contactName, channel, outcome }) => `${contactName} ${channel} ${outcome}`)).toContain(
    'Ben email not_verified',
  );
  const told = await drills.rehearse({ sourceId });
  expect(linesOf(told)).toContain(
    '60 Ben is not alerted by email, because nobody has shown yet that the address is theirs (step 2).',
  );
});

test('the transcript tells the call, the incident with its timeline, and all of it in sentences', async () => {
  const { world, owner, sourceId, drills, incidents } = await inTest();
  const told = await drills.rehearse({ sourceId });
  expect(told.call?.call).toMatchObject({
    verb: 'trigger',
    outcome: 'opened',
    environment: 'test',
    actor: 'Anna’s laptop',
    keyId: '',
    mode: 'away',
    sourceId,
  });
  expect(told.incident?.incident).toMatchObject({ environment: 'test', policyName: 'A policy', sourceName: 'House' });
  const deliveries = told.incident!.timeline.flatMap(({ entry }) => (entry.case === 'delivery' ? [entry.value] : []));
  expect(deliveries.map(one => [one.contactName, one.channel, one.status, one.reason])).toEqual([
    ['Anna', 'email', 'suppressed', ''],
    ['Anna', 'text', 'suppressed', 'no_carrier'],
    ['Ben', 'email', 'suppressed', ''],
    ['Ben', 'call', 'suppressed', 'no_address'],
  ]);
  expect(linesOf(told)).toEqual([
    '0 A trigger of the alarm "House" in the mode Away was rehearsed: it is recorded, and nobody is alerted.',
    '0 An incident opens and runs the policy "A policy".',
    '0 Anna is alerted by email (step 1).',
    '0 Anna is not alerted by text, because no carrier is set up for it (step 1).',
    '60 Ben is alerted by email (step 2).',
    '60 Ben is not alerted by call, because there is no usable address (step 2).',
    '60 That was the last message: nobody else is alerted.',
  ]);
  await world.advance(3600);
  expect((await world.rows("SELECT FROM delivery WHERE status NOT IN ('suppressed', 'cancelled')")).length).toBe(0);
  const { traceId } = told.call!.call!;
  expect((await incidents.findCall({ traceId })).call).toEqual(told.call!.call);
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ id: told.incident!.incident!.id, status: 'closed', closeReason: 'console' });
});

test('it closes the incident again, so that the next rehearsal tells everything anew, unless it is asked to stay', async () => {
  const { owner, sourceId, drills } = await inTest();
  const first = await drills.rehearse({ sourceId });
  const second = await drills.rehearse({ sourceId, keepOpen: true });
  expect(second.incident!.incident!.id).not.toBe(first.incident!.incident!.id);
  expect(linesOf(second)).toEqual(linesOf(first));
  expect((await owner.incidents()).map(({ status }) => status).sort()).toEqual(['closed', 'open']);

  const third = await drills.rehearse({ sourceId });
  expect(third.call?.call?.outcome).toBe('folded');
  expect(third.incident!.incident!.id).toBe(second.incident!.incident!.id);
  expect(linesOf(third)).toContain(
    '0 It joined the incident of an earlier trigger, which is still open: nobody is alerted again. What follows are the alerts of that incident.',
  );
  const incidents = await owner.incidents();
  expect(incidents.map(({ status }) => status)).toEqual(['closed', 'closed']);
  const calls = incidents.flatMap(({ timeline }) =>
    timeline.flatMap(({ entry }) => (entry.case === 'call' ? entry : [])),
  );
  expect(new Set(calls.map(({ value }) => value.verb))).toEqual(new Set(['trigger', 'close']));
  expect(new Set(calls.map(({ value }) => value.environment))).toEqual(new Set(['test']));
});

test('it does not wait for the false-alarm window, and says how long that would have been', async () => {
  const { sourceId, drills, act, world } = await inTest({ windowS: 45 });
  const told = await drills.rehearse({ sourceId });
  expect(told.call?.call?.outcome).toBe('opened');
  expect(linesOf(told)[1]).toContain('first waits 45 s in its false-alarm window');
  expect(told.lines.at(-1)!.afterS).toBe(60);

  // A trigger of a machine that waits in its window: the rehearsal joins it, and it opens now.
  await act('trigger');
  await world.settle();
  const joined = await drills.rehearse({ sourceId });
  expect(joined.incident?.incident).toMatchObject({ environment: 'test', triggerCount: 2 });
});

test('the mode is the one that a bare trigger would take, or the one that is named; a panic button has none', async () => {
  const { world, owner, policyId, sourceId, drills, act } = await inTest();
  await act('arm/night');
  const night = await drills.rehearse({ sourceId });
  expect(night.call?.call?.mode).toBe('night');
  expect(linesOf(night)).toContain('0 An incident opens, and there is nobody to alert: no policy is bound.');
  expect((await drills.rehearse({ sourceId, mode: 'away' })).call?.call?.mode).toBe('away');
  await world.settle();
  expect((await world.rows('SELECT armed_mode FROM source_state'))[0]).toEqual({ armed_mode: 'night' });

  const button = await owner.panicButton({ policyId, test: true });
  const told = await drills.rehearse({ sourceId: button });
  expect(told.call?.call).toMatchObject({ mode: '', outcome: 'opened' });
  expect(linesOf(told)[0]).toBe(
    '0 A trigger of the panic button "Button" was rehearsed: it is recorded, and nobody is alerted.',
  );
});

test('what the plan does not cover is told with its reason, rounds are counted', async () => {
  const { world, owner, drills } = await inTest({}, 'free');
  await advanceClock(world.store.pool, 14 * 24 * 3600);
  const contactId = await owner.contact('Cleo', { text: '+12025550102' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['text'] }] }], {
    times: 1,
    delayS: 300,
  });
  const sourceId = await owner.panicButton({ policyId, test: true });
  const told = linesOf(await drills.rehearse({ sourceId }));
  const because = 'Cleo is not alerted by text, because the plan of the account does not cover it';
  expect(told.slice(2, 4)).toEqual([`0 ${because} (round 1, step 1).`, `300 ${because} (round 2, step 1).`]);
});

test('disarmed and gated it is rehearsed all the same, and told that a machine would be refused', async () => {
  const { sourceId, drills, owner } = await inTest({ onlyWhenArmed: true });
  const answer = await drills.rehearse({ sourceId });
  expect(answer.call!.call).toMatchObject({ outcome: 'opened' });
  expect(linesOf(answer)[1]).toContain('would be refused now');
  expect(linesOf(answer)[1]).toContain('only fires when armed, and it is disarmed');
  expect(await owner.incidents()).toMatchObject([{ environment: 'test', status: 'closed' }]);
});

describe('what cannot be rehearsed is refused with a sentence, and nothing is stored', () => {
  test('live, disabled, without the mode', async () => {
    const { world, sourceId, drills } = await inTest({ onlyWhenArmed: true });
    const refused = async (mode = '') => {
      const { code, message } = await refusal(drills.rehearse({ sourceId, mode }));
      expect(code).toBe('FailedPrecondition');
      return message;
    };
    await world.rows("DELETE FROM mode WHERE id IN ('away', 'vacation')");
    expect(await refused()).toContain('has no mode away: name one that it has (home, night)');
    await world.rows("UPDATE source SET test = false, key = 'house'");
    expect(await refused('night')).toContain('put it in test first, tocsin alarms update house --test');
    await world.rows('UPDATE source SET deactivated = true');
    expect(await refused('night')).toContain('a downgrade of the plan');
    await world.rows('UPDATE source SET disabled = true');
    expect(await refused('night')).toContain('is disabled');
    expect(await world.rows(`SELECT verb FROM (${WAITING_CALLS}) w UNION ALL SELECT verb FROM call_log`)).toEqual([]);
  });

  test('the real thing is open, or waits in its window', async () => {
    for (const [windowS, words] of [
      [0, 'has a live incident open'],
      [30, 'has a live trigger in its false-alarm window'],
    ] as const) {
      const { world, owner, sourceId, drills, act } = await inTest({ windowS });
      await world.rows('UPDATE source SET test = false');
      await act('trigger');
      await world.settle();
      await world.rows('UPDATE source SET test = true');
      const { code, message } = await refusal(drills.rehearse({ sourceId }));
      expect([code, message]).toEqual(['FailedPrecondition', expect.stringContaining(words)]);
      await world.advance(windowS);
      expect(await owner.incidents()).toMatchObject([{ environment: 'live', status: 'open', triggerCount: 1 }]);
    }
  });

  test('a word that is no mode', async () => {
    const { sourceId, drills } = await inTest();
    expect(await refusal(drills.rehearse({ sourceId, mode: 'AWAY' }))).toMatchObject({ code: 'InvalidArgument' });
  });
});

test('the test switch of the location is enough to rehearse', async () => {
  const { world, sourceId, drills } = await inTest();
  await world.rows('UPDATE source SET test = false');
  await world.rows('UPDATE location SET test = true');
  expect((await drills.rehearse({ sourceId })).call?.call?.outcome).toBe('opened');
});

test('an outsider can rehearse nothing of others, and hears the same words as about what is not there', async () => {
  const { world, owner, sourceId } = await inTest();
  await world.rows("UPDATE source SET key = 'house'");
  const outsider = await world.account();
  const theirs = consoleOf(world, await tokenOf(world, outsider, 'Somebody else')).drills;
  for (const named of [sourceId, 'house', 'a'.repeat(32), '']) {
    expect(await refusal(theirs.rehearse({ sourceId: named }))).toMatchObject({
      code: 'NotFound',
      message: 'There is no such alarm or panic button in this account.',
    });
  }
  for (const token of ['', await owner.key()]) {
    const nobody = consoleOf(world, token).drills;
    expect(await refusal(nobody.rehearse({ sourceId }))).toMatchObject({ code: 'Unauthenticated' });
  }
  await world.settle();
  expect(await owner.incidents()).toEqual([]);
  const own = consoleOf(world, await tokenOf(world, owner, 'Anna’s laptop')).drills;
  expect((await own.rehearse({ sourceId: 'house' })).call?.call?.sourceId).toBe(sourceId);
});
