import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEmailChannel } from '../../services/channels/email/send.ts';
import { writeMessage } from '../../services/channels/message.ts';
import {
  A_WAY_BACK,
  aDrill,
  anAcknowledgement,
  anAlert,
  anOwnerNotice,
  aStillHappening,
  aVerification,
} from '../support/alert.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { ANNA, FROM, header, REFERENCES, rig } from './email-rig.ts';

describe('a mail arrives', () => {
  test('from MAIL_FROM, to the contact, with the message as text and as a page', async () => {
    const { smtp, channel } = await rig();
    const outcome = await channel.send(ANNA, anAlert());
    expect(outcome).toEqual({ kind: 'sent', providerRef: expect.stringContaining('queued as 1') });
    const mail = await smtp.next();
    const { subject, text, html } = writeMessage(anAlert());
    expect(mail.envelope).toEqual({ from: 'alarm@tocsin.test', to: [ANNA] });
    expect(mail.from).toMatchObject({ name: 'Tocsin', address: 'alarm@tocsin.test' });
    expect(mail.to).toEqual([{ name: '', address: ANNA }]);
    expect(mail.subject).toBe(subject);
    expect(mail.text?.trimEnd()).toBe(text.trimEnd());
    expect(mail.html?.trimEnd()).toBe(html.trimEnd());
    expect(mail.attachments).toEqual([]);
    expect(header(mail, 'content-type')).toMatch(/^multipart\/alternative/);
  });

  test('marked as made by a machine, with the incident, and urgent when live', async () => {
    const { smtp, channel } = await rig();
    await channel.send(ANNA, anAlert());
    await channel.send(ANNA, anAlert({ environment: 'test' }));
    const [live, rehearsal] = smtp.mails;
    expect(header(live!, 'auto-submitted')).toBe('auto-generated');
    expect(header(live!, 'x-tocsin-incident')).toBe(anAlert().incidentId);
    expect(header(live!, 'importance')).toBe('High');
    expect(header(rehearsal!, 'importance')).toBeUndefined();
    expect(rehearsal!.subject).toBe('[TEST] ALARM: House - Away');
  });

  test('with the same Message-ID however often a delivery is sent, and another for another delivery', async () => {
    const { smtp, channel } = await rig();
    for (const deliveryId of ['a'.repeat(32), 'a'.repeat(32), 'b'.repeat(32)])
      await channel.send(ANNA, anAlert({ deliveryId }));
    const ids = smtp.mails.map(mail => mail.messageId);
    expect(ids).toEqual(['a', 'a', 'b'].map(letter => `<${letter.repeat(32)}@tocsin.test>`));
  });

  test('over a connection that is kept, and over a fresh one when that has died', async () => {
    const { smtp, channel } = await rig();
    await channel.send(ANNA, anAlert());
    await channel.send(ANNA, anAlert());
    expect(smtp.connections()).toBe(1);
    smtp.cut();
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
    expect(smtp.mails).toHaveLength(3);
  });

  test('with the login of SMTP_URL', async () => {
    const { smtp, channel } = await rig({ login: { user: 'us er', password: 'p@ss' }, as: 'us%20er:p%40ss' });
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
    expect(smtp.mails).toHaveLength(1);
  });

  test.each([
    ['Tocsin <alarm@tocsin.test>', { name: 'Tocsin', address: 'alarm@tocsin.test' }],
    ['alarm@tocsin.test', { name: '', address: 'alarm@tocsin.test' }],
    ['"Alarms, all of them" <alarm@tocsin.test>', { name: 'Alarms, all of them', address: 'alarm@tocsin.test' }],
  ])('with MAIL_FROM %s', async (from, sender) => {
    const { smtp, channel } = await rig({ from });
    await channel.send(ANNA, anAlert());
    expect(smtp.mails[0]?.from).toMatchObject(sender);
  });
});

describe('what comes back goes to', () => {
  const REFERENCE = REFERENCES.of(anAlert());

  test.each([
    ['the sender, without MAIL_BOUNCE', undefined, 'alarm@tocsin.test'],
    ['MAIL_BOUNCE, with its reference', 'bounces@tocsin.test', `bounces+${REFERENCE}@tocsin.test`],
    [
      'MAIL_BOUNCE as it is, where that would become too long',
      `${'b'.repeat(40)}@tocsin.test`,
      `${'b'.repeat(40)}@tocsin.test`,
    ],
  ])('%s', async (_what, bounce, envelope) => {
    const { smtp, channel } = await rig(bounce === undefined ? {} : { bounce });
    await channel.send(ANNA, anAlert());
    expect(smtp.mails[0]?.envelope).toEqual({ from: envelope, to: [ANNA] });
    expect(smtp.mails[0]?.from).toMatchObject({ name: 'Tocsin', address: 'alarm@tocsin.test' });
    expect(header(smtp.mails[0]!, 'x-tocsin-delivery')).toBe(REFERENCE);
  });
});

test('twenty at once go out side by side: a server that hangs on them holds nobody else up', async () => {
  const { smtp, channel } = await rig({ mode: 'hang', timeouts: { connect: 10_000, greeting: 10_000, send: 3_000 } });
  const hanging = Array.from({ length: 20 }, () => channel.send(ANNA, anAlert()));
  await eventually(() => smtp.mails.length === 20, { what: 'twenty mails under way', within: 2_500 });
  smtp.behave('ok');
  expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
  const outcomes = await Promise.all(hanging);
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['temporary_fault']));
});

test('SMTP_URL may say that a server takes fewer connections', async () => {
  const smtp = await startSmtp();
  const channel = createEmailChannel({
    url: `${smtp.url}?maxConnections=2`,
    from: FROM,
    bounce: null,
    references: REFERENCES,
    log: pino({ level: 'silent' }),
  });
  onTestFinished(async () => {
    await channel.close();
    await smtp.stop();
  });
  await Promise.all(Array.from({ length: 10 }, () => channel.send(ANNA, anAlert())));
  expect(smtp.mails).toHaveLength(10);
  expect(smtp.connections()).toBe(2);
});

describe('every purpose arrives', () => {
  test.each([
    anAcknowledgement(),
    aStillHappening(),
    aDrill(),
    aVerification(),
    anOwnerNotice(),
  ])('$purpose', async alert => {
    const { smtp, channel } = await rig();
    expect(await channel.send(ANNA, alert)).toMatchObject({ kind: 'sent' });
    const [mail] = smtp.mails;
    const { subject, text, html } = writeMessage(alert);
    expect(mail?.subject).toBe(subject);
    expect(mail?.text?.trimEnd()).toBe(text.trimEnd());
    expect(mail?.html?.trimEnd()).toBe(html.trimEnd());
    const urgent = alert.purpose === 'still_happening' ? 'High' : undefined;
    expect(header(mail!, 'importance')).toBe(urgent);
  });

  test('the link stands whole in the text and on a button', async () => {
    const { smtp, channel } = await rig();
    await channel.send(ANNA, anAlert());
    const [mail] = smtp.mails;
    expect(mail?.text).toContain(`\nPage: ${A_WAY_BACK.pageUrl}\n`);
    expect(mail?.html).toContain(`<a href="${A_WAY_BACK.pageUrl}"`);
  });
});

test('closing twice is fine, and what is sent afterwards is a temporary fault', async () => {
  const { channel } = await rig();
  await channel.send(ANNA, anAlert());
  await channel.close();
  await channel.close();
  expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'temporary_fault' });
});
