/** How long a session stays valid after its last use, in days, and how often its use is recorded, in seconds. */
export const SESSION = { goodDays: 30, seenEveryS: 60 } as const;

/** How long a sign-in link is valid, in seconds: long enough to notice it in the banner of a first start. */
export const LINK_GOOD_S = 30 * 60;

/** How many codes one network address may request, whoever they are for. */
export const CODES_FROM_ADDRESS = { most: 10, withinMs: 60_000 } as const;

/** How many members an account may have, and how many invitations it may send. */
export const MEMBERS_MOST = 200;
export const INVITATIONS_OF_ACCOUNT = { most: 10, withinMs: 60_000 } as const;
