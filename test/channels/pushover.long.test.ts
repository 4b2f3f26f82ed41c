import { expect, onTestFinished, test } from 'vitest';
import { writeMessage } from '../../services/channels/message.ts';
import { createPushoverReceipts } from '../../services/channels/pushover/receipts.ts';
import { createPushoverChannel } from '../../services/channels/pushover/send.ts';
import type { Alert } from '../../services/domain/alert.ts';
import type { AttemptOutcome } from '../../services/domain/delivery.ts';
import { A_WAY_BACK, aDrill, anAcknowledgement, anAlert, aStillHappening, aVerification } from '../support/alert.ts';
import { logInto } from '../support/log.ts';
import type { PeerMode } from '../support/peer.ts';
import { ANNAS_KEY, type Pushover, startPushover, TOKEN } from '../support/pushover.ts';

const ANNA = `pushover:${ANNAS_KEY}`;
const TAKEN = { kind: 'sent' };

async function rig({ timeoutMs = 2_000, token = TOKEN } = {}) {
  const pushover = await startPushover();
  onTestFinished(() => pushover.stop());
  const lines: string[] = [];
  const log = logInto(lines);
  const settings = { ...pushover.settings, token };
  const channel = createPushoverChannel({ settings, log, timeoutMs });
  return { pushover, channel, receipts: createPushoverReceipts(settings, log), lines };
}

test('an alert rings until it is answered, with title, text and the link', async () => {
  const { pushover, channel } = await rig();
  const outcome = await channel.send(ANNA, anAlert());
  const [rung] = pushover.rung;
  expect(outcome).toEqual({ ...TAKEN, providerRef: rung!.receipt, answered: 'at_carrier' });
  const { subject, text } = writeMessage(anAlert());
  expect(rung).toMatchObject({
    user: ANNAS_KEY,
    title: subject,
    message: text.trimEnd(),
    priority: 2,
    url: A_WAY_BACK.pageUrl,
  });
});

test.each<[Alert, number]>([
  [anAlert({ environment: 'test' }), 0],
  [anAlert({ environment: 'drill' }), 2],
  [aStillHappening(), 1],
  [anAcknowledgement(), 0],
  [aDrill(), 0],
  [aVerification(), 0],
])('%#: $purpose is as loud as it has to be', async (alert, priority) => {
  const { pushover, channel } = await rig();
  expect(await channel.send(ANNA, alert)).toMatchObject({
    ...TAKEN,
    ...(priority === 2 && { answered: 'at_carrier' }),
  });
  expect(pushover.rung).toMatchObject([{ priority, receipt: priority === 2 ? expect.stringMatching(/./) : '' }]);
});

test('names of any length fit', async () => {
  const { pushover, channel } = await rig();
  const long = anAlert({ sourceName: '🚨'.repeat(2_000), locationName: 'x'.repeat(5_000) });
  expect(await channel.send(ANNA, long)).toMatchObject(TAKEN);
  expect([...pushover.rung[0]!.message].length).toBeLessThanOrEqual(1_024);
});

const LOGIN: AttemptOutcome = {
  kind: 'permanent_fault',
  reason: 'Pushover refused the token: check PUSHOVER_TOKEN',
  carrier: 'away',
};
const UNREADABLE: AttemptOutcome = {
  kind: 'temporary_fault',
  reason: 'Pushover answered something that cannot be read',
  answered: 'at_carrier',
};

test.each<[string, (pushover: Pushover) => void, AttemptOutcome]>([
  [
    'the month is used up',
    pushover => pushover.turns('used_up'),
    {
      kind: 'permanent_fault',
      reason: "this month's messages of PUSHOVER_TOKEN are used up",
      carrier: 'away',
    },
  ],
  [
    'an account was closed',
    pushover => pushover.closes(ANNAS_KEY),
    { kind: 'permanent_fault', reason: 'Pushover knows no such user key, or their account is closed' },
  ],
  [
    'it says no with 200',
    pushover => pushover.turns('says_no'),
    { kind: 'permanent_fault', reason: 'Pushover refused: something else' },
  ],
  [
    'it fails itself',
    behaves({ status: 503 }),
    { kind: 'temporary_fault', reason: 'Pushover has a fault of its own: 503', answered: 'at_carrier' },
  ],
  ['it is no Pushover', behaves('garbage'), UNREADABLE],
  [
    'it hangs',
    behaves('hang'),
    { kind: 'temporary_fault', reason: 'Pushover did not answer in time', carrier: 'away', answered: 'at_carrier' },
  ],
  [
    'it breaks off',
    behaves('reset'),
    { kind: 'temporary_fault', reason: 'Pushover broke off', carrier: 'away', answered: 'at_carrier' },
  ],
  [
    'it answers without an end',
    behaves('endless'),
    {
      kind: 'temporary_fault',
      reason: 'Pushover answered something that cannot be read',
      carrier: 'away',
      answered: 'at_carrier',
    },
  ],
  [
    'it leads elsewhere',
    behaves({ status: 302, headers: { location: 'http://169.254.169.254/' } }),
    { kind: 'permanent_fault', reason: 'Pushover refused: 302' },
  ],
])('where %s', async (_, is, outcome) => {
  const { pushover, channel, lines } = await rig({ timeoutMs: 300 });
  is(pushover);
  expect(await channel.send(ANNA, anAlert())).toEqual(outcome);
  expect(pushover.rung).toEqual([]);
  expect(lines.join()).not.toContain(TOKEN);
});

