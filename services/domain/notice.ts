import type { ChannelKind, DeliveryStatus } from './delivery.ts';
import { channelsOf, type Means, type Reachable, wouldReach } from './reach.ts';

/** What the owners of an account are notified of about the account itself, and what those on a duty are about that. */
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
  'test_ends',
  'test_ended',
  'call_failed',
  'drill_missed',
  'clock_stepped',
  'calls_stored_again',
  'calls_limited',
  'calls_shed',
  'duty_begins',
  'duty_changed',
  'blind',
  'blind_together',
  'sender_back',
  'device_added',
  'device_gone',
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];

/**
 * The details of a notice, by name, of a duty `duty` (its name), `fromAt` and `untilAt` (ISO), `names` (of who else is on it, or who is
 * instead), `note` and `part` (`comes` or `goes`), of further changes the same with 2 and 3 after them, and `more` (a count); of a device `names` (how it is called); else `sourceName`, `openedAt` (ISO), `round` and `step` (from 0; of `nobody_reached`: the
 * step that goes now), `lateS`, `cents`, `capCents`, `ceilingCents`, `sources` (a count, or names), `until` (ISO: when their test ends), `byS` (of the clock,
 * negative if back), `calls` (a count), `names` (of keys and tokens; of `drill_missed`, of the person), `because` (of `nobody_reached`: `all_failed`; absent if nothing was
 * planned), of `exhausted` `messages`, `taken` and `failed` (counts) and `channels` (ChannelKinds, with commas). Of
 * senders `keys` and `supervised` (counts), `armed` (names), `silentS`, `times`, `stillSilent` (counts) and `cause`
 * (`line`, `armed`), of `blind` `follows` (`alert`, `nothing`). Texts are
 * as owners wrote them; unknown details are absent.
 */
export type NoticeAbout = Readonly<Record<string, string | number>>;

/**
 * Over what a notice goes to an owner whose address is confirmed (DECISIONS.md "Last-line notices"). `every_channel`: over
 * those of the contact that they are too as well, because an alarm is under way that nobody answers. `contact`: it goes to a contact
 * and to no owner (DECISIONS.md "On duty"); `contact_elsewhere`: to a contact over all that does not ring, but not over push, which it is about.
 */
const REACH: Readonly<Record<NoticeKind, 'email' | 'every_channel' | 'contact' | 'contact_elsewhere'>> = {
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
  test_ends: 'email',
  test_ended: 'email',
  call_failed: 'email',
  drill_missed: 'email',
  clock_stepped: 'email',
  calls_stored_again: 'email',
  calls_limited: 'email',
  calls_shed: 'email',
  duty_begins: 'contact',
  duty_changed: 'contact',
  blind: 'email',
  blind_together: 'email',
  sender_back: 'email',
  device_added: 'contact_elsewhere',
  device_gone: 'contact_elsewhere',
};

/** Tells whether notices of a kind go to people on a duty, and not to owners. */
export function isOfDuty(kind: NoticeKind): boolean {
  return REACH[kind] === 'contact';
}

/** The notices that say that an alarm reaches nobody: they go before all others of their account. */
export const LAST_LINE: readonly NoticeKind[] = ['nobody_to_alert', 'nobody_reached', 'exhausted'];

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
    if (REACH[kind] === 'contact' || REACH[kind] === 'contact_elsewhere') return [];
    if (REACH[kind] === 'email' || contact === undefined) return [mailed];
    const { contactId } = contact;
    const others = contact.channels.filter(channel => channel !== 'email');
    return [mailed, ...others.map((channel): Recipient => ({ memberId, contactId, channel }))];
  });
}

/**
 * Returns the channel over which a contact is told of a duty: the first of theirs that reaches them and does not ring. Null:
 * there is none.
 */
export function dutyChannel(contact: Reachable, means: Means, at: number): ChannelKind | null {
  const quiet = channelsOf(contact).filter(channel => channel !== 'call');
  return quiet.find(channel => wouldReach(contact, channel, means, at) === 'goes') ?? null;
}

/** Returns over what a contact is told of a notice that goes to them: of a duty over one channel, of their devices over all others that are quiet. */
export function channelsToContact(kind: NoticeKind, contact: Reachable, means: Means, at: number): ChannelKind[] {
  if (REACH[kind] === 'contact_elsewhere') {
    const others = channelsOf(contact).filter(channel => QUIET_ELSEWHERE.includes(channel));
    return others.filter(channel => wouldReach(contact, channel, means, at) === 'goes');
  }
  const channel = dutyChannel(contact, means, at);
  return channel === null ? [] : [channel];
}

const QUIET_ELSEWHERE: readonly ChannelKind[] = ['text', 'email', 'chat'];

/** Tells whether all times on duty that a notice tells of are over at an instant, by clocks: then it is of no use any more. */
export function isOver({ kind, about }: { kind: NoticeKind; about: NoticeAbout }, at: number): boolean {
  if (!isOfDuty(kind) || about.more !== undefined) return false;
  const ends = [about.untilAt, about.untilAt2, about.untilAt3].filter(end => end !== undefined);
  return ends.length > 0 && ends.every(end => Date.parse(String(end)) <= at);
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
