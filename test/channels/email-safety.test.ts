import { describe, expect, test } from 'vitest';
import { writeKept } from '../../services/channels/message.ts';
import { anAcknowledgement, anAlert, anOwnerNotice, aPanicAlert, aVerification } from '../support/alert.ts';
import { logInto } from '../support/log.ts';
import { NASTY } from '../support/nasty.ts';
import { ANNA, rawServer, rig } from './email-rig.ts';

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
      message: writeKept(anAlert()),
    });
    expect(smtp.connections()).toBe(0);
  });
});

test('nothing personal and no secret is logged', async () => {
  const lines: string[] = [];
  const log = logInto(lines, 'trace');
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
