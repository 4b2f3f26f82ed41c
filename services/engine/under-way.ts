import type { LeasedDelivery } from '../store/statements/delivery.ts';

type Reaching = Pick<LeasedDelivery, 'account_id' | 'contact_id' | 'id'>;

/** How many messages each person is being sent on a lane, beyond those that are recorded as sent. */
export interface UnderWay {
  count(message: Reaching): number;
  begin(message: Reaching): void;
  /** What came of it is recorded. Of one that did not begin, nothing changes. */
  end(message: Reaching): void;
}

/**
 * Counts what goes out of this process: of messages to one person that are due at the same moment, each has to know of those
 * before it (DECISIONS.md "Throttle of repeats").
 */
export function createUnderWay(): UnderWay {
  const byPerson = new Map<string, Set<string>>();
  const personOf = ({ account_id, contact_id }: Reaching) => `${account_id}/${contact_id}`;

  return {
    count: message => byPerson.get(personOf(message))?.size ?? 0,
    begin(message) {
      const person = personOf(message);
      byPerson.set(person, (byPerson.get(person) ?? new Set()).add(message.id));
    },
    end(message) {
      const person = personOf(message);
      const messages = byPerson.get(person);
      messages?.delete(message.id);
      if (messages?.size === 0) byPerson.delete(person);
    },
  };
}
