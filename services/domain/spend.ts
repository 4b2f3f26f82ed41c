import type { ChannelKind } from './delivery.ts';

/** The channels that a carrier charges for. */
export type ChargedChannel = Extract<ChannelKind, 'text' | 'call'>;

/**
 * The price of one unit (a part of an SMS, a call) in US cents. These are cautious estimates, above most countries'
 * prices, so that a cap is reached early rather than late; the carrier's invoice has the real charge.
 */
const PRICE_CENTS: Readonly<Record<ChargedChannel, number>> = { text: 5, call: 10 };

/** The most parts we believe of one SMS: the longest that carriers accept has 24 in the widest alphabet. */
const MOST_UNITS = 30;

/** The share of the cap from which the owner is warned, in percent. */
const WARNING_PERCENT = 80;

/** How a day's spending compares to the account's cap. */
export type SpendVerdict = 'within_cap' | 'spend_warning' | 'spend_capped';

/** Tells whether messages of a channel cost anything. */
export function isCharged(channel: ChannelKind): channel is ChargedChannel {
  return channel in PRICE_CENTS;
}

/** Returns the units to count, 1 to 30, whatever a carrier claims. */
export function countedUnits(units: number): number {
  return Number.isFinite(units) ? Math.min(Math.max(Math.trunc(units), 1), MOST_UNITS) : 1;
}

/** Returns the price of so many units, in cents. */
export function priceCents(channel: ChargedChannel, units: number): number {
  return PRICE_CENTS[channel] * units;
}

/**
 * Compares a day's spending with the cap (proto Account.daily_spend_cap_cents): a warning from 80 % of the cap, capped
 * from the cap on. A cap of 0 means no cap. Both amounts in cents.
 */
export function spendVerdict(cents: number, capCents: number): SpendVerdict {
  if (capCents === 0 || cents * 100 < capCents * WARNING_PERCENT) return 'within_cap';
  return cents < capCents ? 'spend_warning' : 'spend_capped';
}

/**
 * Returns which limit of a day is reached, so that drills and codes over channels that cost money have to wait; the
 * ceiling first, because a higher cap would not help then. 0 is no limit. All in cents.
 */
export function limitReached(day: {
  cents: number;
  capCents: number;
  ceilingCents: number;
}): 'ceiling' | 'cap' | 'none' {
  if (day.ceilingCents > 0 && day.cents >= day.ceilingCents) return 'ceiling';
  return spendVerdict(day.cents, day.capCents) === 'spend_capped' ? 'cap' : 'none';
}

export type CapChange = 'same' | 'lowered' | 'raised';

/**
 * Classifies a change of a cap in cents, where 0 means no cap: removing it counts as raising it (DECISIONS.md "Spending
 * cap").
 */
export function capChange(before: number, after: number): CapChange {
  if (before === after) return 'same';
  return after !== 0 && (before === 0 || after < before) ? 'lowered' : 'raised';
}

/** One source may use one fifth of an account's ceiling. */
export const PARTS_OF_CEILING = 5;

/** Under this name the notices of all duties of an account are one source: no id of one has so few characters. */
export const DUTIES = 'duties';

/** A text or call of a live incident: to whom, and about which source. */
export interface ChargedAlert {
  channel: ChargedChannel;
  contactId: string;
  sourceId: string;
}

/** What is known when a text or call is due. Amounts in cents, of today (UTC), estimated. */
export interface CeilingFacts {
  alert: ChargedAlert;
  /** Whether its contact was sent anything about this source over this channel today. */
  told: 'today' | 'not_today';
  /** 0 for no ceiling. */
  ceilingCents: number;
  accountCents: number;
  sourceCents: number;
  /** What a panic button may cost on a day besides: the cap of its account; 0 for an alarm, and for no cap. */
  buttonCapCents: number;
  /** Messages of the account being sent ahead of this one, which are not in the sums yet. */
  underWay: readonly ChargedAlert[];
}

/**
 * Whether a text or call goes out, or what stops it: the account's ceiling, or the share of it that one source may use.
 */
export type CeilingVerdict = 'goes' | 'over_ceiling' | 'over_source_share';

/**
 * Decides whether a text or call still goes out today (DECISIONS.md "Spending ceiling"). The first one to each person
 * about a source always does. A panic button may be pressed without end by whoever has its key, so it stays within the
 * cap as well (DECISIONS.md "Panic buttons"). The number of parts of an SMS is only known once it is sent, so one part is counted
 * ahead.
 */
export function ceilingVerdict(facts: CeilingFacts): CeilingVerdict {
  const { alert, ceilingCents, underWay } = facts;
  if (isFirstOfDay(facts)) return 'goes';
  const cents = (alerts: readonly ChargedAlert[]) =>
    alerts.reduce((sum, { channel }) => sum + priceCents(channel, 1), priceCents(alert.channel, 1));
  if (ceilingCents > 0 && facts.accountCents + cents(underWay) > ceilingCents) return 'over_ceiling';
  const ofSource = underWay.filter(({ sourceId }) => sourceId === alert.sourceId);
  return facts.sourceCents + cents(ofSource) > sourceShare(facts) ? 'over_source_share' : 'goes';
}

/** Returns what one source may cost on a day, in cents; infinite if nothing limits it. */
export function sourceShare({ ceilingCents, buttonCapCents }: Pick<CeilingFacts, 'ceilingCents' | 'buttonCapCents'>) {
  const share = ceilingCents === 0 ? Number.POSITIVE_INFINITY : Math.floor(ceilingCents / PARTS_OF_CEILING);
  return buttonCapCents === 0 ? share : Math.min(share, buttonCapCents);
}

function isFirstOfDay({ alert, told, underWay }: CeilingFacts): boolean {
  const isAlike = ({ channel, contactId, sourceId }: ChargedAlert) =>
    channel === alert.channel && contactId === alert.contactId && sourceId === alert.sourceId;
  return told === 'not_today' && !underWay.some(isAlike);
}
