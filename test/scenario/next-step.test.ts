import { expect, onTestFinished, test } from 'vitest';
import { findUnjudged, judgeReached } from '../../services/store/statements/unreached.ts';
import { startPeer } from '../support/peer.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { startWorld } from '../support/world.ts';

/* DECISIONS.md "All that was due has failed": the next step goes at once, and "`exhausted`": after the last had its chance. */

/** Steps five minutes apart, each telling one person by email, and a stranger's house beside. */
async function aHouse(options: { people?: number; repeat?: { times: number; delayS: number } } = {}) {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const steps = [];
  for (let n = 1; n <= (options.people ?? 3); n++) {
    const contactId = await owner.contact(`Person ${n}`, { email: `p${n}@example.com` });
    steps.push({ delayS: n === 1 ? 0 : 300, contacts: [{ contactId, channels: ['email' as const] }] });
  }
  const policyId = await owner.policy(steps, options.repeat);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  const key = await owner.key();
  const fire = async () => {
    await world.get(`/v1/alarm/${id}/trigger`, key);
    await world.settle();
  };
  const incident = async () => (await owner.incidents())[0]!;
  const told = () => smtp.mails.flatMap(({ envelope }) => envelope.to).filter(to => to.startsWith('p'));
  return { smtp, world, owner, fire, incident, told };
}

const s = (one: { seconds: bigint } | undefined, since: { seconds: bigint } | undefined) =>
  Number(one!.seconds - since!.seconds);

test('where all that was due has failed the next step goes at once, and so on; later ones keep their times', async () => {
  const { smtp, world, fire, incident, told } = await aHouse({ people: 4 });
  smtp.refuse('p1@example.com', 550);
  smtp.refuse('p2@example.com', 550);
  await fire();
  expect(told()).toEqual(['p3@example.com']);
  const now = await incident();
  expect(now.outcome).toBe('alerting');
  expect(now.deliveries.map(({ step, status, plannedAt }) => [step, status, s(plannedAt, now.openedAt)])).toEqual([
    [0, 'failed', 0],
    [1, 'failed', 0],
    [2, 'sent', 0],
    [3, 'scheduled', 900],
  ]);
  expect(s(now.escalationEndsAt, now.openedAt)).toBe(900);
  const changes = now.timeline.flatMap(({ entry, at }) =>
    entry.case === 'change' ? [[entry.value.kind, entry.value.step, s(at, now.openedAt), entry.value.explanation]] : [],
  );
  expect(changes.filter(([kind]) => kind === 'step_brought_forward')).toEqual([
    [
      'step_brought_forward',
      1,
      0,
      'Nobody was left before it: messages had failed, or people cannot. So it went 5 min earlier than planned.',
    ],
    [
      'step_brought_forward',
      2,
      0,
      'Nobody was left before it: messages had failed, or people cannot. So it went 10 min earlier than planned.',
    ],
  ]);
  expect(changes.filter(([kind]) => kind === 'step').map(([, step, at]) => [step, at])).toEqual([
    [0, 0],
    [1, 0],
    [2, 0],
    [3, 900],
  ]);
  const [mail] = smtp.mails.filter(({ envelope }) => envelope.to.includes('owner@example.com'));
  expect(mail!.text).toContain('Step 2 goes now.');
  // Nothing of it is late, and exhausted and auto-close go by the time at which the escalation ends now.
  await world.advance(900);
  await world.advance(299);
  expect((await incident()).outcome).toBe('alerting');
  await world.advance(1);
  expect((await incident()).outcome).toBe('exhausted');
  const kinds = await world.rows<{ kind: string }>('SELECT kind FROM notice ORDER BY seq');
  expect(kinds.map(({ kind }) => kind)).toEqual(['nobody_reached', 'exhausted']);
});

test('a message that failed twice for a passing reason counts as failed for it, until it is taken', async () => {
  const { smtp, world, fire, incident, told } = await aHouse({ people: 2 });
  smtp.refuse('p1@example.com', 450);
  smtp.refuse('p1@example.com', 450);
  await fire();
  expect(told()).toEqual([]);
  expect((await incident()).outcome).toBe('alerting');
  await world.advance(5);
  expect(told()).toEqual(['p2@example.com']);
  await world.advance(15);
  expect(told()).toEqual(['p2@example.com', 'p1@example.com']);
});

test('further rounds keep their delay: they are the net over time', async () => {
  const { smtp, world, fire, incident, told } = await aHouse({ people: 1, repeat: { times: 1, delayS: 600 } });
  smtp.refuse('p1@example.com', 550);
  await fire();
  await world.advance(599);
  expect((await incident()).outcome).toBe('nobody_reached');
  expect(told()).toEqual([]);
  await world.advance(1);
  expect(told()).toEqual(['p1@example.com']);
});

test('within a further round the next step goes at once as well', async () => {
  const { smtp, world, fire, told } = await aHouse({ people: 2, repeat: { times: 1, delayS: 600 } });
  for (const to of ['p1@example.com', 'p2@example.com', 'p1@example.com']) smtp.refuse(to, 550);
  await fire();
  // Counted from when the second step was to go.
  await world.advance(900);
  expect(told()).toEqual(['p2@example.com']);
});

