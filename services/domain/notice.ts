import type { ChannelKind, DeliveryStatus } from './delivery.ts';

/** What the owners of an account are notified of about the account itself. */
export const NOTICE_KINDS = [
  'nobody_to_alert',
  'nobody_reached',
  'escalation_capped',
  'exhausted',
  'step_late',
  'step_missed',
  'spend_warning',
  'spend_capped',
  'spend_ceiling',
  'sources_deactivated',
  'call_failed',
  'clock_stepped',
  'calls_stored_again',
  'calls_limited',
  'calls_shed',
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];

/**
 * The details of a notice, by name: `sourceName`, `openedAt` (ISO), `round` and `step` (from 0; of `nobody_reached`: the
 * step that goes now), `lateS`, `cents`, `capCents`, `ceilingCents`, `sources` (a count, or names), `byS` (of the clock,
 * negative if back), `calls` (a count), `names` (of keys and tokens), `because` (of `nobody_reached`: `all_failed`; absent if nothing was
 * planned), of `exhausted` `messages`, `taken` and `failed` (counts) and `channels` (ChannelKinds, with commas). Texts are
 * as owners wrote them; unknown details are absent.
 */
export type NoticeAbout = Readonly<Record<string, string | number>>;

/**
 * Over what a notice goes to an owner whose address is confirmed (DECISIONS.md "Last-line notices"). `every_channel`: over
 * those of the contact that they are too as well, because an alarm is under way that nobody answers.
 */
const REACH: Readonly<Record<NoticeKind, 'email' | 'every_channel'>> = {
  nobody_to_alert: 'email',
  nobody_reached: 'every_channel',
  escalation_capped: 'email',
  exhausted: 'every_channel',
  step_late: 'email',
  step_missed: 'email',
  spend_warning: 'email',
  spend_capped: 'email',
  spend_ceiling: 'email',
  sources_deactivated: 'email',
  call_failed: 'email',
  clock_stepped: 'email',
  calls_stored_again: 'email',
  calls_limited: 'email',
  calls_shed: 'email',
};

/** The kinds of notices that go over every channel. */
export const OVER_EVERY_CHANNEL = NOTICE_KINDS.filter(kind => REACH[kind] === 'every_channel');

/** An owner whose address is confirmed. `email` in plain text, in lower case. */
export interface Listener {
  memberId: string;
  email: string;
}

/** A contact as far as owners are looked for among them: its verified email, and its other channels that work. */
export interface ListeningContact {
  contactId: string;
  email: string;
  channels: readonly ChannelKind[];
}

/** To whom a notice goes, and over what. `contactId` null: to the email of the member. */
export interface Recipient {
  memberId: string;
  contactId: string | null;
  channel: ChannelKind;
}

/**
 * Returns to whom a notice goes, one owner after the other, email first. An owner is the first contact with the same
 * email.
 */
export function recipientsOf(
  kind: NoticeKind,
  owners: readonly Listener[],
  contacts: readonly ListeningContact[],
): Recipient[] {
  return owners.flatMap(({ memberId, email }): Recipient[] => {
    const mailed: Recipient = { memberId, contactId: null, channel: 'email' };
    const contact = contacts.find(one => one.email.toLowerCase() === email);
    if (REACH[kind] === 'email' || contact === undefined) return [mailed];
    const { contactId } = contact;
    const others = contact.channels.filter(channel => channel !== 'email');
    return [mailed, ...others.map((channel): Recipient => ({ memberId, contactId, channel }))];
  });
}

/** The states of a notice, and of a notice on its way to one owner. */
export type NoticeStatus = Extract<DeliveryStatus, 'scheduled' | 'sending' | 'sent' | 'failed' | 'no_carrier'>;

interface Outcome {
  status: NoticeStatus;
  /** Empty if there is nothing to say. */
  reason: string;
}

/** In which order the states of deliveries speak for their notice: that somebody was told comes first. */
const FOREMOST: readonly NoticeStatus[] = ['sent', 'sending', 'scheduled', 'failed', 'no_carrier'];

/** Returns what became of a notice as a whole. Nobody to tell: `failed` as `no_listener`. */
export function noticeOutcome(planned: 'planned' | 'not_planned', deliveries: readonly Outcome[]): Outcome {
  if (planned === 'not_planned') return { status: 'scheduled', reason: '' };
  const sorted = deliveries.toSorted((a, b) => FOREMOST.indexOf(a.status) - FOREMOST.indexOf(b.status));
  return sorted[0] ?? { status: 'failed', reason: 'no_listener' };
}
