import type { PersonsVerb } from './action.ts';
import type { DeliveryStatus } from './delivery.ts';
import type { Environment } from './source.ts';

/** How long a link works after its incident closed, in milliseconds. */
export const LINK_LASTS_MS = 24 * 60 * 60 * 1000;

/** `open`: nobody acknowledged yet; `acknowledged`: somebody did, and it is not closed; `closed`. */
export type PageState = 'open' | 'acknowledged' | 'closed';

/** The parts of an incident that its page depends on. Times in milliseconds since 1970; null: not yet. */
export interface PageFacts {
  acknowledgedAt: number | null;
  closedAt: number | null;
}

export function pageState({ acknowledgedAt, closedAt }: PageFacts): PageState {
  if (closedAt !== null) return 'closed';
  return acknowledgedAt === null ? 'open' : 'acknowledged';
}

/** Tells whether a link still works (DECISIONS.md "Acknowledge": it ends with its incident). */
export function linkAt(now: number, { closedAt }: Pick<PageFacts, 'closedAt'>): 'leads' | 'ended' {
  return closedAt === null || now < closedAt + LINK_LASTS_MS ? 'leads' : 'ended';
}

/** How many people one can call at most: more are told by the product, not called by one of them. */
export const CALLS_SHOWN = 8;

/** Tells whether the page offers to call somebody: in test, or once it is over, a touch must not ring at the emergency services. */
export function callsOffered(environment: Environment, facts: PageFacts): 'offered' | 'not_offered' {
  return environment === 'live' && facts.closedAt === null ? 'offered' : 'not_offered';
}

/** What a person can do in each state. A button without effect is not shown. */
export const OFFERED: Record<PageState, readonly PersonsVerb[]> = {
  open: ['acknowledge', 'decline', 'next_step', 'hand_over', 'note', 'close'],
  acknowledged: ['hand_over', 'note', 'close'],
  closed: [],
};

/** How many messages a page lists of the past and of those to come. The console shows them all. */
const LISTED = { past: 12, ahead: 6 } as const;

/** A message as a page lists it. `tries`: how many attempts were recorded. */
export interface Listed {
  status: DeliveryStatus;
  tries: number;
}

/**
 * Picks the messages to list from those given in order of time. A message cancelled before any attempt alerted nobody
 * and is left out.
 */
export function listedOf<Message extends Listed>(messages: readonly Message[]): Message[] {
  const told = messages.filter(({ status, tries }) => status !== 'cancelled' || tries > 0);
  const isAhead = ({ status, tries }: Message) => status === 'suppressed' || (status === 'scheduled' && tries === 0);
  const past = told.filter(message => !isAhead(message)).slice(-LISTED.past);
  return [...past, ...told.filter(isAhead).slice(0, LISTED.ahead)];
}