test('while the carrier itself is away the steps keep their times', async () => {
  const { smtp, world, owner, fire, incident, told } = await aHouse({ people: 2 });
  smtp.behave('away');
  await fire();
  for (const wait of [5, 15, 45]) await world.advance(wait);
  expect((await incident()).outcome).toBe('nobody_reached');
  expect(await world.rows('SELECT 1 FROM delivery WHERE moved_from IS NOT NULL')).toEqual([]);
  expect((await findUnjudged(world.store.pool, { at: '-infinity', id: '' })).incidents).toEqual([]);
  smtp.behave('ok');
  await world.advance(235);
  expect(told().toSorted()).toEqual(['p1@example.com', 'p2@example.com']);
  expect(await owner.incidents()).toMatchObject([{ outcome: 'alerting' }]);
});

test('after a crash between the failure and the judgement the sweep finds it, once', async () => {
  const { smtp, world, owner, fire, incident, told } = await aHouse({ people: 3 });
  await fire();
  // As it stands where the process died right after it had recorded that the first message failed.
  await world.rows(
    `UPDATE delivery SET status = 'failed', reason = 'no such mailbox', sent_at = NULL WHERE account_id = $1 AND step = 0`,
    [owner.accountId],
  );
  const { incidents } = await findUnjudged(world.store.pool, { at: '-infinity', id: '' });
  const { id } = await incident();
  expect(incidents).toEqual([{ accountId: owner.accountId, id }]);
  const twice = await Promise.all([1, 2].map(() => judgeReached(world.store.pool, owner.accountId, id)));
  expect(twice.map(({ became }) => became).toSorted()).toEqual(['as_before', 'nobody_reached']);
  smtp.refuse('p2@example.com', 550);
  await world.settle();
  expect(told()).toEqual(['p1@example.com', 'p3@example.com']);
});

test('exhausted is told only after the throttled ones had their chance, and says what was tried', async () => {
  const [smtp, twilio] = await Promise.all([startSmtp(), startTwilio()]);
  onTestFinished(async () => void (await Promise.all([smtp.stop(), twilio.stop()])));
  const world = await startWorld({ smtpUrl: smtp.url, carriers: { twilio: twilio.settings } });
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const anna = await owner.contact('Anna', { text: '+12025550111' });
  const ben = await owner.contact('Ben', { email: 'ben@example.com' });
  const step = (contactId: string, channel: 'text' | 'email') => ({
    delayS: 10,
    contacts: [{ contactId, channels: [channel] }],
  });
  const policyId = await owner.policy([...Array.from({ length: 6 }, () => step(anna, 'text')), step(ben, 'email')]);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  smtp.refuse('ben@example.com', 550);
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.settle();
  for (let n = 0; n < 7; n++) await world.advance(10);
  expect(twilio.messages).toHaveLength(5);
  // The sixth text waits until the first is 15 minutes old; the policy has ended long before.
  await world.advance(600);
  const kinds = async () => (await world.rows<{ kind: string }>('SELECT kind FROM notice')).map(({ kind }) => kind);
  expect(await kinds()).toEqual([]);
  await world.advance(240);
  expect(twilio.messages).toHaveLength(6);
  await world.advance(290);
  expect(await kinds()).toEqual([]);
  await world.advance(20);
  expect(await kinds()).toEqual(['exhausted']);
  const words = 'Tried: 7 messages by text, email; carriers took 6, and 1 failed.';
  expect(smtp.mails.at(-1)!.text).toContain(words);
  const [incident] = await owner.incidents();
  const changes = incident!.timeline.flatMap(({ entry }) => (entry.case === 'change' ? [entry.value] : []));
  expect(changes.find(({ kind }) => kind === 'exhausted')).toMatchObject({
    detail: '7 6 1 text,email',
    explanation: words,
  });
});

test('a webhook that asks to wait was tried: no missed step, and nobody is told', async () => {
  const hook = await startPeer((_heard, response) => void response.writeHead(204).end());
  onTestFinished(hook.stop);
  const world = await startWorld();
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const contactId = await owner.contact('Anna', { webhook: `${hook.url}/` });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['webhook'] }] }]);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  hook.behave({ status: 429, headers: { 'retry-after': '30' } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.settle();
  await world.advance(10);
  await world.settle();
  const [incident] = await owner.incidents();
  expect(incident!.deliveries).toMatchObject([
    { status: 'scheduled', reason: 'the webhook asked to wait', attempts: 0, firstAttemptAt: expect.anything() },
  ]);
  hook.behave('ok');
  await world.advance(30);
  const [after] = await owner.incidents();
  expect(after!.deliveries).toMatchObject([{ status: 'delivered' }]);
  const changes = after!.timeline.flatMap(({ entry }) => (entry.case === 'change' ? [entry.value.kind] : []));
  expect(changes).toEqual(['opened', 'step']);
  expect(await world.rows('SELECT kind FROM notice')).toEqual([]);
});
