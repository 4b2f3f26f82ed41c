import { Code, ConnectError } from '@connectrpc/connect';
import type { Contact, SendVerificationCodeResponse } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import { clean } from '../../services/process/text.ts';
import type { Ask } from './ask.ts';
import { PATIENT, type Rpc } from './rpc.ts';
import type { Session } from './session.ts';
import { keptLines } from './text.ts';

/** Returns the channels of a contact that get no live alerts yet, in their order. */
export function unverified({ channels }: Contact): string[] {
  return channels.filter(({ verifiedAt }) => verifiedAt === undefined).map(({ channel }) => channel);
}

/** What remains to be done for a contact: a command for each channel that is not verified. */
export function verifyLines(contact: Contact): string[] {
  const todo = unverified(contact);
  if (todo.length === 0) return [];
  const commands = [...new Set(todo)].map(channel => `  tocsin contacts verify ${contact.key} ${channel}`);
  return ['', 'Live alerts only go to verified addresses:', ...commands];
}

/** Sends a code. The services wait for the carrier. */
export function sendCode(rpc: Rpc, contactId: string, channel: string): Promise<SendVerificationCodeResponse> {
  return rpc.contacts.sendVerificationCode({ contactId, channel }, PATIENT);
}

/** Formats the result of sending a code. */
export function sentLines(
  { paint }: Pick<Session, 'paint'>,
  to: string,
  answer: SendVerificationCodeResponse,
): string[] {
  const { outcome, detail, keptMessage } = answer;
  if (outcome === 'already_verified') return [paint('green', `Verified already: ${to}.`)];
  const colour = isOnItsWay(answer) === 'on_its_way' ? 'green' : outcome === 'no_carrier' ? 'yellow' : 'red';
  return [
    `${paint(colour, `A code for ${to}: ${outcome.replaceAll('_', ' ')}`)}${detail === '' ? '' : ` (${clean(detail)})`}`,
    ...keptLines(keptMessage),
  ];
}

/** Tells whether somebody can read the code: the person it was sent to, or the operator if there is no carrier. */
export function isOnItsWay({ outcome }: SendVerificationCodeResponse): 'on_its_way' | 'not_sent' {
  return outcome === 'sent' || outcome === 'delivered' ? 'on_its_way' : 'not_sent';
}

/**
 * Asks for the code until it is right, and returns the contact as it is then; null if the person leaves it for later.
 * Throws the services' error once further guesses are pointless: it has expired, or was guessed at too often.
 */
export async function askCode(rpc: Rpc, ask: Ask, contactId: string, channel: string): Promise<Contact | null> {
  for (;;) {
    const code = await ask.text('Enter the six digits of the code (empty: later)', { empty: 'accepted' });
    if (code === '') return null;
    try {
      return (await rpc.contacts.verifyChannel({ contactId, channel, code })).contact!;
    } catch (error) {
      if (!(error instanceof ConnectError) || !canGuessOn(error)) throw error;
      ask.tell(error.rawMessage);
    }
  }
}

function canGuessOn({ code, rawMessage }: ConnectError): boolean {
  return code === Code.InvalidArgument || (code === Code.FailedPrecondition && rawMessage.startsWith('wrong:'));
}
