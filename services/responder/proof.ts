import { Code, ConnectError } from '@connectrpc/connect';
import { copiedContact } from '../domain/alert.ts';
import { clean, NAME_LENGTH } from '../process/text.ts';
import { inTransaction } from '../store/statement.ts';
import { addProof, proveAddress, readAddresses, tellRing } from '../store/statements/proof.ts';
import type { RepliedIncident, RespondingDelivery } from '../store/statements/responder.ts';
import { addressTold } from './address-told.ts';
import type { ResponderOptions } from './options.ts';

/** The message that somebody answers: its incident, its contact and its channel. */
export type Answered = Pick<RepliedIncident, 'accountId'> &
  Pick<RespondingDelivery, 'contactId' | 'channel' | 'step'> &
  Partial<Pick<RespondingDelivery, 'slot' | 'maybeAt'>> & {
    incident: Pick<RepliedIncident['incident'], 'id' | 'copy'>;
  };

/**
 * Records that the person answered over the address that a message went to (DECISIONS.md "Proof of reach"), whatever
 * becomes of what they asked for: somebody else may have been faster. An address changed since the incident opened is
 * another one and stays unproven, and so is every one where the message may have gone to several. `over`: the address over which they
 * answered, where that is known by itself. Never throws: an answer counts whether or not it can be kept as a proof.
 */
export async function prove(
  { store, seal, log }: Pick<ResponderOptions, 'store' | 'seal' | 'log'>,
  answered: Answered,
  over?: string,
): Promise<void> {
  const { contactId, channel, step, slot = null, maybeAt = [], incident } = answered;
  const contact = copiedContact(incident.copy, contactId, step);
  if (contact === null) return;
  const proof = proofOf(answered);
  try {
    const told = over ?? addressTold(seal, { contactId, channel, step, slot, incident });
    if (told === null || (over === undefined && maybeAt.some(at => at !== slot))) return;
    const address = (await readAddresses(store.pool, proof)).find(sealed => seal.open(sealed) === told);
    if (address === undefined) return;
    await inTransaction(store.pool, async client => {
      if ((await proveAddress(client, proof, address)) === 'other_address') return;
      await addProof(client, proof, { kind: 'answered', contactName: clean(contact.name, NAME_LENGTH) });
    });
  } catch (error) {
    log.error({ err: error, incident: incident.id, channel }, 'an answer could not be kept as a proof of reach');
  }
}

/**
 * Records with the proof whether the message of a drill rang aloud, as the person says on its page. Throws
 * FAILED_PRECONDITION if this message was not answered.
 */
export async function recordRing(
  { store }: Pick<ResponderOptions, 'store'>,
  answered: Answered & Pick<RespondingDelivery, 'ring'>,
  ring: 'aloud' | 'silent',
): Promise<void> {
  if (answered.ring === 'not_asked') {
    throw new ConnectError('This is asked after a drill was answered over this link.', Code.FailedPrecondition);
  }
  const proof = proofOf(answered);
  const contactName = clean(
    copiedContact(answered.incident.copy, answered.contactId, answered.step)?.name ?? '',
    NAME_LENGTH,
  );
  await inTransaction(store.pool, async client => {
    if ((await tellRing(client, proof, ring)) === 'no_proof') return;
    await addProof(client, proof, { kind: `rang_${ring}`, contactName });
  });
}

function proofOf({ accountId, contactId, channel, incident }: Answered) {
  return { accountId, contactId, channel, incidentId: incident.id };
}
