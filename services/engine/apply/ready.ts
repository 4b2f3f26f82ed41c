import type { QueuedAction } from '../../store/statements/queue.ts';

/** How many queued actions of one source are read at once. */
export const QUEUED_MOST = 500;

/** What of a source is applied now. */
export interface Ready {
  /** In the order in which they were accepted. */
  actions: readonly QueuedAction[];
  /** The same with what people do first: for when not all of it can be applied at once. */
  peopleFirst: readonly QueuedAction[];
  /** When the first action was accepted that has to wait, in milliseconds since 1970; null: none has to. */
  nextAt: number | null;
}

/**
 * What of the queued actions of a source can be applied now. In the order in which it was accepted, with two exceptions: who
 * acknowledges or closes does not wait for another turn behind the calls of machines, and nothing else goes past an action
 * that could not be applied. That one is tried again by itself, when its time has come. `queued`: as it is read, at most
 * QUEUED_MOST.
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

/** Whether somebody acknowledges or closes. */
export function isUrgent({ verb, actor }: Pick<QueuedAction, 'verb' | 'actor'>): boolean {
  return actor !== null && (verb === 'acknowledge' || verb === 'close');
}
