import { expect, test } from 'vitest';
import { mailing } from '../../services/domain/mailing.ts';
import { NOTICE_KINDS, noticeOutcome, OVER_EVERY_CHANNEL, recipientsOf } from '../../services/domain/notice.ts';

const OWNERS = [
  { memberId: 'anna', email: 'anna@example.com' },
  { memberId: 'bert', email: 'bert@example.com' },
];
const CONTACTS = [
  { contactId: 'somebody', email: 'somebody@example.com', channels: ['text'] as const },
  { contactId: 'annas', email: 'Anna@Example.com', channels: ['push', 'email', 'text'] as const },
  { contactId: 'another', email: 'anna@example.com', channels: ['call'] as const },
];
const MAILS = [
  { memberId: 'anna', contactId: null, channel: 'email' },
  { memberId: 'bert', contactId: null, channel: 'email' },
];

/** They go to a contact, and to no owner. */
const TO_CONTACTS: readonly string[] = ['duty_begins', 'duty_changed', 'device_added', 'device_gone'];

test.for(NOTICE_KINDS)('each owner by mail, and two kinds over the channels of the contact they are too: %s', kind => {
  const further = ['nobody_reached', 'exhausted'].includes(kind);
  expect(OVER_EVERY_CHANNEL.includes(kind)).toBe(further);
  const [anna, bert] = MAILS;
  const annas = ['push', 'text'].map(channel => ({ memberId: 'anna', contactId: 'annas', channel }));
  if (TO_CONTACTS.includes(kind)) return expect(recipientsOf(kind, OWNERS, CONTACTS)).toEqual([]);
  expect(recipientsOf(kind, OWNERS, CONTACTS)).toEqual(further ? [anna, ...annas, bert] : MAILS);
  expect(recipientsOf(kind, OWNERS, [])).toEqual(MAILS);
  expect(recipientsOf(kind, [], CONTACTS)).toEqual([]);
});

test('what became of a notice: told if one was, failed if nobody listens', () => {
  const of = (...statuses: ('scheduled' | 'sending' | 'sent' | 'failed' | 'no_carrier')[]) =>
    noticeOutcome(
      'planned',
      statuses.map(status => ({ status, reason: `${status}!` })),
    ).status;
  expect(noticeOutcome('not_planned', [])).toEqual({ status: 'scheduled', reason: '' });
  expect(noticeOutcome('planned', [])).toEqual({ status: 'failed', reason: 'no_listener' });
  expect(of('failed', 'sent', 'scheduled')).toBe('sent');
  expect(of('failed', 'scheduled', 'no_carrier')).toBe('scheduled');
  expect(of('no_carrier', 'failed')).toBe('failed');
  expect(noticeOutcome('planned', [{ status: 'failed', reason: 'full' }])).toEqual({
    status: 'failed',
    reason: 'full',
  });
});

test.for([
  ['nobody_to_alert', 'i', 'email', 18, 'goes'],
  ['nobody_to_alert', 'i', 'email', 19, 'last'],
  ['nobody_to_alert', 'i', 'email', 20, 'held_back'],
  ['nobody_reached', 'i', 'text', 4, 'goes'],
  ['nobody_reached', 'i', 'text', 5, 'held_back'],
  ['spend_warning', null, 'email', 1000, 'goes'],
  ['duty_changed', null, 'push', 5, 'held_back'],
  ['blind', null, 'email', 19, 'last'],
  ['blind', null, 'email', 20, 'held_back'],
  ['blind_together', null, 'email', 20, 'held_back'],
  ['sender_back', null, 'email', 20, 'held_back'],
] as const)('%s of an incident %s by %s after %i in the hour: %s', ([kind, incidentId, channel, earlier, expected]) => {
  expect(mailing({ kind, incidentId }, channel, earlier)).toBe(expected);
});
