import type { LimitedCall } from '../services/limits/rate-limits.ts';
import { createTally } from '../services/limits/tally.ts';
import type { Caller, Services } from './client.ts';

/** How long calls are counted before the services are told, in milliseconds. */
const COUNTED_MS = 1_000;

/** How many calls are reported by themselves at the same time; further ones are counted. */
const REPORTED_MOST = 20;

/** An action that was turned away before it reached the services. */
export interface TurnedAwayCall {
  caller: Caller;
  /** `arm`, `disarm`, `trigger` or `clear`. */
  verb: string;
  source: LimitedCall['source'];
}

/** Has the services keep what the facade turned away (DECISIONS.md "Limited and shed calls"). */
export interface TurnedAwayCalls {
  /** Answered 429. The first few of each source are reported by themselves, the others by their number. */
  limited(call: TurnedAwayCall): void;
  /** Answered 503. Only counted, as there is too much under way already. */
  shed(call: TurnedAwayCall): void;
  /** Reports what was counted so far. */
  flush(): Promise<void>;
}

/** Nobody waits for a report, and one that fails is dropped: the services know who a key belongs to, and refuse a bad one. */
export function createTurnedAwayCalls(services: Pick<Services, 'checkKey'>): TurnedAwayCalls {
  const [limited, shed] = [createTally<TurnedAwayCall>(), createTally<TurnedAwayCall>()];
  let reporting = 0;
  let counting: NodeJS.Timeout | undefined;

  async function report(refusal: 'limited' | 'shed', { caller, verb, source }: TurnedAwayCall, times: number) {
    reporting++;
    await services.checkKey(caller, { refusal, verb, sourceId: source?.id ?? '', times }).catch(() => {});
    reporting--;
  }

  async function flush(): Promise<void> {
    clearTimeout(counting);
    counting = undefined;
    for (const { one, times } of limited.take()) await report('limited', one, times);
    for (const { one, times } of shed.take()) await report('shed', one, times);
  }

  const soon = () => {
    counting ??= setTimeout(flush, COUNTED_MS).unref();
  };
  const noted = (tally: typeof limited, call: TurnedAwayCall, times?: number) =>
    tally.note(String(call.caller.apiKey), `${call.verb} ${call.source?.id ?? ''}`, call, times);

  return {
    limited(call) {
      if (noted(limited, call, reporting < REPORTED_MOST ? undefined : 1) === 'alone') void report('limited', call, 1);
      else soon();
    },
    shed(call) {
      noted(shed, call, 1);
      soon();
    },
    flush,
  };
}
