/*
 * What anybody may do. Every number that a caller can meet stands here or, where it is a rule of the product, in the domain; the page
 * "Limits" of the docs is made of both (test/support/limits-page.ts). Doors ask the primitives of this room: a rate (allowance.ts),
 * places (fair.ts, turns.ts, under-way.ts), what is kept (kept.ts).
 */
import type { Rate } from './allowance.ts';

/*
 * Calls
 */

/**
 * The limits for one valid key, and for one account with all its keys, over all doors. No honest sender comes near them. The
 * console tokens of an account together get the same again, so that no camera locks its owner out.
 */
export const RATES = {
  key: { read: { burst: 100, perSecond: 50 }, action: { burst: 400, perSecond: 200 } },
  account: { read: { burst: 400, perSecond: 200 }, action: { burst: 1_600, perSecond: 800 } },
} as const;

/** A rate of its own for the triggers of each alarm: nobody else can use it up, not even with the same key. */
export const OF_SOURCE = { burst: 20, perSecond: 10 } as const;

/** The rate of triggers for sources that this process has not yet seen accept one: made-up ids get no rate of their own. */
export const OF_STRAYS = { burst: 100, perSecond: 10 } as const;

/** How many reads a call counts as that shows many incidents or calls. */
export const LIST_READS = 10;

/** How many refusals go at once before further ones are delayed: no honest caller comes near. */
export const REFUSED = { burst: 100, perSecond: 10 } as const;

/**
 * How many triggers of one panic button are answered at once. Each is stored and alerts at once, however many there are; whoever
 * presses on has the answer later, so that others have their share of the time.
 */
export const PRESSED = { burst: 200, perSecond: 100 } as const;

/**
 * How many presses in the console one person, and one session at the door, may have at once: further ones wait for those before them,
 * and take no place of others meanwhile. And how many of one account wait for their outcome: fewer than one session may have at once,
 * so that those beyond, which are stored and answered as accepted, never wait for an engine that is held up.
 */
export const PRESSES_MOST = { person: 4, session: 16, waiting: 8 } as const;

/** How many pages one address may wait for that asks for more of them than is answered at once; further ones get none. */
export const PAGES_MOST = 30;

/** How many requests may wait on a connection behind an unanswered one. Devices send none, a few clients some. */
export const PIPELINED_MOST = 32;

/** How many characters of unread answers there may be of one key: ten times the largest describe; and of all: what a small machine can spare. */
export const UNREAD_MOST = { ofCaller: 16_000_000, all: 128_000_000 } as const;

/*
 * Places
 */

/** How many streams may be open at once, for each key or token and for each account. */
export const STREAMS_MOST = { caller: 20, account: 100 } as const;

/** How many health watches may be open at once, from each address and in all: load balancers have no credential. */
export const WATCHES_MOST = { address: 20, all: 1_000 } as const;

/** How many streams of the console may be open at once. */
export const CONSOLE_STREAMS_MOST = { session: 20, address: 40, all: 500 } as const;

/**
 * How many may sign in, or confirm an address, at once. Each takes a transaction: more of them, which anybody may begin, would take the
 * connections to the database, and the places of other calls, from everybody.
 */
export const SIGN_INS_MOST = { all: 32, network: 8 } as const;

/** How often each account may send, and read, all that it has at once, which may be large, and how many more may wait. */
export const WHOLE_MOST = { sent: { atOnce: 4, waiting: 100 }, read: { atOnce: 1, waiting: 20 } } as const;

/** Of the time, no account has more than one part in so many for these. */
export const SHARE_OF_TIME = 4;

/** The largest file, in megabytes of UTF-8 (an account of 10,000 alarms exports 2.6), and how many may wait to be read. */
export const FILES_MOST = { megabytes: 4, account: 4, large: 32 } as const;

/**
 * How many changes of one account may wait. Each holds a place among the calls of all, so that an account without a bound would
 * take the places that the others read with.
 */
export const CHANGES_WAITING_MOST = 50;

/** How many drills an account has: each writes to real people. */
export const DRILLS_MOST = { most: 10, withinMs: 60_000 } as const;

/**
 * How often people may send the next step, write a note or hand over in one incident: each is stored, whatever comes of it, and a
 * forwarded link can ask for it all night. Acknowledging and closing are never limited.
 */
export const MOVES_MOST = { most: 60, withinMs: 3_600_000 } as const;

/** How many test messages the operator sends over carriers: they go to any address, and texts and calls among them cost. */
export const CARRIER_TESTS_MOST = { most: 10, withinMs: 600_000 } as const;

/*
 * What is kept
 */

/** What an account makes the database keep, and what each costs. What a live trigger needs is not among it. */
export const KEPT_USES = [
  'configuration',
  'test',
  'refusals',
  'closing',
  'other_calls',
  'duty_notices',
  'messages',
] as const;

export type KeptUse = (typeof KEPT_USES)[number];

/**
 * How much of it one account may store: a stock, and how fast it grows back. At all of these together an account grows the
 * database by less than 1 GB a day (test/scenario/account-growth.long.test.ts). And below which part of the floor of the disk it is
 * no longer stored at all: configuration gives way first, live arms, disarms and clears last.
 */
export const KEPT: Readonly<Record<KeptUse, { rate: Rate; partOfFloor: number }>> = {
  /** Bytes of the audit, which keeps each thing as it was and as it became. */
  configuration: { rate: { burst: 100_000_000, perSecond: 1_000 }, partOfFloor: 1 },
  /** Calls to what is in test. */
  test: { rate: { burst: 20_000, perSecond: 0.5 }, partOfFloor: 0.8 },
  /** Rows of the log for calls that were refused. */
  refusals: { rate: { burst: 20_000, perSecond: 1 }, partOfFloor: 0.6 },
  /** Clears and disarms that end an incident, and so let the next one open. Any may, until it is applied. */
  closing: { rate: { burst: 10_000, perSecond: 0.2 }, partOfFloor: 0.3 },
  /** Arms, disarms and clears. */
  other_calls: { rate: { burst: 50_000, perSecond: 3 }, partOfFloor: 0.3 },
  /** Messages planned beyond the first ones of an incident. */
  messages: { rate: { burst: 50_000, perSecond: 0.5 }, partOfFloor: 0 },
  /** Bytes of notices to those who come on duty. */
  duty_notices: { rate: { burst: 5_000_000, perSecond: 100 }, partOfFloor: 0.3 },
};

/** How many messages an incident plans at least, however many its account has planned: live those that are never held back. */
export const MESSAGES_LEAST = { live: 10, test: 1, drill: 1 } as const;

/** The floor of the disk: this part of it, at most so many bytes. */
export const FLOOR = { part: 0.05, most: 2_000_000_000 } as const;

/** How many people a duty names, in all its hours, turns and exceptions. */
export const PEOPLE_OF_DUTY_MOST = 100;

/** How many things of each kind an account may have; of tokens, how many that are good. */
export const THINGS_MOST = {
  location: 10_000,
  contact: 10_000,
  duty: 1_000,
  policy: 10_000,
  alarm: 100_000,
  panic_button: 10_000,
  api_key: 10_000,
  token: 1_000,
} as const;
