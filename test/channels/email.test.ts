import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Logger, pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Channel } from '../../services/channels/channel.ts';
import { createMailReferences } from '../../services/channels/email/reference.ts';
import { createEmailChannel, type MailTimeouts } from '../../services/channels/email/send.ts';
import { writeMessage, writePlainText } from '../../services/channels/message.ts';
import {
  A_WAY_BACK,
  aDrill,
  anAcknowledgement,
  anAlert,
  anOwnerNotice,
  aPanicAlert,
  aStillHappening,
  aVerification,
} from '../support/alert.ts';
import { NASTY } from '../support/nasty.ts';
import { type Smtp, startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';

const FROM = 'Tocsin <alarm@tocsin.test>';
const ANNA = 'anna@example.com';
const REFERENCES = createMailReferences('a secret');

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

describe('a temporary fault is tried again, a permanent one is not', () => {
  test.each([
    [421, '', 'recipient', 'temporary_fault', 'the mail server is not available'],
    [450, '', 'recipient', 'temporary_fault', 'the mail server asked to come back later'],
    [450, '4.7.1', 'recipient', 'temporary_fault', 'the mail server asked to come back later'],
    [451, '4.7.0', 'recipient', 'temporary_fault', 'the mail server asked to come back later'],
    [451, '', 'text', 'temporary_fault', 'the mail server had a fault of its own'],
    [452, '', 'recipient', 'temporary_fault', 'the mail server has no room'],
    [452, '4.2.2', 'recipient', 'temporary_fault', 'mailbox full'],
    [458, '', 'recipient', 'temporary_fault', 'the mail server did not take it for now'],
    [550, '', 'recipient', 'permanent_fault', 'no such mailbox'],
    [550, '5.1.1', 'recipient', 'permanent_fault', 'no such mailbox'],
    [550, '5.1.2', 'recipient', 'permanent_fault', 'no such mail domain'],
    [556, '5.1.10', 'recipient', 'permanent_fault', 'no such mail domain'],
    [550, '5.2.1', 'recipient', 'permanent_fault', 'mailbox switched off'],
    [552, '5.2.2', 'recipient', 'permanent_fault', 'mailbox full'],
    [552, '', 'text', 'permanent_fault', 'mailbox full'],
    [552, '5.3.4', 'text', 'permanent_fault', 'the message is too big for the mail server'],
    [550, '5.7.1', 'recipient', 'permanent_fault', 'refused as spam or by policy'],
    [554, '5.7.26', 'text', 'permanent_fault', 'refused as spam or by policy'],
    [530, '', 'recipient', 'permanent_fault', 'the mail server wants a login: put one into SMTP_URL'],
    [550, '', 'text', 'permanent_fault', 'the mail server refused it'],
    [554, '', 'text', 'permanent_fault', 'the mail server refused it'],
  ] as const)('%i %s after the %s: %s, %s', async (code, enhanced, at, kind, words) => {
    const { smtp, channel } = await rig();
    const said = `${enhanced} the words of the server`.trim();
    smtp.failNext(code, { at, message: said });
    expect(await channel.send(ANNA, anAlert())).toEqual({ kind, reason: `${words}: ${code} ${said}` });
    expect(smtp.mails).toEqual([]);
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
  });

  test('a server that is not there: temporary', async () => {
    const { smtp, channel } = await rig();
    await smtp.stop();
    expect(await channel.send(ANNA, anAlert())).toEqual({
      kind: 'temporary_fault',
      reason: expect.stringContaining('the mail server could not be reached'),
    });
  });

  test('a name that cannot be looked up: temporary', async () => {
    const { channel } = await rig({ url: 'smtp://mail.tocsin.invalid:25' });
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'temporary_fault' });
  });

  test('a wrong login: permanent, and the reason names the setting, not the password', async () => {
    const { channel } = await rig({ login: { user: 'user', password: 'right' }, as: 'user:wrong-password' });
    const outcome = await channel.send(ANNA, anAlert());
    expect(outcome).toEqual({ kind: 'permanent_fault', reason: expect.stringContaining('the login of SMTP_URL: 535') });
    expect(JSON.stringify(outcome)).not.toContain('wrong-password');
  });

  test('an answer that is lost: temporary, and the mail has the same Message-ID when it comes again', async () => {
    const { smtp, channel } = await rig({ mode: 'reset' });
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'temporary_fault' });
    smtp.behave('ok');
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
    const ids = smtp.mails.map(mail => mail.messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  test.each([
    ['never leaves the machine unencrypted', '', 'unheard'],
    ['does where SMTP_URL says so', '?requireTLS=false', 'heard'],
  ])('a login %s', async (_what, query, login) => {
    const said: string[] = [];
    const port = await rawServer(socket => {
      socket.write('220 here\r\n');
      socket.on('data', data => {
        said.push(String(data));
        socket.write(String(data).startsWith('EHLO') ? '250-here\r\n250 AUTH PLAIN LOGIN\r\n' : '502 no\r\n');
      });
    });
    const { channel } = await rig({ url: `smtp://user:pass@0.0.0.0:${port}${query}` });
    expect((await channel.send(ANNA, anAlert())).kind).not.toBe('sent');
    expect(said.join('')).toContain('EHLO');
    expect(said.join('').includes('AUTH') ? 'heard' : 'unheard').toBe(login);
  });
});

