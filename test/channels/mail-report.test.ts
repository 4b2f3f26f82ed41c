import { expect, test } from 'vitest';
import { createMailReferences } from '../../services/channels/email/reference.ts';
import { readMailReport } from '../../services/channels/email/report.ts';
import { leastCpu } from '../support/cpu.ts';
import { reportOn, type Told } from '../support/mail-report.ts';

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

test.each(['delayed', 'delivered', 'relayed', 'expanded', '', 'failed-not'])('%s is no end', async action => {
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

test('what a person or a machine writes is no report, and neither is what cannot be read', async () => {
  const nested = Array.from(
    { length: 50 },
    (_, at) => `--b${at}\r\nContent-Type: multipart/mixed; boundary=b${at + 1}\r\n`,
  );
  for (const mail of [
    '',
    '\0\x01\xff',
    `To: bounces+${OURS}@tocsin.test\r\nSubject: Out of office\r\nAuto-Submitted: auto-replied\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n`,
    `Content-Type: multipart/report; report-type=disposition-notification; boundary=b\r\n\r\n--b\r\nContent-Type: message/disposition-notification\r\n\r\nDisposition: displayed\r\n--b--\r\n`,
    `Content-Type: multipart/mixed; boundary=b0\r\n\r\n${nested.join('\r\n')}`,
    `X: ${'x'.repeat(100_000)}\r\n\r\n`,
    'a: b\r\n'.repeat(40_000),
  ]) {
    expect(await readMailReport(Buffer.from(mail, 'latin1')), mail.slice(0, 60)).toBeNull();
  }
});

test('one that was cut off after its status is understood', async () => {
  const whole = reportOn(MAIL, { returns: 'mail' });
  const cut = whole.slice(0, whole.indexOf('message/rfc822') - 20);
  expect(await readMailReport(Buffer.from(cut))).toMatchObject({ fate: 'given_up' });
});
