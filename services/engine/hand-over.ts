import { setTimeout } from 'node:timers/promises';
import type { LeasedDelivery } from '../store/delivery-statements.ts';

/**
 * How long messages wait for earlier ones of their incident that another worker has just leased, in milliseconds. It begins them
 * as soon as it knows of its lease; how it fares with them is not waited for.
 */
const OTHERS_BEGIN_MS = 100;

type Message = Pick<LeasedDelivery, 'id' | 'incident_id' | 'not_begun'>;

/** A message's place among those of its incident. */
export interface Place {
  /** Resolves when every earlier one has begun. */
  comes: Promise<unknown>;
  /** This one has begun, or does not go out: the next one may. Twice is fine. */
  passes(): void;
}

/** Keeps the order in which the messages of each incident begin (DECISIONS.md "A step"). */
export interface HandOvers {
  /** Takes the next place. To be called in the stated order. */
  place(message: Message): Place;
  /** What came of it is recorded. */
  end(message: Message): void;
}

/**
 * Lets the messages of an incident begin one after the other on a lane: what is looked up before a message goes out may be there
 * sooner for a later one. No message waits for an answer to another.
 */
export function createHandOvers(): HandOvers {
  const mine = new Set<string>();
  const last = new Map<string, Promise<unknown>>();

  return {
    place({ id, incident_id, not_begun }) {
      mine.add(id);
      const earlier = last.get(incident_id);
      const ofOthers = not_begun.some(other => !mine.has(other)) ? setTimeout(OTHERS_BEGIN_MS) : null;
      const { promise, resolve } = Promise.withResolvers<void>();
      const passed = Promise.all([earlier, ofOthers, promise]).then(() => {
        if (last.get(incident_id) === passed) last.delete(incident_id);
      });
      last.set(incident_id, passed);
      return { comes: Promise.all([earlier, ofOthers]), passes: resolve };
    },
    end: ({ id }) => void mine.delete(id),
  };
}
