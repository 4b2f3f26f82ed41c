import type { AskedUnit } from '../../store/statements/journal.ts';
import type { ConfirmedUnit } from '../../store/statements/went-back.ts';
import type { StoredGroup } from './accept.ts';

/** For how long a confirmed call is remembered, in milliseconds (DECISIONS.md "The database went back"). */
const REMEMBERED_MS = 120_000;

/** How many are, at most: about 40 megabytes, and two minutes of 400 calls a second. The oldest are forgotten first. */
const REMEMBERED_MOST = 50_000;

/** The calls of one source in a group that was confirmed. `at`: the deployment's time, milliseconds since 1970. */
export interface Remembered extends ConfirmedUnit {
  at: number;
  unit: AskedUnit;
}

/** The groups that were confirmed lately, in that order. */
export interface ConfirmedMemory {
  remember(group: StoredGroup): void;
  forget(units: readonly Remembered[]): void;
  /** A unit of the last group; null if there is none. */
  last(): Remembered | null;
  /** All of them, the oldest first. */
  units(): Remembered[];
}

/** `now` counts milliseconds. */
export function createConfirmedMemory(now: () => number = () => performance.now()): ConfirmedMemory {
  let groups: { rememberedAt: number; calls: number; units: Remembered[] }[] = [];
  /** What is before it is forgotten: to move all of them for each that goes would cost more than all else here. */
  let first = 0;
  let calls = 0;
  const forgotten = new WeakSet<Remembered>();

  function forgetOld(): void {
    const oldest = now() - REMEMBERED_MS;
    while (first < groups.length && (groups[first]!.rememberedAt < oldest || calls > REMEMBERED_MOST)) {
      calls -= groups[first++]!.calls;
    }
    if (first > groups.length / 2) {
      groups = groups.slice(first);
      first = 0;
    }
  }

  return {
    remember({ number, at, units }) {
      const ofGroup = units.reduce((sum, { unit }) => sum + unit[3].length, 0);
      groups.push({
        rememberedAt: now(),
        calls: ofGroup,
        units: units.map(unit => ({
          number,
          at,
          sourceSeq: unit.sourceSeq,
          traceId: unit.unit[3][0]![0],
          unit,
        })),
      });
      calls += ofGroup;
      forgetOld();
    },
    forget(units) {
      for (const unit of units) forgotten.add(unit);
    },
    last() {
      forgetOld();
      return first === groups.length ? null : groups.at(-1)!.units[0]!;
    },
    units() {
      forgetOld();
      return groups.slice(first).flatMap(group => group.units.filter(unit => !forgotten.has(unit)));
    },
  };
}
