import { copiedContact } from '../domain/alert.ts';
import type { Seal } from '../store/seal.ts';
import type { RespondingDelivery } from '../store/statements/responder.ts';

/** Returns the address to which a message went, in plain text; null if the person has no such address in this incident. */
export function addressTold(
  seal: Pick<Seal, 'open'>,
  { contactId, channel, step, incident }: Pick<RespondingDelivery, 'contactId' | 'channel' | 'step' | 'incident'>,
): string | null {
  const { addresses } = copiedContact(incident.copy, contactId, step) ?? { addresses: [] };
  const told = addresses.find(one => one.channel === channel)?.address;
  return told === undefined ? null : seal.open(told);
}
