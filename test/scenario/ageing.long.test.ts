import { expect, test } from 'vitest';
import { consoleOf, refusal } from '../support/console.ts';
import { aNight } from './page-rig.ts';

const FORM = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };
const HALF_AN_HOUR = 1_800;

/** A night in which Anna has acknowledged over her link, and an acknowledgement holds for half an hour; Ben was not told yet. */
async function anAcknowledgedNight({ holdsS = HALF_AN_HOUR, clock }: { holdsS?: number; clock?: 'settable' } = {}) {
  const night = await aNight(clock === undefined ? {} : { clock });
  const { world, owner, smtp, act, linkTo } = night;
  const console = consoleOf(world, world.operator, owner.accountId);
  const [policy] = (await console.policies.listPolicies({})).policies;
  const { id, version } = policy!;
  const holds = { id, version, askAgainAfterS: holdsS };
  await console.policies.updatePolicy({ policy: holds, updateMask: { paths: ['ask_again_after_s'] } });
  await act('trigger');
  const acknowledge = async (address: string) => {
    await fetch(`${await linkTo(address)}/acknowledge`, { method: 'POST', redirect: 'manual', headers: FORM });
    await world.settle();
  };
  await acknowledge('anna@example.com');
  const subjects = (address: string) =>
    smtp.mails.filter(({ envelope }) => envelope.to.includes(address)).map(({ subject }) => subject);
  return {
    ...{ ...night, console, acknowledge, policyId: id },
    subjectsTo: (name: 'anna' | 'ben') => subjects(`${name}@example.com`),
    asked: () => subjects('anna@example.com').filter(subject => subject?.includes('STILL OPEN')).length,
    open: async () => (await owner.incidents())[0]!,
    changes: async () =>
      (await owner.incidents())[0]!.timeline.flatMap(({ entry }) => (entry.case === 'change' ? [entry.value] : [])),
  };
}

test('whoever acknowledged is asked again while it is open, and holds it by answering', async () => {
  const { world, console, asked, subjectsTo, changes, acknowledge, linkTo, open, smtp } = await anAcknowledgedNight();
  await world.advance(HALF_AN_HOUR - 1);
  expect(asked()).toBe(0);
  await world.advance(1);
  expect(asked()).toBe(1);
  expect((await open()).acknowledgedAt).toBeUndefined();
  expect(await changes()).toContainEqual(expect.objectContaining({ kind: 'asked_again', detail: 'Anna' }));
  expect(smtp.mails.at(-1)!.text).toContain('You acknowledged it, and it is still open');
  expect(await (await fetch(await linkTo('anna@example.com'))).text()).toContain('Acknowledge');
  await acknowledge('anna@example.com');
  expect(await open()).toMatchObject({ acknowledgedBy: 'Anna' });
  const { timeToHuman } = await console.incidents.getIncident({ incidentId: (await open()).id });
  const inS = Number(timeToHuman!.acknowledgedAt!.seconds - timeToHuman!.acceptedAt!.seconds);
  expect(inS).toBeLessThan(60);
  await world.advance(HALF_AN_HOUR - 1);
  expect(subjectsTo('ben')).toEqual([]);
  await smtp.stop();
});

test('without an answer in 5 minutes the step that was called off goes, and those after it in their time', async () => {
  const { world, subjectsTo, smtp } = await anAcknowledgedNight();
  await world.advance(HALF_AN_HOUR);
  await world.advance(299);
  expect(subjectsTo('ben')).toHaveLength(0);
  await world.advance(1);
  expect(subjectsTo('ben')).toHaveLength(1);
  // The second round, 600 s after the last step of the first: Anna, then Ben.
  const annas = subjectsTo('anna').length;
  await world.advance(600);
  expect([subjectsTo('anna').length, subjectsTo('ben').length]).toEqual([annas + 1, 1]);
  await world.advance(300);
  expect(subjectsTo('ben')).toHaveLength(2);
  await smtp.stop();
});

test('who takes over then has it, and is asked in turn; three times in all, then it holds', async () => {
  const { world, acknowledge, subjectsTo, changes, open, smtp } = await anAcknowledgedNight();
  await world.advance(HALF_AN_HOUR);
  await world.advance(300);
  await acknowledge('ben@example.com');
  for (const times of [2, 3]) {
    await world.advance(HALF_AN_HOUR);
    expect(subjectsTo('ben').filter(subject => subject?.includes('STILL OPEN'))).toHaveLength(times - 1);
    expect((await changes()).filter(({ kind }) => kind === 'asked_again')).toHaveLength(times);
    await acknowledge('ben@example.com');
  }
  await world.advance(12 * HALF_AN_HOUR);
  expect((await changes()).filter(({ kind }) => kind === 'asked_again')).toHaveLength(3);
  expect(await open()).toMatchObject({ acknowledgedBy: 'Ben', status: 'open' });
  await smtp.stop();
});

