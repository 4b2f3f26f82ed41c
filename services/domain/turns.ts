import type { ChannelKind } from './delivery.ts';

/**
 * How many messages one process sends at once over each channel. Webhooks and pushes go to hosts that owners name, many
 * of which may hang; a waiting socket costs little. Few mail servers accept more than fifty connections from one
 * client, and Telegram takes about thirty messages a second.
 */
export const AT_ONCE: Record<ChannelKind, number> = {
  text: 64,
  call: 64,
  email: 48,
  push: 256,
  chat: 16,
  webhook: 256,
};

/** Returns how many of the mails sent at once may be notices to owners; at least one. */
export function placesForNotices(emailAtOnce: number): number {
  return Math.max(1, Math.floor(emailAtOnce / 8));
}

/** Returns how many of the messages that a channel sends at once may belong to incidents; at least one. */
export function placesForAlerts(kind: ChannelKind, atOnce: number): number {
  return kind === 'email' ? Math.max(1, atOnce - placesForNotices(atOnce)) : atOnce;
}

/**
 * Tells whether a holder of `held` places may take one more while `free` are left: only as many as others could still
 * take. A single holder gets half of all places; n that want more than there are get 1/(n+1) each. So the same share
 * stays free for the next one, and no quota has to be configured.
 */
export function mayTake(held: number, free: number): boolean {
  return held < free;
}

/**
 * The ways in which an account's messages are sent; each has a share of its own. `first`: the first messages of its
 * incidents, newest first, so that an incident that opens now does not wait behind ten thousand others of its account.
 * `others`: all that are not failing, first ones included, oldest first, so that none waits forever. `failing`: those
 * tried on after two failed attempts (delivery.ts FAILING_AFTER), newest first, so that a carrier that is away for a day
 * takes places from nobody, and whatever matters most goes first when it is back.
 */
export const WAYS = ['first', 'others', 'failing'] as const;

export type Way = (typeof WAYS)[number];

/** How many messages of an account are due. */
export interface Queue {
  accountId: string;
  /** First messages of incidents. */
  first: number;
  /** Messages tried on after two failed attempts; absent: none. */
  failing?: number;
  /** All messages, first and failing ones included. */
  all: number;
}

/** How many messages of an account are to be sent now. */
export interface Turn {
  accountId: string;
  first: number;
  others: number;
  failing: number;
}

/** What is known about an account's way when places are shared out. */
export interface Standing {
  /** How many places it holds. */
  held(accountId: string, way: Way): number;
  /** When it last had a turn: a number that grows from turn to turn; 0 if not recently. */
  lastTurn(accountId: string, way: Way): number;
}

/**
 * Shares out `free` places one by one: to the way that holds fewest; among equals, to the one whose last turn is
 * longest ago; then in the order of `due`. Ends when everything due has a place or nobody may take another (`mayTake`).
 */
export function takeTurns(free: number, due: readonly Queue[], { held, lastTurn }: Standing): Turn[] {
  const turns = due.map(queue => ({ queue, turn: { accountId: queue.accountId, first: 0, others: 0, failing: 0 } }));
  const lines = turns
    .flatMap(({ queue, turn }) =>
      WAYS.map(way => ({
        way,
        turn,
        holds: held(queue.accountId, way),
        last: lastTurn(queue.accountId, way),
        isEmpty: () => turn[way] >= leftFor(way, queue, turn),
      })),
    )
    .sort((one, other) => one.last - other.last);
  for (let level = 0; mayTake(level, free); level++) {
    for (const line of lines) {
      if (line.holds !== level || line.isEmpty()) continue;
      if (!mayTake(level, free)) break;
      line.turn[line.way]++;
      line.holds++;
      free--;
    }
  }
  return turns.map(({ turn }) => turn).filter(({ first, others, failing }) => first + others + failing > 0);
}

/** Returns how many messages a way has at most: what goes as a first message no longer goes among the others. */
function leftFor(way: Way, { first, failing = 0, all }: Queue, turn: Turn): number {
  switch (way) {
    case 'first':
      return first;
    case 'others':
      return all - failing - turn.first;
    case 'failing':
      return failing;
  }
}
