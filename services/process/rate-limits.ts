import { type Allowance, full, type Rate, spend } from './allowance.ts';
import type { CallClass } from './call-class.ts';

/**
 * What one good key may do, and one account with all its keys, whatever door they come to: no honest sender comes near it. An
 * account's console tokens together may do as much once more, so that no camera keeps its owner out.
 */
export const RATES = {
  key: { read: { burst: 100, perSecond: 50 }, action: { burst: 400, perSecond: 200 } },
  account: { read: { burst: 400, perSecond: 200 }, action: { burst: 1_600, perSecond: 800 } },
} as const;

/** What somebody may do of each class. */
export type Rates = Readonly<Record<'read' | 'action', Rate>>;

/** What the triggers of each source have to themselves: nobody else can use it up, not even with the same key. */
const OF_SOURCE = { burst: 20, perSecond: 10 } as const;

/** Triggers of sources that this process has not seen accept one: ids that are made up have no shares of their own. */
const OF_STRAYS = { burst: 100, perSecond: 10 } as const;

/** How many callers are remembered, and how many sources of each; the first that were met go first. */
const CALLERS = 10_000;
const SOURCES = 1_000;

/** A call as the limits see it. */
export interface LimitedCall {
  /** Who is counted: a key, an account. Null: nobody who could be good. */
  of: string | null;
  callClass: CallClass;
  /** The alarm or panic button that it names; null: none. */
  source: { kind: 'alarm' | 'panic'; id: string } | null;
}

/**
 * How much may be asked for (DECISIONS.md "Could not commit, deadline, overload"). Good callers only: what is not known to be
 * good is let through, to be told that it is bad. A panic trigger is never limited.
 */
export interface RateLimits {
  take(call: LimitedCall): 'taken' | 'too_many';
  /** What came of a call: `accepted`, or what its caller is worth. */
  learn(call: Pick<LimitedCall, 'of' | 'source'>, came: 'accepted' | 'good' | 'bad'): void;
}

/** What is left of each limit of one caller. */
interface Left {
  read: Allowance;
  action: Allowance;
  strays: Allowance;
  sources: Map<string, Allowance>;
}

/** `now` in milliseconds, by a clock that never goes back; `onLimited` hears of each call that was too many. */
export function createRateLimits(
  rates: Rates,
  {
    now = () => performance.now(),
    onLimited = () => {},
  }: { now?(): number; onLimited?(callClass: CallClass): void } = {},
): RateLimits {
  const callers = new Map<string, Left>();

  function isWithin(left: Left, { callClass, source }: LimitedCall): boolean {
    const at = now();
    if (callClass === 'trigger' && source !== null) {
      if (source.kind === 'panic') return true;
      const own = left.sources.get(source.id);
      const spent = own === undefined ? spend(left.strays, at, OF_STRAYS) : spend(own, at, OF_SOURCE);
      if (spent === 'within') return true;
    }
    const kind = callClass === 'read' ? 'read' : 'action';
    return spend(left[kind], at, rates[kind]) === 'within';
  }

  return {
    take(call) {
      const left = call.of === null ? undefined : callers.get(call.of);
      if (left === undefined || isWithin(left, call)) return 'taken';
      onLimited(call.callClass);
      return 'too_many';
    },
    learn({ of, source }, came) {
      if (of === null) return;
      if (came === 'bad') return void callers.delete(of);
      const at = now();
      const { sources } = remembered(callers, of, CALLERS, () => ({
        read: full(rates.read, at),
        action: full(rates.action, at),
        strays: full(OF_STRAYS, at),
        sources: new Map(),
      }));
      if (came === 'accepted' && source?.kind === 'alarm') {
        remembered(sources, source.id, SOURCES, () => full(OF_SOURCE, at));
      }
    },
  };
}

/** Where nobody is to be limited: RATE_LIMITS=off. */
export const NO_RATE_LIMITS: RateLimits = { take: () => 'taken', learn() {} };

function remembered<Value>(all: Map<string, Value>, name: string, most: number, make: () => Value): Value {
  const known = all.get(name);
  if (known !== undefined) return known;
  const made = make();
  all.set(name, made);
  if (all.size > most) all.delete(all.keys().next().value!);
  return made;
}
