import type { AttemptOutcome, ChannelKind, DeliveryKind } from './delivery.ts';
import type { Environment } from './source.ts';

/** How long a carrier may take to answer while another one stands by, in seconds (DECISIONS.md "Carriers that stand by"). */
export const STANDS_BY_AFTER_S: Record<ChannelKind, number> = {
  text: 4,
  call: 4,
  email: 12,
  push: 4,
  chat: 4,
  webhook: 4,
};

/** How long a carrier that may have taken a message is asked for it, in seconds. */
export const FIND_S = 2;

/** How many tries of carriers that did not take a message are kept with it: the last ones, and those that refused it for good. */
export const CARRIER_TRIES_MOST = 20;

/** A try of a carrier that did not take a message, so that the next one was asked. */
export interface CarrierTry {
  /** The carrier's name: `twilio`. */
  carrier: string;
  /** When it was asked, milliseconds since 1970. */
  at: number;
  /** How long it took to refuse, or until it was no longer waited for, in milliseconds. */
  tookMs: number;
  /** In words. */
  reason: string;
  /** Whether it may have sent the message nevertheless: then it may have gone out twice. */
  taken: 'no' | 'maybe';
  /** Of a contact with several addresses of the channel: which one it was (CopiedAddress). */
  slot?: number;
  /** Which of those addresses it was in their order, from 1. */
  nth?: number;
  /** It is not asked again for this message at that address. Absent: it may be. */
  refused?: 'for_good';
}

/**
 * Returns whether the next carrier is asked after what one said (DECISIONS.md "Carriers that stand by"). `goes_unless_found`: the message
 * may be with this one; where it can be asked, it is. What is wrong with the address or the message stays so with any carrier.
 */
export function nextCarrier(
  outcome: AttemptOutcome,
  mayGoTwice: 'once_only' | 'rather_twice',
): 'goes' | 'goes_unless_found' | 'stays' {
  switch (outcome.kind) {
    case 'temporary_fault':
      if (outcome.about === 'address') return 'stays';
      if (outcome.taken === 'no') return 'goes';
      return mayGoTwice === 'rather_twice' ? 'goes_unless_found' : 'stays';
    case 'permanent_fault':
      return outcome.carrier === undefined ? 'stays' : 'goes';
    default:
      return 'stays';
  }
}

/**
 * Returns whether the contact's next address of the same channel is tried after what the carrier of one said (DECISIONS.md "Several addresses"):
 * as nextCarrier, and also where that address was refused, has nobody who carries it, or has to wait, for its carrier or for its turn there.
 */
export function nextAddress(
  outcome: AttemptOutcome,
  mayGoTwice: 'once_only' | 'rather_twice',
): 'goes' | 'goes_unless_found' | 'stays' {
  switch (outcome.kind) {
    case 'temporary_fault':
      if (outcome.taken === 'no') return 'goes';
      return mayGoTwice === 'rather_twice' ? 'goes_unless_found' : 'stays';
    case 'permanent_fault':
      if (outcome.taken === undefined) return 'goes';
      return mayGoTwice === 'rather_twice' ? 'goes_unless_found' : 'stays';
    case 'asked_to_wait':
    case 'put_off':
    case 'kept':
      return 'goes';
    default:
      return 'stays';
  }
}

/** Tells whether a message goes rather twice than not at all: live alerts alone do. */
export function mayGoTwice(of: {
  kind: DeliveryKind;
  environment: Environment | 'drill';
}): 'once_only' | 'rather_twice' {
  return of.kind === 'alert' && of.environment === 'live' ? 'rather_twice' : 'once_only';
}

/**
 * Returns what came of an attempt through several carriers, none of which has the message, by what each said, in order: what passes is tried
 * again, however much is wrong with the others.
 */
export function outcomeOfAll(said: readonly AttemptOutcome[]): AttemptOutcome {
  const last = said.at(-1)!;
  const isTheirs = last.kind === 'permanent_fault' && last.carrier !== undefined;
  return (isTheirs ? said.findLast(({ kind }) => kind === 'temporary_fault') : undefined) ?? last;
}

/** What counts of several addresses none of which got the message: what may still go there counts most. */
const HOPE: readonly AttemptOutcome['kind'][] = [
  'temporary_fault',
  'asked_to_wait',
  'put_off',
  'permanent_fault',
  'kept',
];

/** Returns what came of an attempt at several addresses of a channel, by what was said of each, in order. */
export function outcomeOfAddresses(said: readonly AttemptOutcome[]): AttemptOutcome {
  const [found] = HOPE.flatMap(hoped => said.findLast(({ kind }) => kind === hoped) ?? []);
  return found ?? said.at(-1)!;
}
