import { type Console, consoleOf } from './console.ts';
import type { Smtp } from './smtp.ts';
import type { World } from './world.ts';

/** The code that a message carries. */
export function codeIn(text: string): string {
  const [code] = /\b[0-9]{6}\b/.exec(text) ?? [];
  if (code === undefined) throw new Error(`There is no code in: ${text}`);
  return code;
}

/** Any code but this one; another one for each `by`. */
export function wrongCode(code: string, by = 1): string {
  return String((Number(code) + by) % 1_000_000).padStart(6, '0');
}

/** Verifies the email of a contact as its owner does: by the code in the mail that it was sent. */
export async function verifiedByMail(
  { contacts }: Pick<Console, 'contacts'>,
  smtp: Smtp,
  { contactId, address }: { contactId: string; address: string },
): Promise<void> {
  await contacts.sendVerificationCode({ contactId, channel: 'email' });
  const { subject = '' } = await smtp.next(({ envelope }) => envelope.to.includes(address));
  await contacts.verifyChannel({ contactId, channel: 'email', code: codeIn(subject) });
}

/**
 * Verifies channels through the door, where no carrier is set up: the operator reads each code and tells it
 * back. `channels` null: all that the contact has.
 */
export async function verified(
  world: Pick<World, 'rpcUrl' | 'operator'>,
  { accountId, contactId, channels = null }: { accountId: string; contactId: string; channels?: string[] | null },
): Promise<void> {
  const { contacts } = consoleOf(world, world.operator, accountId);
  const { contact } = await contacts.getContact({ contactId });
  for (const channel of channels ?? contact!.channels.map(one => one.channel)) {
    const { outcome, keptMessage } = await contacts.sendVerificationCode({ contactId, channel });
    if (outcome !== 'already_verified') await contacts.verifyChannel({ contactId, channel, code: codeIn(keptMessage) });
  }
}
