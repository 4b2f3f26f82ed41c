import { randomUUID } from 'node:crypto';
import { copiedContact } from '../domain/alert.ts';
import type { Via } from '../domain/incident.ts';
import { applyOwnAction } from '../incident/own-action.ts';
import { clean, NAME_LENGTH } from '../process/text.ts';
import type { RepliedIncident, RespondingDelivery } from '../store/statements/responder.ts';
import type { ResponderOptions } from './options.ts';

/** An incident and the contact of it who acts. */
export type Acting = RepliedIncident & Pick<RespondingDelivery, 'contactId'>;

/** The outcome of an acknowledgement. */
export type AcknowledgeOutcome = 'acknowledged' | 'already_acknowledged' | 'already_closed';

/**
 * Acknowledges an incident on behalf of a contact, as an action like any other (DECISIONS.md "Acknowledge"). Stores no
 * action if it is already acknowledged or closed, because a link may be followed all day. Throws like applyOwnAction.
 */
export async function acknowledgeAs(
  deps: ResponderOptions,
  acting: Acting,
  via: Via,
  signal: AbortSignal,
): Promise<AcknowledgeOutcome> {
  if (acting.incident.closedAt !== null) return 'already_closed';
  if (acting.incident.acknowledgedBy !== null) return 'already_acknowledged';
  const action = { ...inTheNameOf(acting), verb: 'acknowledge' as const, via, contactId: acting.contactId };
  const { outcome } = await applyOwnAction({ ...deps, pool: deps.store.pool }, action, { signal });
  return outcome as AcknowledgeOutcome;
}

/** Closes an incident on behalf of a contact. Otherwise like acknowledgeAs. */
export async function closeAs(
  deps: ResponderOptions,
  acting: Acting,
  signal: AbortSignal,
): Promise<'closed' | 'already_closed'> {
  if (acting.incident.closedAt !== null) return 'already_closed';
  const action = { ...inTheNameOf(acting), verb: 'close' as const };
  const { outcome } = await applyOwnAction({ ...deps, pool: deps.store.pool }, action, { signal });
  return outcome as 'closed' | 'already_closed';
}

/** Returns the name of the acting contact as shown to others. */
export function nameOf({ incident, contactId }: Acting): string {
  return clean(copiedContact(incident.copy, contactId)?.name ?? '', NAME_LENGTH);
}

function inTheNameOf(acting: Acting) {
  const { accountId, incident } = acting;
  const about = { accountId, sourceId: incident.sourceId, incidentId: incident.id };
  return { ...about, traceId: randomUUID(), actor: nameOf(acting) };
}
