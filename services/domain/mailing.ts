/** How many notices of one kind about incidents are mailed to the owner of one account within how long. */
export const MOST_MAILS = { most: 20, withinS: 3600 } as const;

/** `last`: the last mail of its kind for now, which says so; `held_back`: it is only listed. */
export type Mailing = 'goes' | 'last' | 'held_back';

/**
 * Whether a notice (notice.ts) is mailed. A source that nobody gave a policy may open an incident a minute all day, and a
 * mailbox that it has filled hides the rest. Each kind by itself: such a source must not silence that nobody answered
 * elsewhere. What is about no incident is always mailed. `earlier`: how many of its kind in its account went out within that
 * time or are about to.
 */
export function mailing(incidentId: string | null, earlier: number): Mailing {
  if (incidentId === null || earlier < MOST_MAILS.most - 1) return 'goes';
  return earlier < MOST_MAILS.most ? 'last' : 'held_back';
}
