import type { CallClass } from '../process/call-class.ts';
import { createLru, type Lru } from '../process/lru.ts';
import { type Allowance, full, type Rate, spend } from './allowance.ts';
import { OF_SOURCE, OF_STRAYS } from './table.ts';

/** The rate of each class of calls. */
export type Rates = Readonly<Record<'read' | 'action', Rate>>;

/** How many callers are remembered, and how many sources of each. The least recently used are forgotten first. */
const CALLERS = 10_000;
const SOURCES = 1_000;

/** A call as the limits see it. */
export interface LimitedCall {
  /** Who is counted: a key or an account. Null: a caller that cannot be valid. */
  of: string | null;
  callClass: CallClass;
  /** The alarm or panic button that it names; null: none. */
  source: { kind: 'alarm' | 'panic_button'; id: string } | null;
  /** How many reads a read counts as; absent: one. */
  reads?: number;
}

/**
 * Limits how much valid callers may ask for (DECISIONS.md "Could not commit, deadline, overload"). Callers that are not known to
 * be valid pass, and are refused later. A panic trigger is never limited.
 */
export interface RateLimits {
  take(call: LimitedCall): 'taken' | 'too_many';
  /** Records what came of a call: `accepted`, or whether its caller is valid. */
  learn(call: Pick<LimitedCall, 'of' | 'source'>, came: 'accepted' | 'good' | 'bad'): void;
}

/** What is left of each limit of one caller. */
interface Left {
  read: Allowance;
  action: Allowance;
  strays: Allowance;
  sources: Lru<string, Allowance>;
}

/** Creates rate limits. `now` returns milliseconds of a monotonic clock; `onLimited` is called for each call that is refused. */
export function createRateLimits(
  rates: Rates,
  {
    now = () => performance.now(),
    onLimited = () => {},
  }: { now?(): number; onLimited?(callClass: CallClass): void } = {},
): RateLimits {
  const callers = createLru<string, Left>(CALLERS);

  function isWithin(left: Left, { callClass, source, reads = 1 }: LimitedCall): boolean {
    const at = now();
    if (callClass === 'trigger' && source !== null) {
      if (source.kind === 'panic_button') return true;
      const own = left.sources.get(source.id);
      const spent = own === undefined ? spend(left.strays, at, OF_STRAYS) : spend(own, at, OF_SOURCE);
      if (spent === 'within') return true;
    }
    const kind = callClass === 'read' ? 'read' : 'action';
    return spend(left[kind], at, rates[kind], kind === 'read' ? reads : 1) === 'within';
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
      const { sources } = remembered(callers, of, () => ({
        read: full(rates.read, at),
        action: full(rates.action, at),
        strays: full(OF_STRAYS, at),
        sources: createLru(SOURCES),
      }));
      if (came === 'accepted' && source?.kind === 'alarm') {
        remembered(sources, source.id, () => full(OF_SOURCE, at));
      }
    },
  };
}

/** Limits nobody, for RATE_LIMITS=off. */
export const NO_RATE_LIMITS: RateLimits = { take: () => 'taken', learn() {} };

function remembered<Value>(all: Lru<string, Value>, name: string, make: () => Value): Value {
  const known = all.get(name);
  if (known !== undefined) return known;
  const made = make();
  all.set(name, made);
  return made;
}
