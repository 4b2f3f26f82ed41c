/** Returns numbers from 0 to below 1, the same ones for the same seed. */
export type Random = () => number;

/** Creates them (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** What a life decides by chance. */
export interface Dice {
  /** From 0 to below 1. */
  roll: Random;
  pick<T>(of: readonly T[]): T;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  chance(of: number): boolean;
}

/** Creates the dice of a seed. */
export function diceOf(seed: number): Dice {
  const roll = randomOf(seed);
  return {
    roll,
    pick: of => of[Math.floor(roll() * of.length)]!,
    between: (least, most) => least + Math.floor(roll() * (most - least + 1)),
    chance: of => roll() < of,
  };
}
