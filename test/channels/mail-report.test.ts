import { describe, expect, test } from 'vitest';
import { createMailReferences } from '../../services/channels/email/reference.ts';
import { readMailReport } from '../../services/channels/email/report.ts';
import { leastCpu } from '../support/cpu.ts';
import { reportOn, type Told } from '../support/mail-report.ts';
import { AUTOMATIC, NO_END } from './returned-no-ends.ts';
import { WITH_STATUS } from './returned-reports.ts';
import { IN_TEXT } from './returned-texts.ts';

/* DECISIONS.md "Returned mail": what a mail server says of a mail that it had taken (RFC 3464). */

const references = createMailReferences('a secret');
const DELIVERY = 'd'.repeat(32);
const OURS = references.of({ deliveryId: DELIVERY, attempt: 2 });
const MAIL = {
  envelope: { from: `bounces+${OURS}@tocsin.test`, to: ['anna@example.com'] },
  raw: `From: alarm@tocsin.test\r\nTo: anna@example.com\r\nX-Tocsin-Delivery: ${OURS}\r\n\r\nHouse - Away\r\n`,
};

const read = (told: Told = {}) => readMailReport(Buffer.from(reportOn(MAIL, told)));

test.each([
  ['no such mailbox', {}, 'no such mailbox: 550 5.1.1 <[address]>: Recipient address rejected: User unknown'],
  ['a full one', { status: '5.2.2', diagnostic: 'smtp; 552 5.2.2 Over quota' }, 'mailbox full: 552 5.2.2 Over quota'],
  ['no such domain', { status: '5.1.2', diagnostic: '' }, 'no such mail domain: 5.1.2'],
  [
    'refused',
    { status: '5.7.1', diagnostic: 'smtp; 550 5.7.1 Blocked' },
    'refused as spam or by policy: 550 5.7.1 Blocked',
  ],
  ['given up after days', { status: '4.4.7', diagnostic: 'X-Postfix; timed out' }, 'the mail came back: timed out'],
  ['without a word', { status: '', diagnostic: '' }, 'the mail came back'],
  ['in capitals', { action: 'FAILED', status: '5.1.1 (no user)', diagnostic: '' }, 'no such mailbox: 5.1.1'],
])('%s: it was given up', async (_what, told, reason) => {
  expect(await read(told)).toMatchObject({ fate: 'given_up', reason });
});

test.each(['delayed', 'delivered', 'relayed', 'expanded'])('%s is no end', async action => {
  expect(await read({ action })).toMatchObject({ fate: 'no_end', reason: '' });
});

test.each([
  ['in the address that it goes to', { returns: 'none' }],
  ['in the headers that it gives back', { to: 'alarm@tocsin.test' }],
  ['in the mail that it gives back', { to: 'alarm@tocsin.test', returns: 'mail' }],
  ['in an address in capitals', { to: `BOUNCES+${OURS.toUpperCase()}@TOCSIN.TEST`, returns: 'none' }],
] as const)('its mail is named %s', async (_where, told) => {
  const report = await read(told);
  expect(references.findIn(report!.names)).toEqual({ deliveryId: DELIVERY, attempt: 2 });
});

test.each([
  ['unsigned', `bounces+${DELIVERY}@tocsin.test`],
  [
    'signed by somebody else',
    `bounces+${createMailReferences('another').of({ deliveryId: DELIVERY, attempt: 2 })}@tocsin.test`,
  ],
  ['of another message', `bounces+${'e'.repeat(32)}${OURS.slice(32)}@tocsin.test`],
  ['of another attempt', `bounces+${OURS.slice(0, -1)}3@tocsin.test`],
  ['cut', `bounces+${OURS.slice(1)}@tocsin.test`],
  ['part of something longer', `bounces+x${OURS}@tocsin.test`],
  ['none', 'alarm@tocsin.test'],
])('a reference that is %s is none of ours', async (_what, to) => {
  const report = await read({ to, returns: 'none' });
  expect(report).toMatchObject({ fate: 'given_up' });
  expect(references.findIn(report!.names)).toBeNull();
});

