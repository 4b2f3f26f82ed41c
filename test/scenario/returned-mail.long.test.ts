import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { CarrierSettings } from '../../services/channels/carriers.ts';
import { createMailReferences } from '../../services/channels/email/reference.ts';
import { createReturnedMailbox } from '../../services/channels/email/returned-mailbox.ts';
import { createReturnedLook } from '../../services/responder/returned.ts';
import { commandLine } from '../cli/command-line.ts';
import { NO_CARRIERS } from '../support/carriers.ts';
import { type Dovecot, startDovecot } from '../support/dovecot.ts';
import { reportOn } from '../support/mail-report.ts';
import { type Smtp, startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "Returned mail": a mail that a server took and could not deliver is failed, and the next channel goes at once. */

const ANNA = 'anna@example.com';
const BEN = 'ben@example.com';

async function aDeployment(options: { imap?: (dovecot: Dovecot) => string; bounce?: string | null } = {}) {
  const [dovecot, smtp, twilio] = [await startDovecot(), await startSmtp(), await startTwilio()];
  onTestFinished(async () => void (await Promise.all([smtp.stop(), twilio.stop()])));
  const mail: CarrierSettings['mail'] = {
    ...NO_CARRIERS.mail,
    smtpUrl: smtp.url,
    bounce: options.bounce === undefined ? 'bounces@tocsin.test' : options.bounce,
    bounceImap: (options.imap ?? (one => one.url))(dovecot),
  };
  const world = await startWorld({ carriers: { mail, twilio: twilio.settings } });
  return { dovecot, smtp, twilio, world };
}

/** A live alarm that tells one person by email, who could be told by text as well; it goes off. */
async function aTriggeredHouse(world: World, smtp: Smtp, email: string, text: string) {
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email, text });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const alarmId = await owner.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${alarmId}/trigger`, await owner.key());
  await world.settle();
  const became = async () => {
    const [incident] = await owner.incidents();
    return incident!.deliveries.map(({ channel, status, reason }) => [`${channel} ${status}`, reason]);
  };
  return { owner, became, mail: await smtp.next(({ envelope }) => envelope.to.includes(email)) };
}

const ANNAS_REASON = 'no such mailbox: 550 5.1.1 <[address]>: Recipient address rejected: User unknown';

test('a mail that comes back is failed with the reason, and the next channel goes at once; another account notices nothing', async () => {
  const { dovecot, smtp, twilio, world } = await aDeployment();
  const anna = await aTriggeredHouse(world, smtp, ANNA, '+12025550111');
  const ben = await aTriggeredHouse(world, smtp, BEN, '+12025550112');
  expect(await anna.became()).toEqual([['email sent', '']]);

  await dovecot.deliver(reportOn(anna.mail));
  // Nobody asks for it: the server tells that something came.
  await eventually(() => twilio.messages.length === 1, { what: 'the text that goes in its place' });
  await world.settle();
  expect(await anna.became()).toEqual([
    ['email failed', ANNAS_REASON],
    ['text sent', ''],
  ]);
  expect(await ben.became()).toEqual([['email sent', '']]);
  expect(twilio.messages).toHaveLength(1);
  expect(await dovecot.kept()).toMatchObject([{ flags: ['\\Seen'] }]);

  await dovecot.deliver(reportOn(anna.mail));
  await world.settle();
  expect(twilio.messages).toHaveLength(1);
  expect(await dovecot.kept()).toMatchObject([{ flags: ['\\Seen'] }, { flags: ['\\Seen'] }]);
});

test('one without a part for the status is failed with its words; an automatic reply changes nothing', async () => {
  const { dovecot, smtp, twilio, world } = await aDeployment();
  const anna = await aTriggeredHouse(world, smtp, ANNA, '+12025550111');
  const to = `To: ${anna.mail.envelope.from}\r\n`;
  await dovecot.deliver(`${to}From: ${ANNA}\r\nSubject: Automatic reply: House\r\n\r\nI am away. Action: failed\r\n`);
  await world.settle();
  expect(await anna.became()).toEqual([['email sent', '']]);
  await dovecot.deliver(
    `${to}From: MAILER-DAEMON@mx.example\r\nSubject: failure notice\r\n\r\n<${ANNA}>:\r\nmailbox is full\r\n`,
  );
  await world.settle();
  expect(await anna.became()).toMatchObject([
    ['email failed', 'mailbox full: mailbox is full'],
    ['text sent', ''],
  ]);
  expect(twilio.messages).toHaveLength(1);
  expect((await dovecot.kept()).map(({ flags }) => flags)).toEqual([['\\Seen'], ['\\Seen']]);
});

test('two processes that read one mailbox fail a mail once', async () => {
  const { dovecot, smtp, twilio, world } = await aDeployment();
  const anna = await aTriggeredHouse(world, smtp, ANNA, '+12025550111');
  const log = pino({ level: 'silent' });
  const references = createMailReferences(NO_CARRIERS.mailSecret);
  const others = [1, 2].map(() => createReturnedMailbox({ url: dovecot.url, references, log }));
  onTestFinished(async () => void (await Promise.all(others.map(other => other.close()))));
  const looks = others.map(other =>
    createReturnedLook(
      { store: world.store, carriers: ['text', 'email'], log, scheduled: () => {}, reported: () => {} },
      other,
    ),
  );
  await dovecot.deliver(reportOn(anna.mail));
  await Promise.all([...looks.map(look => look()), world.settle()]);
  await world.settle();
  expect(await anna.became()).toMatchObject([
    ['email failed', ANNAS_REASON],
    ['text sent', ''],
  ]);
  expect(twilio.messages).toHaveLength(1);
  expect(await dovecot.kept()).toMatchObject([{ flags: ['\\Seen'] }]);
});

test('without MAIL_BOUNCE the mail is found by the header that is given back', async () => {
  const { dovecot, smtp, twilio, world } = await aDeployment({ bounce: null });
  const anna = await aTriggeredHouse(world, smtp, ANNA, '+12025550111');
  expect(anna.mail.envelope.from).toBe('alarm@tocsin.test');
  await dovecot.deliver(reportOn(anna.mail, { returns: 'mail' }));
  await world.settle();
  expect(await anna.became()).toMatchObject([
    ['email failed', ANNAS_REASON],
    ['text sent', ''],
  ]);
  expect(twilio.messages).toHaveLength(1);
});

test('a report about a mail that is only late, or that arrived, changes nothing and is marked as read', async () => {
  const { dovecot, smtp, twilio, world } = await aDeployment();
  const anna = await aTriggeredHouse(world, smtp, ANNA, '+12025550111');
  for (const action of ['delayed', 'delivered', 'relayed'])
    await dovecot.deliver(reportOn(anna.mail, { action, status: '4.4.1' }));
  await world.settle();
  expect(await anna.became()).toEqual([['email sent', '']]);
  expect(twilio.messages).toEqual([]);
  expect((await dovecot.kept()).map(({ flags }) => flags)).toEqual([['\\Seen'], ['\\Seen'], ['\\Seen']]);
});

test('what is forged, foreign, unreadable or enormous changes nothing, is left as it is, and what is ours behind it counts', async () => {
  const { dovecot, smtp, twilio, world } = await aDeployment();
  const anna = await aTriggeredHouse(world, smtp, ANNA, '+12025550111');
  const { id } = (await anna.owner.incidents())[0]!.deliveries[0]!;
  const forger = createMailReferences('a guess');
  const forged = `bounces+${forger.of({ deliveryId: id, attempt: 1 })}@tocsin.test`;
  await dovecot.deliver(reportOn(anna.mail, { to: forged, returns: 'none' }));
  await dovecot.deliver(reportOn(anna.mail, { to: `bounces+${id}@tocsin.test`, returns: 'none' }));
  await dovecot.deliver('To: bounces@tocsin.test\r\nSubject: Buy this\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n');
  await dovecot.deliver(`Subject: Deep\r\n${'Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n'.repeat(100)}`);
  await world.settle();
  expect(await anna.became()).toEqual([['email sent', '']]);

  // So long that its status is not read.
  await dovecot.deliver(
    reportOn(anna.mail, {
      text: `550 5.1.1 <${ANNA}>: Recipient address rejected: User unknown\r\n${'Sorry. '.repeat(700_000)}`,
    }),
  );
  await world.settle();
  expect(await anna.became()).toMatchObject([
    ['email failed', ANNAS_REASON],
    ['text sent', ''],
  ]);
  expect(twilio.messages).toHaveLength(1);
  expect((await dovecot.kept()).map(({ flags }) => flags)).toEqual([[], [], [], [], ['\\Seen']]);
});

test('a report on a message that is none of ours any more is marked as read and comes to nothing', async () => {
  const { dovecot, smtp, world } = await aDeployment();
  const anna = await aTriggeredHouse(world, smtp, ANNA, '+12025550111');
  const gone = createMailReferences(NO_CARRIERS.mailSecret).of({ deliveryId: 'z'.repeat(32), attempt: 1 });
  await dovecot.deliver(reportOn(anna.mail, { to: `bounces+${gone}@tocsin.test`, returns: 'none' }));
  await world.settle();
  expect(await anna.became()).toEqual([['email sent', '']]);
  expect(await dovecot.kept()).toMatchObject([{ flags: ['\\Seen'] }]);
});

test('once somebody has acknowledged, a returned mail counts as failed but no other channel goes', async () => {
  const { dovecot, smtp, twilio, world } = await aDeployment();
  const anna = await aTriggeredHouse(world, smtp, ANNA, '+12025550111');
  const [incident] = await anna.owner.incidents();
  await world.rows("UPDATE incident SET acknowledged_at = tocsin_now(), acknowledged_by = 'Ben' WHERE id = $1", [
    incident!.id,
  ]);
  await dovecot.deliver(reportOn(anna.mail));
  await world.settle();
  expect(await anna.became()).toEqual([['email failed', ANNAS_REASON]]);
  expect(twilio.messages).toEqual([]);
});

test('a mailbox that is away stops nobody: alerts go out, doctor says so, and what came meanwhile is read afterwards', async () => {
  const { dovecot, smtp, twilio, world } = await aDeployment();
  const doctor = async () => {
    const { json } = await commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator }).json('doctor');
    return (json.checks as { name: string }[]).find(({ name }) => name === 'returned');
  };
  await world.settle();
  expect(await doctor()).toMatchObject({ verdict: 'ok', found: 'Bounced mail is read.' });
  await dovecot.kill();
  const anna = await aTriggeredHouse(world, smtp, ANNA, '+12025550111');
  expect(await anna.became()).toEqual([['email sent', '']]);
  expect(await doctor()).toMatchObject({
    verdict: 'fail',
    found: expect.stringMatching(/^Bounced mail cannot be read: the mail server could not be reached/),
    fix: 'Check MAIL_BOUNCE_IMAP.',
  });
  await dovecot.restart();
  await dovecot.deliver(reportOn(anna.mail));
  // By itself: nothing but its own pause makes it look again.
  await eventually(() => twilio.messages.length === 1, { what: 'the text after the mailbox came back' });
  expect(await doctor()).toMatchObject({ verdict: 'ok' });
});

test.each([
  ['a wrong login', { password: 'hunter2' }, 'the mail server refused the login of MAIL_BOUNCE_IMAP'],
  ['a folder that is not there', { folder: 'Nowhere' }, 'the mailbox has no such folder'],
  [
    'a password that would go out in the clear',
    { host: '127.0.0.2' },
    'no encrypted connection to the mail server came about',
  ],
])('%s: nothing is read, the start goes on, doctor says what is wrong', async (_what, change, problem) => {
  const { smtp, world } = await aDeployment({ imap: dovecot => dovecot.urlWith(change) });
  const anna = await aTriggeredHouse(world, smtp, ANNA, '+12025550111');
  expect(await anna.became()).toEqual([['email sent', '']]);
  const operator = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator });
  const { json } = await operator.json('doctor');
  expect((json.checks as { name: string }[]).find(({ name }) => name === 'returned')).toMatchObject({
    verdict: 'fail',
    found: `Bounced mail cannot be read: ${problem}.`,
  });
});