test('a wrong token is one of the deployment, and the doctor finds it without sending', async () => {
  const { pushover, channel } = await rig({ token: 'x'.repeat(30) });
  expect(await channel.send(ANNA, anAlert())).toEqual(LOGIN);
  expect(await channel.ask!(1_000)).toBe('Pushover refused the token: check PUSHOVER_TOKEN');
  const right = await rig();
  expect(await right.channel.ask!(1_000)).toBeNull();
  right.pushover.turns('used_up');
  expect(await right.channel.ask!(1_000)).toBe("this month's messages of PUSHOVER_TOKEN are used up");
  expect(pushover.rung).toEqual([]);
});

test('a message without a receipt is sent, and not asked for', async () => {
  const { pushover, channel } = await rig();
  pushover.turns('no_receipt');
  expect(await channel.send(ANNA, anAlert())).toEqual({ ...TAKEN, providerRef: expect.stringMatching(/^\w{16}$/) });
});

test('a try of which nothing is known rings no longer than the others', async () => {
  const { pushover, channel, receipts } = await rig({ timeoutMs: 100 });
  pushover.behave(300);
  expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'temporary_fault' });
  await pushover.next();
  pushover.behave('ok');
  expect(await channel.send(ANNA, anAlert())).toMatchObject(TAKEN);
  expect(await receipts.quiet(anAlert().deliveryId, async () => null)).toBe('done');
  expect(pushover.rung.map(({ is }) => is)).toEqual(['cancelled', 'cancelled']);
});

test('one message at a time, however many there are; whoever waits too long is put off', async () => {
  const { pushover, channel } = await rig();
  pushover.behave(20);
  const sent = await Promise.all(Array.from({ length: 20 }, () => channel.send(ANNA, anAlert())));
  expect(sent.every(({ kind }) => kind === 'sent')).toBe(true);
  expect(pushover.waiting().most).toBe(1);
  pushover.behave('hang');
  const [first, second] = [
    createPushoverChannel({ settings: pushover.settings, log: logInto([]), timeoutMs: 4_000 }),
    anAlert(),
  ];
  const [hangs, waits] = await Promise.all([first.send(ANNA, second), first.send(ANNA, second)]);
  expect([hangs.kind, waits.kind]).toEqual(['temporary_fault', 'put_off']);
  // Whoever waits behind it from then on goes on over another channel as if Pushover had been asked.
  const further = await Promise.all(
    ['b', 'c', 'd'].map(id => first.send(ANNA, { ...second, accountId: id.repeat(32) })),
  );
  expect(further.map(({ kind }) => kind)).toEqual(['temporary_fault', 'temporary_fault', 'temporary_fault']);
});

test('a key that was refused is not asked for again for ten minutes: many refusals would block everybody', async () => {
  const { pushover, channel } = await rig();
  pushover.closes(ANNAS_KEY);
  const outcomes = [await channel.send(ANNA, anAlert()), await channel.send(ANNA, anAlert())];
  expect(outcomes.map(({ kind }) => kind)).toEqual(['permanent_fault', 'permanent_fault']);
  expect(pushover.heard).toHaveLength(1);
});

test('a token that is refused while messages ring is no sign that they are over, and the log says so once', async () => {
  const { pushover, channel } = await rig();
  await channel.send(ANNA, anAlert());
  const lines: string[] = [];
  const wrong = createPushoverReceipts({ ...pushover.settings, token: 'x'.repeat(30) }, logInto(lines));
  for (let nth = 0; nth < 2; nth++) {
    expect(await wrong.ask(pushover.rung[0]!.receipt, ANNA)).toBe('no_answer');
    expect(await wrong.quiet(anAlert().deliveryId, async () => null)).toBe('no_answer');
  }
  expect(pushover.rung).toMatchObject([{ is: 'ringing' }]);
  expect(lines.filter(line => line.includes('refuses questions'))).toHaveLength(1);
});

test('only whom it went to answers for themselves', async () => {
  const { pushover, channel, receipts } = await rig();
  for (let nth = 0; nth < 3; nth++) await channel.send(ANNA, anAlert());
  const [one, other, third] = pushover.rung;
  expect(await receipts.ask(one!.receipt, ANNA)).toBe('not_yet');
  pushover.press(one!);
  pushover.press(other!, `u${'X'.repeat(29)}`);
  third!.is = 'expired';
  expect(await receipts.ask(one!.receipt, ANNA)).toBe('acknowledged');
  expect(await receipts.ask(other!.receipt, ANNA)).toBe('over');
  expect(await receipts.ask(third!.receipt, ANNA)).toBe('over');
  // A receipt is known a moment later than its message.
  expect(await receipts.ask('unknownYet', ANNA)).toBe('not_yet');
});

test.each<PeerMode>([
  'garbage',
  'hang',
  'reset',
  { status: 500 },
  { status: 429 },
])('a receipt that cannot be had is asked for again: %j', { timeout: 20_000 }, async mode => {
  const { pushover, channel, receipts } = await rig();
  await channel.send(ANNA, anAlert());
  const [{ receipt }] = pushover.rung as [Pushover['rung'][number]];
  pushover.behave(mode);
  expect(['not_yet', 'no_answer']).toContain(await receipts.ask(receipt, ANNA));
  pushover.behave('ok');
  expect(await receipts.quiet(anAlert().deliveryId, async () => null)).toBe('done');
  expect(pushover.rung).toMatchObject([{ is: 'cancelled' }]);
});

function behaves(mode: PeerMode) {
  return (pushover: Pushover) => pushover.behave(mode);
}
