import { maySend } from './verification.ts';

/**
 * How long a session stays valid after its last use, in days; how often its use is recorded, in seconds; and how many one
 * person or token has, which are all listed.
 */
export const SESSION = { goodDays: 30, seenEveryS: 60, most: 100 } as const;

/** How long a sign-in link is valid, in seconds: long enough to notice it in the banner of a first start. */
export const LINK_GOOD_S = 30 * 60;

/** How long a link for a second device is valid, in seconds: it is used where it is shown. */
export const PHONE_LINK_GOOD_S = 2 * 60;

/**
 * How many codes one network address may request, whoever they are for; and one browser in which somebody signed in
 * before, wherever it is.
 */
export const CODES_FROM_ADDRESS = { most: 10, withinMs: 60_000 } as const;

/** How long a browser is known in which a person signed in, in days: as long as browsers keep a cookie. */
export const BROWSER_KNOWN_DAYS = 400;

/**
 * How many codes a day strangers may have sent to one person: from one network, and all together. Ten codes allow them
 * fifty guesses of a million.
 */
const STRANGERS_A_DAY = { network: 5, all: 10 } as const;

/** Who asks for a person's code: a browser they signed in with before, the network of one of their sessions, or neither. */
export type Asker = 'known_browser' | 'known_network' | 'stranger';

/** When codes were sent to one person lately, by what they count for; milliseconds since 1970. */
export type CodesSent = Readonly<Record<CountedFor, readonly number[]>>;

/** What a code counts for: the browser or the network that asked, or all strangers together. */
export type CountedFor = 'browser' | 'network' | 'strangers';

/**
 * Returns what one more code counts for, so that no stranger uses up what the person needs to sign in (DECISIONS.md
 * "Sign-in"); null: it is not sent. `now` in milliseconds since 1970.
 */
export function oneMoreCode(asker: Asker, sent: CodesSent, now: number): readonly CountedFor[] | null {
  if (asker === 'stranger') return mayStranger(sent, now) ? ['network', 'strangers'] : null;
  const counted = asker === 'known_browser' ? 'browser' : 'network';
  return maySend(sent[counted], now).kind === 'may_send' ? [counted] : null;
}

function mayStranger({ network, strangers }: CodesSent, now: number): boolean {
  const today = (sent: readonly number[]) => sent.filter(at => at > now - DAY_MS).length;
  const { network: ofNetwork, all } = STRANGERS_A_DAY;
  return maySend(network, now).kind === 'may_send' && today(network) < ofNetwork && today(strangers) < all;
}

const DAY_MS = 24 * 60 * 60_000;

/** How many members an account may have, and how many invitations it may send. */
export const MEMBERS_MOST = 200;
export const INVITATIONS_OF_ACCOUNT = { most: 10, withinMs: 60_000 } as const;

/** How many invitations an address gets in a day (UTC), of all accounts together: nobody asked for them. */
export const INVITATIONS_A_DAY = 3;

/** For how many days the link in an invitation confirms the address. */
export const CONFIRMATION_GOOD_DAYS = 7;
