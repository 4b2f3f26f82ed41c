import type { ReturnedMailbox } from '../channels/channel.ts';
import type { ResponderOptions } from './options.ts';
import { recordNews } from './progress.ts';

/**
 * Gives the look for a loop that reads the mailbox for returned mail, one mail at a time (DECISIONS.md "Returned mail"): what it tells
 * counts as what any carrier tells, and is marked as read once it is recorded. Throws where it could not be recorded: the mail
 * comes again then. Two that read one mailbox do no harm, because nothing counts twice.
 */
export function createReturnedLook(
  on: Pick<ResponderOptions, 'store' | 'log' | 'scheduled'>,
  mailbox: Pick<ReturnedMailbox, 'next'>,
): () => Promise<'now' | { inMs: number }> {
  return async () => {
    const { mail, inMs } = await mailbox.next();
    if (mail === null) return { inMs };
    const { news, deliveryId: delivery, attempt } = mail;
    const outcome = news.kind === 'fault' ? (await recordNews(on, mail, news)).outcome : 'nothing';
    on.log.info({ delivery, attempt, outcome }, 'a mail server told of a mail that it had taken');
    await mail.done();
    return 'now';
  };
}
