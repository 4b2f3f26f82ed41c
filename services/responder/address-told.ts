import { copiedContact } from '../domain/alert.ts';
import { type CopiedAddress, usableAddresses } from '../domain/reach.ts';
import type { Seal } from '../store/seal.ts';
import type { RespondingDelivery } from '../store/statements/responder.ts';

/** Which message of which incident, and to which of its person's addresses it went. */
type Told = Pick<RespondingDelivery, 'contactId' | 'channel' | 'step' | 'slot'> & {
  incident: Pick<RespondingDelivery['incident'], 'copy'>;
};

/** Returns the address to which a message went last, in plain text; null if the person has no such address in this incident. */
export function addressTold(seal: Pick<Seal, 'open'>, told: Told): string | null {
  const addresses = addressesIn(told);
  const slot = slotTold(told);
  const last = addresses.find(one => (one.slot ?? 0) === slot) ?? addresses[0];
  return last === undefined ? null : seal.open(last.address);
}

/** Returns the slot of that address: under way for the first time, a message is with the first one that may be used. */
export function slotTold({ incident, contactId, step, channel, slot }: Told): number {
  const contact = copiedContact(incident.copy, contactId, step) ?? { addresses: [] };
  return slot ?? usableAddresses(contact, channel)[0]?.slot ?? 0;
}

/** Returns all addresses to which a message can have gone, in plain text. */
export function addressesTold(seal: Pick<Seal, 'open'>, told: Omit<Told, 'slot'>): string[] {
  return addressesIn(told).map(({ address }) => seal.open(address));
}

function addressesIn({ incident, contactId, step, channel }: Omit<Told, 'slot'>): CopiedAddress[] {
  const { addresses } = copiedContact(incident.copy, contactId, step) ?? { addresses: [] };
  return addresses.filter(one => one.channel === channel);
}