describe('a mail server that takes its time is given up, and another attempt may follow', () => {
  const LONG: MailTimeouts = { connect: 10_000, greeting: 10_000, send: 10_000 };

  test('no connection comes about', async () => {
    const port = await rawServer(() => {});
    const { channel } = await rig({ url: `smtps://127.0.0.1:${port}`, timeouts: { ...LONG, connect: 150 } });
    expect(await channel.send(ANNA, anAlert())).toEqual({
      kind: 'temporary_fault',
      reason: 'the mail server did not answer in time: Connection timeout',
    });
  });

  test('it never greets', async () => {
    const { channel } = await rig({ mode: 'silent', timeouts: { ...LONG, greeting: 150 } });
    expect(await channel.send(ANNA, anAlert())).toEqual({
      kind: 'temporary_fault',
      reason: 'the mail server did not answer in time: Greeting never received',
    });
  });

  test('it takes the message and never answers', async () => {
    const { smtp, channel } = await rig({ mode: 'hang', timeouts: { ...LONG, send: 400 } });
    expect(await channel.send(ANNA, anAlert())).toEqual({
      kind: 'temporary_fault',
      reason: 'the mail server did not take the message within 0.4 s',
    });
    smtp.behave('ok');
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
  });

  test.each([
    ['greets with garbage', () => '\0\x01 garbage\r\n'],
    ['greets without end', () => '220-'.padEnd(1 << 16, 'x')],
    ['speaks HTTP', () => 'HTTP/1.1 400 Bad Request\r\n\r\n'],
  ])('it %s', async (_what, said) => {
    const port = await rawServer(socket => {
      const pour = setInterval(() => socket.write(said()), 5);
      socket.once('close', () => clearInterval(pour));
    });
    const { channel } = await rig({ url: `smtp://127.0.0.1:${port}`, timeouts: { ...LONG, greeting: 300, send: 600 } });
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'temporary_fault' });
  });

  test('it keeps the connection busy with an answer that does not end', async () => {
    const port = await rawServer(socket => {
      socket.write('220 here\r\n');
      socket.once('data', () => {
        const drip = setInterval(() => socket.write('250-more\r\n'), 20);
        socket.once('close', () => clearInterval(drip));
      });
    });
    const { channel } = await rig({ url: `smtp://127.0.0.1:${port}`, timeouts: { ...LONG, send: 400 } });
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'temporary_fault' });
  });
});

describe('the reason of a fault can be shown', () => {
  test('without control characters, without anybody’s address, and not too long', async () => {
    const { smtp, channel } = await rig();
    smtp.failNext(550, { message: `5.1.1 <${ANNA}>: user\tunknown (${ANNA}) \x1b[31m${'x'.repeat(400)}` });
    const outcome = await channel.send(ANNA, anAlert());
    if (outcome.kind !== 'permanent_fault') throw new Error(`The outcome is ${outcome.kind}.`);
    expect(outcome.reason).toContain('550 5.1.1 <[address]>: user unknown ([address])');
    expect(outcome.reason).not.toMatch(/\p{Cc}|anna/u);
    expect(outcome.reason.length).toBeLessThanOrEqual(240);
  });
});