test('one long word in what the server said takes about as long as many short ones', async () => {
  const short = await leastCpu(() => read({ diagnostic: `smtp; ${'a '.repeat(15_000)}` }));
  const long = await leastCpu(() => read({ diagnostic: `smtp; ${'a'.repeat(30_000)}` }));
  // Each measurement has a floor, as clocks of processors may be coarse.
  expect(long).toBeLessThan(10 * Math.max(short, 10_000));
  const { reason } = (await read({ diagnostic: `smtp; ${'a'.repeat(30_000)}@b.example <c@d.example>` }))!;
  expect(reason).toBe('no such mailbox: [address] <[address]>');
});

test('what cannot be read is no report', async () => {
  for (const mail of ['', '\0\x01\xff', `X: ${'x'.repeat(100_000)}\r\n\r\n`, 'a: b\r\n'.repeat(40_000)]) {
    const report = await readMailReport(Buffer.from(mail, 'latin1'));
    expect(references.findIn(report?.names ?? ''), mail.slice(0, 60)).toBeNull();
  }
});

/* DECISIONS.md "A mail that comes back" */
describe('what comes back to the address that names a delivery', () => {
  const SHAPES = [...WITH_STATUS, ...IN_TEXT, ...NO_END, ...AUTOMATIC];
  const understood = new Map<string, 'yes' | 'no'>();

  test.each(SHAPES.map(shape => [shape.name, shape] as const))('%s', async (name, shape) => {
    understood.set(name, 'no');
    const report = await readMailReport(shape.to(`<bounces+${OURS}@tocsin.test>`));
    expect(references.findIn(report!.names)).toEqual({ deliveryId: DELIVERY, attempt: 2 });
    expect(report!.fate).toBe(shape.fate);
    if (shape.fate === 'no_end') expect(report!.reason).toBe('');
    else expect(report!.reason).toMatch(shape.reason ?? /^[a-z]/);
    expect(report!.reason).not.toContain('anna@');
    understood.set(name, 'yes');
  });

  test('all of them are understood', () => {
    const right = [...understood.values()].filter(one => one === 'yes').length;
    process.stdout.write(`Returned mail: ${right} of ${SHAPES.length} shapes understood\n`);
    expect(new Set(SHAPES.map(({ name }) => name)).size).toBe(SHAPES.length);
    expect(right).toBe(SHAPES.length);
  });
});

test('what comes to another address names a delivery only by what it gives back, if a mail server wrote it', async () => {
  const given = (...headers: string[]) =>
    [...headers, 'To: alarm@tocsin.test', '', 'See below.', '', '--- Below this line is a copy', '', MAIL.raw].join(
      '\r\n',
    );
  const named = async (mail: string) => references.findIn((await readMailReport(Buffer.from(mail)))!.names);
  for (const headers of [
    ['From: MAILER-DAEMON@mx.example', 'Subject: failure notice'],
    ['From: support@isp.example', 'Subject: Undelivered mail'],
    ['From: support@isp.example', 'Subject: x', 'X-Failed-Recipients: anna@example.com'],
  ])
    expect(await named(given(...headers))).toEqual({ deliveryId: DELIVERY, attempt: 2 });
  for (const headers of [
    ['From: Anna <anna@example.com>', 'Subject: Re: House - Away'],
    ['From: Anna <anna@example.com>', 'Subject: Re: Power failure'],
    ['From: Anna <anna@example.com>', 'Subject: Automatic reply: House', 'Auto-Submitted: auto-replied'],
  ])
    expect(await named(given(...headers))).toBeNull();
});

test('one that was cut off after its status is understood', async () => {
  const whole = reportOn(MAIL, { returns: 'mail' });
  const cut = whole.slice(0, whole.indexOf('message/rfc822') - 20);
  expect(await readMailReport(Buffer.from(cut))).toMatchObject({ fate: 'given_up' });
});
