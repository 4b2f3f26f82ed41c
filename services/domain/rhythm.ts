/*
 * How regularly a key is heard, and what supervision fits it (DECISIONS.md "Supervised senders"). What is kept is a
 * count of gaps by their length, always of the same size, which is written together with the life of the key.
 */

import { SUPERVISION_S } from './supervision.ts';

/** The ends of the lengths that gaps are counted by, in seconds: a gap belongs to the first that is not shorter. */
export const GAP_ENDS_S = [
  60, 90, 130, 190, 260, 330, 460, 640, 930, 1_300, 1_860, 2_700, 3_660, 5_400, 7_300, 11_000, 14_500, 22_000, 43_500,
  86_700, 173_000, 604_800,
] as const;

/** How many gaps are counted before each count is halved, so that what a device did long ago loses its weight. */
export const GAPS_MOST = 5_000;

/** How long calls are learned from before anything is proposed, in milliseconds, and from how many gaps. */
const LEARN_MS = 86_400_000;
const LEARN_GAPS = 12;

/** Calls are regular if gaps hardly ever take longer than so many times the usual one. */
const REGULAR_TIMES = 10;

/** The least that is proposed, in seconds, and what is for a client that keeps a socket open. */
const PROPOSED_LEAST_S = 300;
const WITH_SOCKET_S = 900;

/** What is known of when a key is heard. Times are milliseconds since 1970. */
export interface Rhythm {
  /** How many gaps there were of each of GAP_ENDS_S; null: none yet. */
  gaps: readonly number[] | null;
  gapsSince: number | null;
  /** The last proof of life, and the last by a socket. */
  aliveAt: number | null;
  socketAt: number | null;
}

/**
 * Returns the supervision that fits how a key was heard so far, in seconds: 15 minutes for one with a live socket, else
 * three times the gap that 99 of 100 stay below, at least 5 minutes. 0: not enough is known, or it calls irregularly.
 */
export function proposedSupervision({ gaps, gapsSince, aliveAt, socketAt }: Rhythm, now: number): number {
  if (gapsSince === null || aliveAt === null || now - gapsSince < LEARN_MS) return 0;
  if (socketAt !== null && now - socketAt < LEARN_MS) return WITH_SOCKET_S;
  if (gaps === null || total(gaps) < LEARN_GAPS) return 0;
  const [usual, longest] = [gapBelow(gaps, 0.5), gapBelow(gaps, 0.99)];
  if (longest > REGULAR_TIMES * usual) return 0;
  const fits = Math.min(SUPERVISION_S.most, Math.max(PROPOSED_LEAST_S, 3 * longest));
  // A key that has been silent for longer than that is not proposed to be supervised: it is probably not used any more.
  return now - aliveAt > fits * 1_000 ? 0 : roundUp(fits);
}

/** Returns the length that the given share of gaps stays below, in seconds. */
export function gapBelow(gaps: readonly number[], share: number): number {
  const wanted = Math.ceil(total(gaps) * share);
  let seen = 0;
  for (const [place, count] of gaps.entries()) {
    seen += count;
    if (seen >= wanted) return GAP_ENDS_S[place] ?? SUPERVISION_S.most;
  }
  return SUPERVISION_S.most;
}

function total(gaps: readonly number[]): number {
  return gaps.reduce((sum, count) => sum + count, 0);
}

/** Whole minutes below an hour, then whole quarters of an hour: nobody reads 990 seconds. */
function roundUp(seconds: number): number {
  const step = seconds <= 3_600 ? 60 : 900;
  return Math.min(SUPERVISION_S.most, Math.ceil(seconds / step) * step);
}