describe('what an owner wrote never reaches a header as more than text', () => {
  const INJECTED = '\r\nBcc: mallory@example.com\r\n\r\nbody\u202E\0<b>\uD800{{7*7}}';
  const FIELDS = ['contactName', 'sourceName', 'modeName', 'locationName', 'locationAddress', 'policyName'] as const;

  test.each(FIELDS)('%s', async field => {
    const { smtp, channel } = await rig();
    await channel.send(ANNA, anAlert());
    await channel.send(ANNA, anAlert({ [field]: INJECTED }));
    await channel.send(ANNA, anAlert({ [field]: 'ü'.repeat(10_240) }));
    const [plain, nasty, long] = smtp.mails;
    const names = plain!.headers.map(({ key }) => key);
    for (const mail of [nasty!, long!]) {
      expect(mail.headers.map(({ key }) => key)).toEqual(names);
      expect(mail.envelope.to).toEqual([ANNA]);
      expect(mail.to).toEqual([{ name: '', address: ANNA }]);
      expect(mail.raw.length).toBeLessThan(20_000);
    }
    expect(nasty!.html).not.toContain('<b>');
  });

  test.each(NASTY)('%s, wherever owners write', async (_what, written) => {
    const { smtp, channel } = await rig();
    const place = { locationName: written, locationAddress: written };
    await channel.send(ANNA, anAlert());
    await channel.send(ANNA, anAlert({ ...place, sourceName: written, modeName: written, contactName: written }));
    await channel.send(ANNA, anAcknowledgement({ ...place, acknowledgedBy: written, environment: 'test' }));
    await channel.send(ANNA, aVerification({ accountName: written, contactName: written }));
    await channel.send(ANNA, anOwnerNotice({ accountName: written, about: { sourceName: written } }));
    expect(smtp.mails).toHaveLength(5);
    const known = new Set(smtp.mails[0]?.headers.map(({ key }) => key));
    for (const mail of smtp.mails) {
      expect(mail.headers.filter(({ key }) => !known.has(key))).toEqual([]);
      expect(mail.envelope).toEqual({ from: 'alarm@tocsin.test', to: [ANNA] });
      expect(mail.subject).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      expect(mail.html).not.toMatch(/<(script|Say|Dial)|evil\.example">/);
      expect(mail.raw.length).toBeLessThan(25_000);
    }
  });

  test('a panic button too', async () => {
    const { smtp, channel } = await rig();
    await channel.send(ANNA, aPanicAlert({ sourceName: INJECTED, contactName: INJECTED }));
    const [mail] = smtp.mails;
    expect(mail?.subject).toBe('PANIC (fire): Bcc: mallory@example.com body <b>\uFFFD{{7*7}}');
    expect(mail?.headers.map(({ key }) => key)).not.toContain('bcc');
  });
});

describe('addresses', () => {
  test.each([
    ['anna@example.com', 'anna@example.com'],
    ["o'hara+alarm!#$%&*/=?^_`{|}~-@example.com", "o'hara+alarm!#$%&*/=?^_`{|}~-@example.com"],
    ['root@localhost', 'root@localhost'],
    ['anna@bücher.example', 'anna@xn--bcher-kva.example'],
    ['anna@почта.example', 'anna@xn--80a1acny.example'],
    ['Anna@EXAMPLE.com', 'Anna@example.com'],
  ])('%s is mailed as %s', async (typed, mailed) => {
    const { smtp, channel } = await rig();
    expect(await channel.send(typed, anAlert())).toMatchObject({ kind: 'sent' });
    const [mail] = smtp.mails;
    // The server shows domains in their own script; on the wire they are ASCII.
    const shown = typed.replace('EXAMPLE', 'example');
    expect(mail?.envelope.to).toEqual([shown]);
    expect(mail?.raw).toContain(`\r\nTo: ${mailed}\r\n`);
  });

  test.each([
    ['nothing', ''],
    ['no domain', 'anna'],
    ['no name', '@example.com'],
    ['an empty domain', 'anna@'],
    ['two signs', 'anna@@example.com'],
    ['two domains', 'anna@example.com@evil.example'],
    ['a list', 'anna@example.com, bob@example.com'],
    ['two with a blank', 'anna@example.com bob@example.com'],
    ['a display name', 'Anna <anna@example.com>'],
    ['brackets', '<anna@example.com>'],
    ['quotes', '"anna@evil.example"@example.com'],
    ['a comment', 'anna(comment)@example.com'],
    ['a command after it', 'anna@example.com\r\nRCPT TO:<bob@example.com>'],
    ['a line break in the name', 'anna\r\n@example.com'],
    ['NUL in the name', 'anna\0@example.com'],
    ['NUL in the domain', 'anna@exam\0ple.com'],
    ['a path', 'anna@example.com/../evil'],
    ['a port', 'anna@example.com:25'],
    ['a percent code', 'anna@exa%6dple.com'],
    ['an IP literal', 'anna@[127.0.0.1]'],
    ['an override of the direction', 'anna@exam\u202Eple.com'],
    ['a name that is not ASCII', 'änna@example.com'],
    ['a name that is too long', `${'a'.repeat(65)}@example.com`],
    ['a domain that is too long', `anna@${'a.'.repeat(130)}com`],
    ['a hyphen first', 'anna@-example.com'],
    ['10 KB', 'a'.repeat(10_240)],
  ])('%s: refused for good before a server hears of it', async (_what, typed) => {
    const { smtp, channel } = await rig();
    expect(await channel.send(typed, anAlert())).toEqual({
      kind: 'permanent_fault',
      reason: 'the contact has an address that is no email address',
    });
    expect(smtp.connections()).toBe(0);
  });

  test('a placeholder under .invalid is kept and never sent', async () => {
    const { smtp, channel } = await rig();
    expect(await channel.send('demo@tocsin.INVALID', anAlert())).toEqual({
      kind: 'kept',
      reason: expect.stringContaining('.invalid'),
      message: writePlainText(anAlert()),
    });
    expect(smtp.connections()).toBe(0);
  });
});

test('nothing personal and no secret is logged', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: line => lines.push(line) });
  const { smtp, channel } = await rig({
    log,
    login: { user: 'user', password: 'secret-password' },
    as: 'user:secret-password',
  });
  smtp.failNext(550, { message: `<${ANNA}> unknown`, at: 'recipient' });
  await channel.send(ANNA, anAlert());
  await channel.send(ANNA, anAlert());
  expect(lines).toHaveLength(1);
  for (const hidden of [ANNA, 'Anna', 'House', 'Example Street', 'secret-password'])
    expect(lines.join('')).not.toContain(hidden);
});

