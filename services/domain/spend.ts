import type { ChannelKind } from './delivery.ts';

/** The channels that a carrier charges for. */
export type ChargedChannel = Extract<ChannelKind, 'text' | 'call'>;

/**
 * What one unit costs, in cents of a US dollar: a part of a text, a call. Cautious estimates, higher than most countries'
 * prices, so that a cap is met rather early than late; what a carrier really charges stands on its invoice.
 */
const PRICE_CENTS: Readonly<Record<ChargedChannel, number>> = { text: 5, call: 10 };

/** The most parts that are believed of one text: the longest that carriers take has 24, in the widest alphabet. */
const MOST_UNITS = 30;

/** From which part of the cap on the owner is warned, in percent. */
const WARNING_PERCENT = 80;

/** Where a day stands against the account's cap. */
export type SpendVerdict = 'within_cap' | 'spend_warning' | 'spend_capped';

/** Whether messages of a channel cost anything. */
export function isCharged(channel: ChannelKind): channel is ChargedChannel {
  return channel in PRICE_CENTS;
}

/** The units that are counted, 1 to 30, whatever a carrier claims. */
export function countedUnits(units: number): number {
  return Number.isFinite(units) ? Math.min(Math.max(Math.trunc(units), 1), MOST_UNITS) : 1;
}

/** What so many units cost, in cents. */
export function priceCents(channel: ChargedChannel, units: number): number {
  return PRICE_CENTS[channel] * units;
}

/**
 * Where the spending of a day stands (proto Account.daily_spend_cap_cents): a warning from 80 % of the cap on, capped from the
 * cap on. A cap of 0 is none. Both amounts in cents.
 */
export function spendVerdict(cents: number, capCents: number): SpendVerdict {
  if (capCents === 0 || cents * 100 < capCents * WARNING_PERCENT) return 'within_cap';
  return cents < capCents ? 'spend_warning' : 'spend_capped';
}

/** What a change makes of a cap. */
export type CapChange = 'same' | 'lowered' | 'raised';

/** What becomes of a cap in cents, of which 0 is none: taking it away raises it (DECISIONS.md "Spending cap"). */
export function capChange(before: number, after: number): CapChange {
  if (before === after) return 'same';
  return after !== 0 && (before === 0 || after < before) ? 'lowered' : 'raised';
}

/** Which part of an account's ceiling one source may use: a fifth. */
export const PARTS_OF_CEILING = 5;

/** A text or call of a live incident: to whom, and about which source. */
export interface ChargedAlert {
  channel: ChargedChannel;
  contactId: string;
  sourceId: string;
}

/** What is known when a text or call is asked whether it goes. Amounts in cents, of today (UTC), by estimate. */
export interface CeilingFacts {
  alert: ChargedAlert;
  /** Whether its contact was sent anything about this source over this channel today. */
  told: 'today' | 'not_today';
  /** 0: there is no ceiling. */
  ceilingCents: number;
  accountCents: number;
  sourceCents: number;
  /** Those of the account that are being sent, ahead of this one, and count nowhere yet. */
  underWay: readonly ChargedAlert[];
}

/** Whether a text or call goes, or what stops it: the account's ceiling, or the part of it that one source may use. */
export type CeilingVerdict = 'goes' | 'over_ceiling' | 'over_source_share';

/**
 * Whether a text or call still goes today (DECISIONS.md "Spending ceiling"). The first one to each person about a source always
 * does. How many parts a text has shows only when it is sent, so one part is counted ahead.
 */
export function ceilingVerdict(facts: CeilingFacts): CeilingVerdict {
  const { alert, ceilingCents, underWay } = facts;
  if (ceilingCents === 0 || isFirstOfDay(facts)) return 'goes';
  const cents = (alerts: readonly ChargedAlert[]) =>
    alerts.reduce((sum, { channel }) => sum + priceCents(channel, 1), priceCents(alert.channel, 1));
  if (facts.accountCents + cents(underWay) > ceilingCents) return 'over_ceiling';
  const ofSource = underWay.filter(({ sourceId }) => sourceId === alert.sourceId);
  return facts.sourceCents + cents(ofSource) > sourceShare(ceilingCents) ? 'over_source_share' : 'goes';
}

/** What one source may use of a ceiling, in cents. */
export function sourceShare(ceilingCents: number): number {
  return Math.floor(ceilingCents / PARTS_OF_CEILING);
}

function isFirstOfDay({ alert, told, underWay }: CeilingFacts): boolean {
  const isAlike = ({ channel, contactId, sourceId }: ChargedAlert) =>
    channel === alert.channel && contactId === alert.contactId && sourceId === alert.sourceId;
  return told === 'not_today' && !underWay.some(isAlike);
}
