import type { ReturnedMailbox } from '../channels/channel.ts';
import type { ResponderOptions } from './options.ts';
import { recordNews } from './progress.ts';

/**
 * Returns the look function of a loop that reads the mailbox for returned mail, one mail at a time (DECISIONS.md
 * "Returned mail"). A bounce counts like any carrier's report, and is marked as read once it is recorded. Throws if it
 * could not be recorded; the mail is read again then. Two processes may read one mailbox, because nothing counts twice.
 */
export function createReturnedLook(
  deps: Pick<ResponderOptions, 'store' | 'carriers' | 'log' | 'scheduled' | 'reported'>,
  mailbox: Pick<ReturnedMailbox, 'next'>,
): () => Promise<'now' | { inMs: number }> {
  return async () => {
    const { mail, inMs } = await mailbox.next();
    if (mail === null) return { inMs };
    const { news, deliveryId: delivery, attempt } = mail;
    const outcome = news.kind === 'fault' ? (await recordNews(deps, mail, news, null)).outcome : 'nothing';
    deps.log.info({ delivery, attempt, outcome }, 'a mail server reported on a mail that it had accepted');
    await mail.done();
    return 'now';
  };
}