test('closing twice is fine, and what is sent afterwards is a temporary fault', async () => {
  const { channel } = await rig();
  await channel.send(ANNA, anAlert());
  await channel.close();
  await channel.close();
  expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'temporary_fault' });
});

/** A mail server and a channel that sends to it; both end with the test. `as`: user:password in the URL. */
async function rig(
  options: Parameters<typeof startSmtp>[0] & {
    from?: string;
    bounce?: string;
    url?: string;
    as?: string;
    timeouts?: MailTimeouts;
    log?: Logger;
  } = {},
): Promise<{ smtp: Smtp; channel: Channel }> {
  const { from = FROM, bounce = null, as, timeouts, log = pino({ level: 'silent' }) } = options;
  const smtp = await startSmtp(options);
  const url = options.url ?? smtp.url.replace('//', as === undefined ? '//' : `//${as}@`);
  const channel = createEmailChannel({ url, from, bounce, references: REFERENCES, log, ...(timeouts && { timeouts }) });
  onTestFinished(async () => {
    await channel.close();
    await smtp.stop();
  });
  return { smtp, channel };
}

/** A server that says whatever it likes; gives its port. */
async function rawServer(speak: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    speak(socket);
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function header(mail: { headers: { key: string; value: string }[] }, name: string): string | undefined {
  return mail.headers.find(({ key }) => key === name)?.value;
}
