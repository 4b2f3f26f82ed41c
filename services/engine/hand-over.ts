import type { LeasedDelivery } from '../store/statements/delivery.ts';

/** A message's place among those of its incident. */
export interface Place {
  /** Resolves when every earlier one has begun. */
  comes: Promise<unknown>;
  /** This one has begun, or does not go out: the next one may. Twice is fine. */
  passes(): void;
}

/**
 * Gives the messages of each incident on a lane their places, so that they begin in the stated order (DECISIONS.md "A step"): what is
 * looked up before a message goes out may be there sooner for a later one. To be asked in that order. No message waits for an
 * answer to another. Where two processes share the messages of an incident, the order between the two holds but for moments.
 */
export function createHandOvers(): (message: Pick<LeasedDelivery, 'incident_id'>) => Place {
  const last = new Map<string, Promise<unknown>>();

  return ({ incident_id }) => {
    const earlier = last.get(incident_id);
    const { promise, resolve } = Promise.withResolvers<void>();
    const passed = Promise.all([earlier, promise]).then(() => {
      if (last.get(incident_id) === passed) last.delete(incident_id);
    });
    last.set(incident_id, passed);
    return { comes: Promise.resolve(earlier), passes: resolve };
  };
}
