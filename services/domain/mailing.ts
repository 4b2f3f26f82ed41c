/** How many notices of one kind about incidents are mailed to the owner of one account, and within which time. */
export const MOST_MAILS = { most: 20, withinS: 3600 } as const;

/** `last`: the last mail of its kind for now, which says so; `held_back`: only listed in the console. */
export type Mailing = 'goes' | 'last' | 'held_back';

/**
 * Decides whether a notice (notice.ts) is mailed. A source without a policy may open an incident every minute all day,
 * and would bury other mail. Each kind is limited separately: such a source must not hide that nobody answered
 * elsewhere. Notices about no incident are always mailed. `earlier`: how many of its kind in its account went out
 * within that time or are about to.
 */
export function mailing(incidentId: string | null, earlier: number): Mailing {
  if (incidentId === null || earlier < MOST_MAILS.most - 1) return 'goes';
  return earlier < MOST_MAILS.most ? 'last' : 'held_back';
}
