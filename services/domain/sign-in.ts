/** How long a session is good after it was last used, in days, and how often that is noted, in seconds. */
export const SESSION = { goodDays: 30, seenEveryS: 60 } as const;

/** How long a link to sign in is good, in seconds: so long does somebody look at the banner of a first start. */
export const LINK_GOOD_S = 30 * 60;

/** How many codes may be asked for from one address of the network, whoever they are for. */
export const CODES_FROM_ADDRESS = { most: 10, withinMs: 60_000 } as const;

/** How many members an account has at most, and how many invitations it sends. */
export const MEMBERS_MOST = 200;
export const INVITATIONS_OF_ACCOUNT = { most: 10, withinMs: 60_000 } as const;