test('where every step had gone the policy begins anew, step after step as it says, however late they had gone', async () => {
  const { world, acknowledge, subjectsTo, changes, smtp } = await anAcknowledgedNight();
  // Ben’s first message goes half an hour late, and then the second round.
  for (const seconds of [HALF_AN_HOUR, 300, 600, 300]) await world.advance(seconds);
  await acknowledge('ben@example.com');
  await world.advance(HALF_AN_HOUR);
  const told = () => [subjectsTo('anna').length, subjectsTo('ben').length] as const;
  const [annas, bens] = told();
  await world.advance(299);
  expect(told()).toEqual([annas, bens]);
  await world.advance(1);
  expect(told()).toEqual([annas + 1, bens]);
  await world.advance(299);
  expect(told()).toEqual([annas + 1, bens]);
  await world.advance(1);
  expect(told()).toEqual([annas + 1, bens + 1]);
  const steps = (await changes()).filter(({ kind }) => kind === 'step').map(({ round, step }) => [round, step]);
  expect(steps).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
    [2, 0],
    [2, 1],
  ]);
  await smtp.stop();
});

test('a trigger that comes later than 5 minutes after it asks at once; a clear meanwhile asks nobody', async () => {
  const { world, act, asked, smtp } = await anAcknowledgedNight();
  await world.advance(299);
  await act('trigger');
  expect(asked()).toBe(0);
  await world.advance(1);
  await act('trigger');
  expect(asked()).toBe(1);
  await act('clear');
  await world.advance(2 * HALF_AN_HOUR);
  expect(asked()).toBe(1);
  await smtp.stop();
});

test('off unless a policy says so, and an outsider’s key sets nothing', async () => {
  const { world, console, policyId, asked, smtp } = await anAcknowledgedNight({ holdsS: 0 });
  await world.advance(4 * HALF_AN_HOUR);
  expect(asked()).toBe(0);
  for (const askAgainAfterS of [1, 299, 86_401, -1]) {
    const updateMask = { paths: ['ask_again_after_s'] };
    const { version } = (await console.policies.getPolicy({ policyId })).policy!;
    const change = { policy: { id: policyId, version, askAgainAfterS }, updateMask };
    expect(await refusal(console.policies.updatePolicy(change))).toMatchObject({ code: 'InvalidArgument' });
    const other = consoleOf(world, world.operator, (await world.account()).accountId);
    expect(await refusal(other.policies.updatePolicy(change))).toMatchObject({ code: 'NotFound' });
  }
  await smtp.stop();
});

test('what had failed to go before it goes on too, and what was called off for good is reported by nobody', async () => {
  const { world, acknowledge, subjectsTo, changes, console, smtp } = await anAcknowledgedNight();
  // The first step's second round to Anna had a passing fault when she acknowledged by another way.
  await world.rows("UPDATE delivery SET tries = 1 WHERE status = 'cancelled' AND step = 1 AND round = 0");
  await world.advance(HALF_AN_HOUR + 300);
  expect(subjectsTo('ben')).toHaveLength(1);
  await acknowledge('ben@example.com');
  const { contacts } = await console.contacts.listContacts({});
  const [incident] = (await console.incidents.listIncidents({})).incidents;
  const anna = contacts.find(({ name }) => name === 'Anna')!.id;
  await console.incidents.handOver({ incidentId: incident!.id, contactId: anna });
  await world.advance(3_600);
  expect((await changes()).map(({ kind }) => kind)).not.toContain('step_missed');
  await smtp.stop();
});

test.each([-3_600, 3_600])('a clock of the database set by %i s neither asks early nor late', async stepS => {
  const { world, asked, smtp } = await anAcknowledgedNight({ clock: 'settable' });
  await world.advance(600);
  await world.setClock(stepS);
  await world.advance(HALF_AN_HOUR - 610);
  expect(asked()).toBe(0);
  await world.advance(20);
  expect(asked()).toBe(1);
  await smtp.stop();
});

test('while the only carrier is away the question and what goes on wait for it', async () => {
  const { world, asked, subjectsTo, smtp } = await anAcknowledgedNight();
  smtp.behave('away');
  await world.advance(HALF_AN_HOUR);
  for (const seconds of [5, 15, 280]) await world.advance(seconds);
  expect([asked(), subjectsTo('ben').length]).toEqual([0, 0]);
  smtp.behave('ok');
  for (const seconds of [45, 90, 180, 360]) await world.advance(seconds);
  expect(subjectsTo('ben').length).toBeGreaterThan(0);
  await smtp.stop();
});
