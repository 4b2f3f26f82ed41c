import type { ChannelKind } from './delivery.ts';

/*
 * By a code of six digits a person shows that an address is theirs and takes messages. Until then no live alert goes there
 * (escalation.ts `obstacle`), so that nobody is called at night over a digit that was mistyped, or by somebody's malice.
 */

/** How long a code is good, in milliseconds. */
export const CODE_GOOD_MS = 10 * 60_000;

/** How often a code may be guessed at: five of a million. */
export const MOST_GUESSES = 5;

/**
 * How many codes of an account one address takes within how long: who has to wait, and who pays for the messages, are not the
 * same. Ten a day are fifty guesses of a million, for an account that wants to alert somebody who never agreed.
 */
const LIMITS = [
  { most: 1, withinMs: 60_000, per: 'minute' },
  { most: 5, withinMs: 60 * 60_000, per: 'hour' },
  { most: 10, withinMs: 24 * 60 * 60_000, per: 'day' },
] as const;

/** How many codes one account sends, to whomever. */
export const CODES_OF_ACCOUNT = { most: 10, withinMs: 60_000 } as const;

/**
 * How many drills and codes an address takes on one day (UTC) as long as nobody has shown to an account that it is theirs: of all
 * accounts together, and of one, so that no account alone uses up what another needs.
 */
export const UNVERIFIED_A_DAY = { most: 20, ofAccount: 10 } as const;

/** Whether an account may send one more there. `accounts`: whose messages went there today, one entry for each message. */
export function mayReach(accounts: readonly string[], accountId: string): 'may_reach' | 'address_limit' {
  const own = accounts.filter(one => one === accountId).length;
  return accounts.length < UNVERIFIED_A_DAY.most && own < UNVERIFIED_A_DAY.ofAccount ? 'may_reach' : 'address_limit';
}

/**
 * Where messages to an address arrive, as it is counted over all accounts: texts and calls at one telephone, and mails in one
 * mailbox whatever case it is written in and whatever stands behind a plus sign.
 */
export function placeOf(channel: ChannelKind, address: string): string {
  if (channel === 'text' || channel === 'call') return `phone ${address}`;
  const lower = address.toLowerCase();
  return `${channel} ${channel === 'email' ? lower.replace(/\+[^@]*@/, '@') : lower}`;
}

/** The longest time over which codes are counted, in milliseconds. */
const LONGEST_MS = Math.max(...LIMITS.map(({ withinMs }) => withinMs));

/** Whether whoever wrote an address answers for it. */
export type Vouched = 'vouched' | 'not_vouched';

/**
 * Whoever runs the deployment vouches for what they write by its own token; with `trusted` (CONTACT_VERIFICATION) for what
 * all accounts write.
 */
export function vouchedBy(token: 'operator' | 'account', setting: 'required' | 'trusted'): Vouched {
  return token === 'operator' || setting === 'trusted' ? 'vouched' : 'not_vouched';
}

/** Whether a new address counts as verified at once. A webhook does: there is no person who could read a code. */
export function verifiedWhenStored(channel: ChannelKind, vouched: Vouched): 'verified' | 'not_verified' {
  return channel === 'webhook' || vouched === 'vouched' ? 'verified' : 'not_verified';
}

/** Whether one more code may be sent; else which limit is reached. */
export type SendVerdict =
  | { kind: 'may_send' }
  | { kind: 'too_many'; most: number; per: (typeof LIMITS)[number]['per']; retryAfterS: number };

/** `sent`: when codes were sent to the address lately. Times are milliseconds since 1970. The limit that lasts longest counts. */
export function maySend(sent: readonly number[], now: number): SendVerdict {
  const reached = LIMITS.flatMap(({ most, withinMs, per }) => {
    const recent = sent.filter(at => at > now - withinMs).toSorted((a, b) => b - a);
    // Once this one is old enough, there are fewer than the most again.
    const last = recent[most - 1];
    return last === undefined ? [] : [{ most, per, retryAfterS: Math.ceil((last + withinMs - now) / 1000) }];
  }).toSorted((a, b) => b.retryAfterS - a.retryAfterS);
  return reached[0] === undefined ? { kind: 'may_send' } : { kind: 'too_many', ...reached[0] };
}

/** When codes were sent, this one included, as far as it counts still. */
export function withThisOne(sent: readonly number[], now: number): number[] {
  return [...sent.filter(at => at > now - LONGEST_MS), now];
}

/** A code that was sent, as far as guesses at it are judged. */
export interface SentCode {
  /** Until when it is good, milliseconds since 1970. */
  expiresAt: number;
  /** How many wrong ones came so far. */
  guesses: number;
}

/** What a code that is told back comes to. */
export type GuessVerdict = 'right' | 'wrong' | 'expired' | 'none_sent' | 'too_many_guesses';

/** `code` null: none was sent, or none since the address was last changed. Only `wrong` counts as a guess. */
export function judgeGuess(code: SentCode | null, guess: 'same' | 'different', now: number): GuessVerdict {
  if (code === null) return 'none_sent';
  if (now >= code.expiresAt) return 'expired';
  if (code.guesses >= MOST_GUESSES) return 'too_many_guesses';
  return guess === 'same' ? 'right' : 'wrong';
}

/** The digits of a code as a person writes it, `123 456` or `123-456`; null: it is no code. */
export function digitsOf(text: string): string | null {
  const digits = text.replaceAll(/[ \t-]/g, '');
  return /^[0-9]{6}$/.test(digits) ? digits : null;
}
