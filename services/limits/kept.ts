import { createLru } from '../process/lru.ts';
import { type Allowance, draw, full } from './allowance.ts';
import type { Disk, DiskSpace } from './disk.ts';
import { KEPT, type KeptUse, THINGS_MOST } from './table.ts';

/** How many accounts are remembered, by what they stored lately. The least recently used is forgotten first. */
const REMEMBERED = 10_000;

/**
 * Whether something may be stored. `disk_low`: the disk of the database keeps what it has for what matters more;
 * `too_much`: the account has stored too much of it lately.
 */
export type KeptVerdict = 'taken' | 'disk_low' | 'too_much';

/**
 * Bounds what each account makes the database keep (DECISIONS.md "What an account may store", "The last of the disk").
 * What a live trigger needs is never asked for here.
 */
export interface Kept {
  /** Takes `amount` of what the account may store, in the unit of the use; absent: one. */
  take(accountId: string, use: KeptUse, amount?: number): KeptVerdict;
  /** Gives back one that was taken and then not needed. */
  giveBack(accountId: string, use: KeptUse): void;
  /** Returns how much of it the account has left now; below zero where a large piece took more. */
  left(accountId: string, use: KeptUse): number;
  /** Returns after how many seconds an account that has stored too much may store more. */
  growsBackS(accountId: string, use: KeptUse): number;
  /** How many things of a kind an account may have. */
  thingsMost(kind: keyof typeof THINGS_MOST): number;
  /** The disk of the database; null where it is not known. */
  space(): DiskSpace | null;
}

/**
 * `times`: how many times the usual amounts an account may store (ACCOUNT_LIMITS); `off`: any amount, but what the disk
 * has no room for. Each process counts for itself. `now` returns milliseconds of a monotonic clock.
 */
export function createKept(deps: { disk: Pick<Disk, 'room' | 'space'>; times: number | 'off'; now?(): number }): Kept {
  const { disk, times, now = () => performance.now() } = deps;
  const accounts = createLru<string, Map<KeptUse, Allowance>>(REMEMBERED);

  function allowanceOf(accountId: string, use: KeptUse): Allowance {
    const of = accounts.get(accountId) ?? new Map<KeptUse, Allowance>();
    accounts.set(accountId, of);
    const known = of.get(use) ?? full(rateOf(use), now());
    of.set(use, known);
    return known;
  }

  function rateOf(use: KeptUse) {
    const { burst, perSecond } = KEPT[use].rate;
    return times === 'off'
      ? { burst: Number.POSITIVE_INFINITY, perSecond: 0 }
      : { burst: burst * times, perSecond: perSecond * times };
  }

  function left(accountId: string, use: KeptUse): number {
    if (times === 'off') return Number.POSITIVE_INFINITY;
    const allowance = allowanceOf(accountId, use);
    draw(allowance, now(), rateOf(use), 0);
    return allowance.left;
  }

  return {
    left,
    space: disk.space,
    thingsMost: kind => THINGS_MOST[kind] * (times === 'off' ? Number.POSITIVE_INFINITY : times),
    growsBackS: (accountId, use) => Math.ceil(Math.max(0, 1 - left(accountId, use)) / rateOf(use).perSecond),
    giveBack(accountId, use) {
      if (times !== 'off') allowanceOf(accountId, use).left += 1;
    },
    take(accountId, use, amount = 1) {
      if (disk.room(use) === 'none') return 'disk_low';
      if (times === 'off') return 'taken';
      return draw(allowanceOf(accountId, use), now(), rateOf(use), amount) === 'within' ? 'taken' : 'too_much';
    },
  };
}

/** Bounds nothing: for what the product itself stores at a start. */
export const KEEP_ALL: Kept = {
  take: () => 'taken',
  giveBack() {},
  left: () => Number.POSITIVE_INFINITY,
  growsBackS: () => 0,
  thingsMost: () => Number.POSITIVE_INFINITY,
  space: () => null,
};
