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

/** Cents of a US dollar as people write them: `$12.05`. */
export function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}
