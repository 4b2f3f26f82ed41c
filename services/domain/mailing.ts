import type { ChannelKind } from './delivery.ts';
import type { NoticeKind } from './notice.ts';

/** How many notices of one kind one owner of an account is mailed, and within which time. */
export const MOST_MAILS = { most: 20, withinS: 3600 } as const;

/** How many of them over each other channel: they ring, or cost something. */
const MOST_ELSEWHERE = 5;

/** `last`: the last mail of its kind for now, which says so; `held_back`: only listed in the console. */
export type Mailing = 'goes' | 'last' | 'held_back';

/**
 * Notices that are limited though they are about no incident: hours that change every minute, or keys that fall silent one
 * after the other, would write to somebody as often.
 */
const ALSO_LIMITED: ReadonlySet<NoticeKind> = new Set([
  'duty_begins',
  'duty_changed',
  'blind',
  'blind_together',
  'sender_back',
  'device_added',
  'device_gone',
]);

/**
 * Decides whether a notice (notice.ts) goes out to somebody. A source without a policy may open an incident every minute
 * all day, and would bury other mail. Each kind is limited separately: such a source must not hide that nobody answered
 * elsewhere. Other notices about no incident always go out. `earlier`: how many of its kind in its account went to them
 * over this channel within that time or are about to.
 */
export function mailing(
  { kind, incidentId }: { kind: NoticeKind; incidentId: string | null },
  channel: ChannelKind,
  earlier: number,
): Mailing {
  if (incidentId === null && !ALSO_LIMITED.has(kind)) return 'goes';
  if (channel !== 'email') return earlier < MOST_ELSEWHERE ? 'goes' : 'held_back';
  if (earlier < MOST_MAILS.most - 1) return 'goes';
  return earlier < MOST_MAILS.most ? 'last' : 'held_back';
}
