import type { Dice } from './random.ts';
import type { ClockOf } from './world.ts';

/** What kind of life a seed is. */
export interface Plan {
  calls: number;
  /** How much harm is done: the chance that a statement is cut or is its process's last. */
  harm: number;
  clock: ClockOf;
  /** How much one transaction of the engine takes: the product's own measures, or so little that all of them bite. */
  limits: 'own' | 'small';
  /** Whether people acknowledge and close, and owners disable. */
  people: 'some' | 'none';
  /** Where harm goes: anywhere, or to who has just leased or sent something. */
  aim: 'anywhere' | 'in_flight';
  /** What carriers do: mostly work, or fail much. */
  carriers: 'good' | 'bad';
  /** When somebody looks what became of it all: what is open closes by itself after a day. */
  ends: 'that evening' | 'two days later';
  /** Death or a cut after this statement of those run while calls come. */
  dieAt?: number;
  cutAt?: number;
}

/** Decides it by chance. */
export function planOf(dice: Dice): Plan {
  return {
    calls: dice.pick([30, 50, 50, 70]),
    harm: dice.pick([0.005, 0.02, 0.02, 0.05]),
    clock: dice.pick(['nobody', 'nobody', 'nobody', 'keepers']),
    limits: dice.pick(['own', 'own', 'small']),
    people: dice.pick(['some', 'none']),
    aim: dice.pick(['anywhere', 'in_flight']),
    carriers: dice.pick(['good', 'good', 'bad']),
    ends: dice.pick(['that evening', 'that evening', 'two days later']),
  };
}
