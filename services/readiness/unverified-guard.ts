import { Code, ConnectError } from '@connectrpc/connect';
import type { ContactDoc } from '../configuration/resources/contact.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { mayReach } from '../domain/verification.ts';
import { WEB_PUSH_ADDRESS } from '../process/vocabulary.ts';
import { shownDate } from '../process/wall-clock.ts';
import { say } from '../rpc/reader.ts';
import type { Pepper } from '../store/secret.ts';
import type { Connection } from '../store/statement.ts';
import { lockUnverified } from '../store/statements/verification.ts';

/**
 * Counts a drill or a code about to go to an unverified address, over all accounts (DECISIONS.md "Unverified
 * addresses"). Call it inside a transaction. Throws RESOURCE_EXHAUSTED.
 */
export async function countUnverified(
  db: Connection,
  pepper: Pepper,
  accountId: string,
  to: { contact: Pick<ContactDoc, 'key' | 'name'>; channel: ChannelKind; address: string },
): Promise<void> {
  const { contact, channel, address } = to;
  // It goes to browsers alone whose owners asked for it there.
  if (address === WEB_PUSH_ADDRESS) return;
  const { accounts, resetsAt, add } = await lockUnverified(db, pepper, { channel, address }, 'messages');
  if (mayReach(accounts, accountId) === 'address_limit') {
    throw new ConnectError(
      say().codes.addressLimit({ ...contact, channel, resetsAt: shownDate(resetsAt) }),
      Code.ResourceExhausted,
    );
  }
  await add(accountId);
}
