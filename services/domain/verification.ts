import type { ChannelKind } from './delivery.ts';

/*
 * A code of six digits lets a person prove that an address is theirs and receives messages. Until then no live alert
 * goes there (reach.ts `wouldReach`), so that nobody is called at night because of a mistyped digit or somebody's
 * malice.
 */

/** How long a code is valid, in milliseconds. */
export const CODE_GOOD_MS = 10 * 60_000;

/** How long a link that does the same is good, in milliseconds: nobody guesses one, and mail is read when there is time. */
export const VERIFICATION_LINK_GOOD_MS = 24 * 60 * 60_000;

/** How much of a name is shown to somebody who never confirmed their address, in characters. */
export const STRANGERS_NAME_LENGTH = 40;

/** How many guesses a code allows: five of a million. */
export const MOST_GUESSES = 5;

/**
 * How many codes of an account one address receives, and within which time: the one who is bothered is not the one who
 * asks. Ten a day allow fifty guesses of a million to an account that wants to alert somebody who never agreed.
 */
const LIMITS = [
  { most: 1, withinMs: 60_000, per: 'minute' },
  { most: 5, withinMs: 60 * 60_000, per: 'hour' },
  { most: 10, withinMs: 24 * 60 * 60_000, per: 'day' },
] as const;

/** How many codes one account sends, to all addresses together. */
export const CODES_OF_ACCOUNT = { most: 10, withinMs: 60_000 } as const;

/**
 * How many drills and codes an address receives per day (UTC) until somebody has proved to an account that it is
 * theirs: from all accounts together, and from one, so that no account alone uses up what another needs.
 */
export const UNVERIFIED_A_DAY = { most: 20, ofAccount: 10 } as const;

/**
 * Tells whether an account may send one more message there. `accounts`: the account of each message sent there today.
 */
export function mayReach(accounts: readonly string[], accountId: string): 'may_reach' | 'address_limit' {
  const own = accounts.filter(one => one === accountId).length;
  return accounts.length < UNVERIFIED_A_DAY.most && own < UNVERIFIED_A_DAY.ofAccount ? 'may_reach' : 'address_limit';
}

/**
 * Returns the place where messages to an address arrive, which is what limits over all accounts count: texts and calls
 * arrive at one telephone, and mails in one mailbox whatever the letter case and whatever follows a plus sign.
 */
export function placeOf(channel: ChannelKind, address: string): string {
  if (channel === 'text' || channel === 'call') return `phone ${address}`;
  const lower = address.toLowerCase();
  return `${channel} ${channel === 'email' ? lower.replace(/\+[^@]*@/, '@') : lower}`;
}

/** The longest time over which codes are counted, in milliseconds. */
const LONGEST_MS = Math.max(...LIMITS.map(({ withinMs }) => withinMs));

/** Whether an address is trusted because of who wrote it. */
export type Vouched = 'vouched' | 'not_vouched';

/**
 * Nobody's typing vouches for an address, the operator's neither: a digit is mistyped at every keyboard. CONTACT_VERIFICATION
 * `trusted` vouches for those of all accounts.
 */
export function vouchedBy(setting: 'required' | 'trusted'): Vouched {
  return setting === 'trusted' ? 'vouched' : 'not_vouched';
}

/** Tells whether a new address counts as verified at once. A webhook does: no person could read a code there. */
export function verifiedWhenStored(channel: ChannelKind, vouched: Vouched): 'verified' | 'not_verified' {
  return channel === 'webhook' || vouched === 'vouched' ? 'verified' : 'not_verified';
}

/** Whether one more code may be sent, or which limit is reached. */
export type SendVerdict =
  | { kind: 'may_send' }
  | { kind: 'too_many'; most: number; per: (typeof LIMITS)[number]['per']; retryAfterS: number };

/**
 * `sent`: when codes were sent to the address recently. Times are milliseconds since 1970. Of several limits the one
 * that lasts longest counts.
 */
export function maySend(sent: readonly number[], now: number): SendVerdict {
  const reached = LIMITS.flatMap(({ most, withinMs, per }) => {
    const recent = sent.filter(at => at > now - withinMs).toSorted((a, b) => b - a);
    // Once this one leaves the time window, there is room again.
    const last = recent[most - 1];
    return last === undefined ? [] : [{ most, per, retryAfterS: Math.ceil((last + withinMs - now) / 1000) }];
  }).toSorted((a, b) => b.retryAfterS - a.retryAfterS);
  return reached[0] === undefined ? { kind: 'may_send' } : { kind: 'too_many', ...reached[0] };
}

/** Returns when codes were sent, this one included, as far as it still counts. */
export function withThisOne(sent: readonly number[], now: number): number[] {
  return [...sent.filter(at => at > now - LONGEST_MS), now];
}

/** What is needed of a code that was sent to judge a guess. */
export interface SentCode {
  /** Until when it is valid, milliseconds since 1970. */
  expiresAt: number;
  /** How many wrong guesses there were so far. */
  guesses: number;
}

/** The verdict on a guess. */
export type GuessVerdict = 'right' | 'wrong' | 'expired' | 'none_sent' | 'too_many_guesses';

/** `code` null: none was sent, or none since the address last changed. Only `wrong` counts as a guess. */
export function judgeGuess(code: SentCode | null, guess: 'same' | 'different', now: number): GuessVerdict {
  if (code === null) return 'none_sent';
  if (now >= code.expiresAt) return 'expired';
  if (code.guesses >= MOST_GUESSES) return 'too_many_guesses';
  return guess === 'same' ? 'right' : 'wrong';
}

/** Returns the digits of a code as a person types it, `123 456` or `123-456`; null if it is not a code. */
export function digitsOf(text: string): string | null {
  const digits = text.replaceAll(/[ \t-]/g, '');
  return /^[0-9]{6}$/.test(digits) ? digits : null;
}
