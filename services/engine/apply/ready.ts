import { PERSONS_VERBS } from '../../domain/action.ts';
import type { QueuedAction } from '../../store/statements/queue.ts';

/** How many queued actions of one source are read at once. */
export const QUEUED_MOST = 500;

/** What of a source to apply now. */
export interface Ready {
  /** In the order in which they were accepted. */
  actions: readonly QueuedAction[];
  /** The same with people's actions first, for when not all of it can be applied at once. */
  peopleFirst: readonly QueuedAction[];
  /** When the first action that has to wait was accepted, in milliseconds since 1970; null if none has to. */
  nextAt: number | null;
}

/**
 * Picks the queued actions of a source that can be applied now, in accepted order with two exceptions: an acknowledge
 * or close does not wait for another turn behind calls of machines, and nothing else overtakes an action that could not
 * be applied. A failed action is retried by itself, when its time has come. `queued`: as read, at most QUEUED_MOST.
 */
export function readyOf(queued: readonly QueuedAction[], now: number): Ready {
  const urgent = queued.filter(isUrgent);
  const others = queued.filter(action => !isUrgent(action));
  const [first, second] = others;
  if (first !== undefined && first.failingSince !== null) {
    const due = first.dueAt <= now;
    const actions = due ? [...urgent, first] : urgent;
    return { actions, peopleFirst: actions, nextAt: (due ? second : first)?.acceptedAt ?? null };
  }
  return {
    actions: queued.toSorted((a, b) => Number(a.id) - Number(b.id)),
    peopleFirst: [...urgent, ...others],
    nextAt: queued.length < QUEUED_MOST ? null : (others.at(-1)?.acceptedAt ?? now),
  };
}

/** Tells whether a person does something to an incident. */
export function isUrgent({ verb, actor }: Pick<QueuedAction, 'verb' | 'actor'>): boolean {
  return actor !== null && (PERSONS_VERBS as readonly string[]).includes(verb);
}
