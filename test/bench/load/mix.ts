import type { CalledAlarm } from '../seed.ts';
import type { Request } from './requests.ts';

/** What a noisy alarm sees: it is armed, triggers again and again, and is disarmed. */
export const NOISY = ['arm/away', ...Array.from({ length: 8 }, () => 'trigger'), 'disarm'];

/** What an alarm sees that stays armed, as one has to that fires only when armed. */
export const STAYS_ARMED = ['arm/away', ...Array.from({ length: 9 }, () => 'trigger')];

/** Nothing but triggers. */
export const TRIGGERS = ['trigger'];

/**
 * Gives every alarm these calls in this order, all alarms in turn and each at another call than its neighbour, so that at any
 * moment all kinds of calls are under way, each to an alarm of its own.
 */
export function mixOf(alarms: readonly CalledAlarm[], calls: readonly string[]): Request[] {
  return calls.flatMap((_, turn) =>
    alarms.map(({ id, apiKey }, n) => ({ apiKey, path: `/v1/alarm/${id}/${calls[(turn + n) % calls.length]}` })),
  );
}
