import type { DeliveryStatus } from './delivery.ts';

/** How long a link leads to its page after the incident closed, in milliseconds. */
export const LINK_LASTS_MS = 24 * 60 * 60 * 1000;

/** `open`: nobody answered yet; `acknowledged`: somebody did, and it is not over; `closed`. */
export type PageState = 'open' | 'acknowledged' | 'closed';

/** An incident as far as its page depends on it. Times in milliseconds since 1970; null: not yet. */
export interface PageFacts {
  acknowledgedAt: number | null;
  closedAt: number | null;
}

export function pageState({ acknowledgedAt, closedAt }: PageFacts): PageState {
  if (closedAt !== null) return 'closed';
  return acknowledgedAt === null ? 'open' : 'acknowledged';
}

/** Whether a link still leads anywhere (DECISIONS.md "Acknowledge": it ends with its incident). */
export function linkAt(now: number, { closedAt }: Pick<PageFacts, 'closedAt'>): 'leads' | 'ended' {
  return closedAt === null || now < closedAt + LINK_LASTS_MS ? 'leads' : 'ended';
}

/** What a person can do in each state: a button that does nothing is not shown. */
export const OFFERED: Record<PageState, readonly ('acknowledge' | 'close')[]> = {
  open: ['acknowledge', 'close'],
  acknowledged: ['close'],
  closed: [],
};

/** How many messages a page lists: what came last, and what comes next. More is for the console. */
const LISTED = { past: 12, ahead: 6 } as const;

/** A message as a page lists it. `tries`: how many attempts were recorded. */
export interface Listed {
  status: DeliveryStatus;
  tries: number;
}

/**
 * The messages to list, of those given in order of time. One that was called off before anybody tried it told nobody, and
 * is left out.
 */
export function listedOf<Message extends Listed>(messages: readonly Message[]): Message[] {
  const told = messages.filter(({ status, tries }) => status !== 'cancelled' || tries > 0);
  const isAhead = ({ status, tries }: Message) => status === 'suppressed' || (status === 'scheduled' && tries === 0);
  const past = told.filter(message => !isAhead(message)).slice(-LISTED.past);
  return [...past, ...told.filter(isAhead).slice(0, LISTED.ahead)];
}
