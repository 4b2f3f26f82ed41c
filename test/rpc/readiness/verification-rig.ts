import { onTestFinished } from 'vitest';
import { consoleOf, newOwner } from '../../support/console.ts';
import { type Smtp, startSmtp } from '../../support/smtp.ts';
import { startWorld, type World, type WorldOptions } from '../../support/world.ts';

export async function aMailServer(): Promise<Smtp> {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  return smtp;
}

/** An owner with a contact, Anna, made by the owner's own token: nobody vouches for her addresses. */
export async function anna(options: WorldOptions = {}) {
  const world = await startWorld(options);
  const owner = await newOwner(world, 'The Elms');
  const channels = [
    { channel: 'email', address: 'anna@example.com' },
    { channel: 'text', address: '+12025550111' },
    { channel: 'webhook', address: 'https://example.com/hook' },
  ];
  const { contact } = await owner.console.contacts.createContact({ contact: { name: 'Anna', channels } });
  const contactId = contact!.id;
  const { contacts } = owner.console;
  return {
    world,
    owner,
    contact: contact!,
    contactId,
    contacts,
    operator: consoleOf(world, world.operator, owner.accountId),
    send: (channel = 'email') => contacts.sendVerificationCode({ contactId, channel }),
    tell: (code: string, channel = 'email') => contacts.verifyChannel({ contactId, channel, code }),
    /** Which channels are verified now. */
    async verified() {
      const { contact } = await contacts.getContact({ contactId });
      return contact!.channels.filter(one => one.verifiedAt !== undefined).map(({ channel }) => channel);
    },
  };
}

export async function now(world: World): Promise<number> {
  const [row] = await world.rows<{ ms: string }>('SELECT floor(extract(epoch FROM tocsin_now()) * 1000) AS ms');
  return Number(row!.ms);
}
