import { describe, expect, test } from 'vitest';
import type { MailTimeouts } from '../../services/channels/email/send.ts';
import { anAlert } from '../support/alert.ts';
import { ANNA, rawServer, rig } from './email-rig.ts';

/** What a server puts off for this recipient alone; whatever else it puts off it may put off for everybody. */
const ABOUT_THE_ADDRESS = ['450 4.2.1 recipient', '452 4.2.2 recipient'];

describe('a temporary fault is tried again, a permanent one is not', () => {
  test.each([
    [421, '', 'recipient', 'temporary_fault', 'the mail server is not available'],
    [451, '4.3.0', 'recipient', 'temporary_fault', 'the mail server had a fault of its own'],
    [451, '', 'recipient', 'temporary_fault', 'the mail server had a fault of its own'],
    [450, '4.7.1', 'text', 'temporary_fault', 'the mail server asked to come back later'],
    [421, '4.7.0', 'recipient', 'temporary_fault', 'the mail server asked to come back later'],
    [450, '4.2.1', 'recipient', 'temporary_fault', 'mailbox switched off'],
    [450, '4.1.8', 'recipient', 'temporary_fault', 'the mail server asked to come back later'],
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
    expect(await channel.send(ANNA, anAlert())).toEqual({
      kind,
      reason: `${words}: ${code} ${said}`,
      // A server that said no has no message.
      ...(kind === 'temporary_fault' && { taken: 'no' }),
      ...(ABOUT_THE_ADDRESS.includes(`${code} ${enhanced} ${at}`) && { about: 'address' }),
      // A rule of one server is none of another.
      ...(enhanced.startsWith('5.7.') && { carrier: 'cannot' }),
    });
    expect(smtp.mails).toEqual([]);
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
  });

  test('a server that is not there: temporary', async () => {
    const { smtp, channel } = await rig();
    await smtp.stop();
    expect(await channel.send(ANNA, anAlert())).toEqual({
      kind: 'temporary_fault',
      reason: expect.stringContaining('the mail server could not be reached'),
      carrier: 'away',
      taken: 'no',
    });
  });

  test('a name that cannot be looked up: temporary', async () => {
    const { channel } = await rig({ url: 'smtp://mail.tocsin.invalid:25' });
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'temporary_fault' });
  });

  test('a wrong login: permanent, and the reason names the setting, not the password', async () => {
    const { channel } = await rig({ login: { user: 'user', password: 'right' }, as: 'user:wrong-password' });
    const outcome = await channel.send(ANNA, anAlert());
    expect(outcome).toEqual({
      kind: 'permanent_fault',
      reason: expect.stringContaining('the login of SMTP_URL: 535'),
      carrier: 'away',
    });
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
});

describe('a mail server that takes its time is given up, and another attempt may follow', () => {
  const LONG: MailTimeouts = { connect: 10_000, greeting: 10_000, send: 10_000 };

  test('no connection comes about', async () => {
    const port = await rawServer(() => {});
    const { channel } = await rig({ url: `smtps://127.0.0.1:${port}`, timeouts: { ...LONG, connect: 150 } });
    expect(await channel.send(ANNA, anAlert())).toEqual({
      kind: 'temporary_fault',
      reason: 'the mail server did not answer in time: Connection timeout',
      carrier: 'away',
      taken: 'no',
    });
  });

  test('it never greets', async () => {
    const { channel } = await rig({ mode: 'silent', timeouts: { ...LONG, greeting: 150 } });
    expect(await channel.send(ANNA, anAlert())).toEqual({
      kind: 'temporary_fault',
      reason: 'the mail server did not answer in time: Greeting never received',
      carrier: 'away',
      taken: 'no',
    });
  });

  test('it takes the message and never answers', async () => {
    const { smtp, channel } = await rig({ mode: 'hang', timeouts: { ...LONG, send: 400 } });
    expect(await channel.send(ANNA, anAlert())).toEqual({
      kind: 'temporary_fault',
      reason: 'the mail server did not take the message within 0.4 s',
      carrier: 'away',
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
