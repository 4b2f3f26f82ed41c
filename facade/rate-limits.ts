import { type Allowance, spend } from './allowance.ts';
import { callsLimited } from './metrics.ts';
import type { CallClass } from './overload.ts';

/** What one good key may do: so much at once, and so much a second from then on. No honest sender comes near it. */
const OF_KEY = {
  read: { burst: 100, perSecond: 50 },
  action: { burst: 400, perSecond: 200 },
} as const;

/** What the triggers of each source have to themselves: nobody else can use it up, not even with the same key. */
const OF_SOURCE = { burst: 20, perSecond: 10 } as const;

/** Triggers of sources that this process has not seen accept one: ids that are made up have no shares of their own. */
const OF_STRAYS = { burst: 100, perSecond: 10 } as const;

/** How many keys are remembered, and how many sources of each; the first that were met go first. */
const KEYS = 10_000;
const SOURCES = 1_000;

/** A call as the limits see it. */
export interface LimitedCall {
  /** The X-API-Key header as it came. */
  apiKey: string | string[] | undefined;
  callClass: CallClass;
  /** The alarm or panic button that it names; null: none. */
  source: { kind: 'alarm' | 'panic'; id: string } | null;
}

/**
 * How much may be asked for with each key (DECISIONS.md "Could not commit, deadline, overload"). Good keys only: what is not
 * known to be good is let through, to be told that it is bad. A panic trigger is never limited.
 */
export interface RateLimits {
  take(call: LimitedCall): 'taken' | 'too_many';
  /** What came of a call: `accepted`, or what its key is worth. */
  learn(call: Pick<LimitedCall, 'apiKey' | 'source'>, came: 'accepted' | 'good' | 'bad'): void;
}

/** What is left of each limit of one key. */
interface Left {
  read: Allowance;
  action: Allowance;
  strays: Allowance;
  sources: Map<string, Allowance>;
}

/** `now` in milliseconds, by a clock that never goes back. */
export function createRateLimits(now: () => number = () => performance.now()): RateLimits {
  const keys = new Map<string, Left>();

  function isWithin(left: Left, { callClass, source }: LimitedCall): boolean {
    const at = now();
    if (callClass === 'trigger' && source !== null) {
      if (source.kind === 'panic') return true;
      const own = left.sources.get(source.id);
      const spent = own === undefined ? spend(left.strays, at, OF_STRAYS) : spend(own, at, OF_SOURCE);
      if (spent === 'within') return true;
    }
    const kind = callClass === 'read' ? 'read' : 'action';
    return spend(left[kind], at, OF_KEY[kind]) === 'within';
  }

  return {
    take(call) {
      const left = typeof call.apiKey === 'string' ? keys.get(call.apiKey) : undefined;
      if (left === undefined || isWithin(left, call)) return 'taken';
      callsLimited.inc({ class: call.callClass });
      return 'too_many';
    },
    learn({ apiKey, source }, came) {
      if (typeof apiKey !== 'string') return;
      if (came === 'bad') return void keys.delete(apiKey);
      const at = now();
      const { read, action } = OF_KEY;
      const { sources } = remembered(keys, apiKey, KEYS, () => ({
        read: full(read.burst, at),
        action: full(action.burst, at),
        strays: full(OF_STRAYS.burst, at),
        sources: new Map(),
      }));
      if (came === 'accepted' && source?.kind === 'alarm') {
        remembered(sources, source.id, SOURCES, () => full(OF_SOURCE.burst, at));
      }
    },
  };
}

/** Where nobody is to be limited: RATE_LIMITS=off. */
export const NO_RATE_LIMITS: RateLimits = { take: () => 'taken', learn() {} };

function full(burst: number, at: number): Allowance {
  return { left: burst, countedAt: at };
}

function remembered<Value>(all: Map<string, Value>, name: string, most: number, make: () => Value): Value {
  const known = all.get(name);
  if (known !== undefined) return known;
  const made = make();
  all.set(name, made);
  if (all.size > most) all.delete(all.keys().next().value!);
  return made;
}
