import { CHANNELS, type ChannelKind } from './delivery.ts';
import { channelInPlan, type Plan, type PlanFacts, planFacts } from './plan.ts';
import type { CeilingVerdict } from './spend.ts';

/** What messages can be sent with: what the account pays for, and what this deployment has set up. */
export interface Means {
  account: PlanFacts;
  /** What has a carrier here. Messages over everything else are kept (`no_carrier`). */
  carriers: Carried;
  /** What the spending ceiling says to a message that is due now; absent: not known, as it never is ahead. */
  ceiling?: CeilingVerdict;
  /** What fails now, where that is told; absent: not known, as it never is where messages are planned. */
  failing?: ReadonlyMap<ChannelKind, FailingCarrier>;
  /** By how many milliseconds the deployment's time is ahead of clocks, by which duties go; absent: not at all. */
  aheadMs?: number;
}

/** The channels that have a carrier in a deployment. */
export interface Carried extends ReadonlyArray<ChannelKind> {
  /** The addresses of these channels that have none nevertheless, each as kindOfAddress names them; absent: not known, or none. */
  lacks?: ReadonlySet<string>;
}

/** Names the addresses of a channel that begin so: `push pushover:`; with nothing, those that belong to no carrier. */
export function kindOfAddress(channel: ChannelKind, via: string): string {
  return `${channel} ${via}`;
}

/** A carrier that does not take messages. `since`: when that was first seen, milliseconds since 1970; `problem`: our words for it. */
export interface FailingCarrier {
  since: number;
  problem: string;
}

/** An address of a contact. `verification` absent means verified. */
export interface CopiedAddress {
  channel: ChannelKind;
  /** Which of the channel's addresses it is (contact_channel); absent: 0. */
  slot?: number;
  /** What it begins with, where that says which carrier it belongs to; absent: not known. */
  via?: string;
  address: string;
  verification?: 'verified' | 'not_verified';
}

/** How a contact can be reached. */
export interface Reachable {
  /** The contact's usable addresses in their own order: several of push and chat, one of every other channel. */
  addresses: readonly CopiedAddress[];
  /** The channels that their owner has switched off. Absent in what was copied before this was kept: none. */
  disabled?: readonly ChannelKind[];
}

/** A contact in a step that names these channels, in order. */
export interface StepContact extends Reachable {
  channels: readonly ChannelKind[];
}

/** Why a live message would not reach a contact. */
export type NotReached = 'no_address' | 'disabled' | 'not_verified' | 'plan_required' | 'no_carrier' | 'spend_ceiling';

/** Whether a live message would go out to a contact over a channel, and if not, why. */
export type Reach = 'goes' | NotReached;

/** A message of a step to a contact, and what would become of it live. */
export interface PlannedMessage {
  channel: ChannelKind;
  reach: Reach;
  /** The channel in whose place it goes; null: the step names it. */
  insteadOf: ChannelKind | null;
}

/**
 * Returns the channels that have a carrier, of a deployment that has none for `unconfigured`. `carried`: the same list, kept up to date
 * while carriers are set up anew.
 */
export function carriersOf(channels: {
  unconfigured: readonly ChannelKind[];
  carried?: Carried;
  lacks?: ReadonlySet<string>;
}): Carried {
  const { carried, unconfigured, lacks } = channels;
  if (carried !== undefined) return carried;
  const all = CHANNELS.filter(kind => !unconfigured.includes(kind));
  return lacks === undefined ? all : Object.assign(all, { lacks });
}

/** Returns what the messages of an account can be sent with. `accountCreatedAt` in milliseconds since 1970. */
export function meansOf(
  { plan, accountCreatedAt }: { plan: Plan; accountCreatedAt: number },
  carriers: Carried,
): Means {
  return { account: planFacts(plan, accountCreatedAt), carriers };
}

/** Returns the channels over which a contact has a usable address, in the order of the first one of each. */
export function channelsOf({ addresses }: Pick<Reachable, 'addresses'>): ChannelKind[] {
  const channels: ChannelKind[] = [];
  for (const { channel } of addresses) if (!channels.includes(channel)) channels.push(channel);
  return channels;
}

/**
 * Tells whether a live message would go out to a contact over a channel at a time (milliseconds since 1970), with the
 * first reason against it (DECISIONS.md "Would it reach"). The one answer for planning, sending, failover, preview,
 * rehearsal, readiness and page. Whether the carrier then takes it, nobody knows ahead.
 */
export function wouldReach(
  { addresses, disabled = [] }: Reachable,
  channel: ChannelKind,
  { account, carriers, ceiling = 'goes' }: Means,
  at: number,
): Reach {
  const best = bestOf(addresses, channel, carriers);
  if (best === 'none') return disabled.includes(channel) ? 'disabled' : 'no_address';
  if (best === 'not_verified') return 'not_verified';
  if (channelInPlan(account, channel, at) === 'plan_required') return 'plan_required';
  if (best === 'not_carried' || !carriers.includes(channel)) return 'no_carrier';
  return ceiling === 'goes' ? 'goes' : 'spend_ceiling';
}

/** Returns the addresses of a channel to which alerts may go, in their order: a message that names none is with the first. */
export function usableAddresses({ addresses }: Pick<Reachable, 'addresses'>, channel: ChannelKind): CopiedAddress[] {
  return addresses.filter(one => one.channel === channel && one.verification !== 'not_verified');
}

/** Tells how far the best address of a channel gets. Asked millions of times: it makes nothing. */
function bestOf(
  addresses: readonly CopiedAddress[],
  channel: ChannelKind,
  { lacks }: Carried,
): 'carried' | 'not_carried' | 'not_verified' | 'none' {
  let best: 'not_carried' | 'not_verified' | 'none' = 'none';
  for (const one of addresses) {
    if (one.channel !== channel) continue;
    if (one.verification === 'not_verified') {
      if (best === 'none') best = 'not_verified';
    } else {
      if (one.via === undefined || lacks === undefined || !lacks.has(kindOfAddress(channel, one.via))) return 'carried';
      best = 'not_carried';
    }
  }
  return best;
}

/**
 * Returns the channel that goes in the place of one that did not reach a contact: their first other one that would
 * reach them and that the step has not used for them. Null if there is none.
 */
export function standIn(
  contact: Reachable,
  used: readonly ChannelKind[],
  means: Means,
  at: number,
): ChannelKind | null {
  const usable = contact.addresses.find(
    ({ channel }) => !used.includes(channel) && wouldReach(contact, channel, means, at) === 'goes',
  );
  return usable?.channel ?? null;
}

/**
 * Lists all live messages of one step to one contact: first those over the channels that the step names, then those
 * that go in the place of messages that would not reach them (DECISIONS.md "A send fails for good"). Refusals by a
 * carrier cannot be predicted.
 */
export function messagesOf(contact: StepContact, means: Means, at: number): PlannedMessage[] {
  const named = contact.channels.map(
    (channel): PlannedMessage => ({ channel, reach: wouldReach(contact, channel, means, at), insteadOf: null }),
  );
  const messages = [...named];
  for (const { channel, reach } of named) {
    if (reach === 'goes') continue;
    const used = messages.map(message => message.channel);
    const other = standIn(contact, used, means, at);
    if (other !== null) messages.push({ channel: other, reach: 'goes', insteadOf: channel });
  }
  return messages;
}

/** Tells whether a step would get a message to a contact by any channel. */
export function reaches(contact: StepContact, means: Means, at: number): 'reached' | 'not_reached' {
  return messagesOf(contact, means, at).some(({ reach }) => reach === 'goes') ? 'reached' : 'not_reached';
}
