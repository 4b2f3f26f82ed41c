import { consoleOf } from './console.ts';
import type { World } from './world.ts';

/** The code that a message carries. */
export function codeIn(text: string): string {
  const [code] = /\b[0-9]{6}\b/.exec(text) ?? [];
  if (code === undefined) throw new Error(`There is no code in: ${text}`);
  return code;
}

/**
 * Verifies channels through the door, where no carrier is set up: the operator reads each code in the outbox and tells it
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
