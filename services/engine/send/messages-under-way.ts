import type { IncidentCopy } from '../../domain/alert.ts';
import type { LeasedDelivery } from '../../store/statements/delivery.ts';

type Reaching = Pick<LeasedDelivery, 'accountId' | 'contactId' | 'id'> & {
  incident: { copy: Pick<IncidentCopy, 'sourceKind'> };
};

/** How many messages of alarms, and of panic buttons, each person is being sent on a channel, beyond those recorded. */
export interface MessagesUnderWay {
  count(message: Reaching): number;
  begin(message: Reaching): void;
  /** The result is recorded. Has no effect for a message that did not begin. */
  end(message: Reaching): void;
}

/**
 * Counts what this process is sending: messages to one person that are due at the same moment must know of each other
 * (DECISIONS.md "Throttle of repeats").
 */
export function createMessagesUnderWay(): MessagesUnderWay {
  const byPerson = new Map<string, Set<string>>();
  const personOf = ({ accountId, contactId, incident }: Reaching) =>
    `${accountId}/${contactId}/${incident.copy.sourceKind}`;

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
