import { ConnectError } from '@connectrpc/connect';
import type { Contact } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import { clean } from '../../services/process/text.ts';
import type { Ask } from './ask.ts';
import type { Session } from './session.ts';
import { askCode, isOnItsWay, sendCode, sentLines, unverified } from './verify.ts';

/**
 * Offers to verify each channel of a contact that is not, and gives the contact as it is then. What does not work out is said
 * and can be done later: the rest of what is set up does not hang on it.
 */
export async function offerVerification(session: Session, ask: Ask, contact: Contact): Promise<Contact> {
  let now = contact;
  for (const channel of unverified(contact)) {
    const question = `Send a code to the ${channel} of ${clean(contact.name)} now? Live alerts go there once it came back.`;
    if ((await ask.confirm(question, 'yes')) === 'no') continue;
    now = (await verifiedNow(session, ask, { contact, channel })) ?? now;
  }
  return now;
}

async function verifiedNow(
  { rpc, io, paint }: Session,
  ask: Ask,
  { contact: { id, name }, channel }: { contact: Contact; channel: string },
): Promise<Contact | null> {
  try {
    const answer = await sendCode(rpc, id, channel);
    const lines = sentLines({ paint }, `the ${channel} of ${clean(name)}`, answer);
    io.stdout.write(`${lines.join('\n')}\n`);
    if (isOnItsWay(answer) === 'not_sent' && answer.keptMessage === '') return null;
    return await askCode(rpc, ask, id, channel);
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    ask.tell(error.rawMessage);
    return null;
  }
}
