import { randomUUID } from 'node:crypto';
import { copiedContact } from '../domain/alert.ts';
import type { Via } from '../domain/incident.ts';
import { NOTE_LENGTH } from '../domain/person-moves.ts';
import { applyOwnAction, outcomeOfOwnAction, storeOwnAction, takeMove } from '../incident/own-action.ts';
import type { RateLimit } from '../limits/times.ts';
import { clean, NAME_LENGTH } from '../process/text.ts';
import type { RepliedIncident, RespondingDelivery } from '../store/statements/responder.ts';
import type { ResponderOptions } from './options.ts';

/** An incident and the contact of it who acts. */
export type Acting = RepliedIncident & Pick<RespondingDelivery, 'contactId' | 'step'>;

/** The outcome of an acknowledgement. */
export type AcknowledgeOutcome = 'acknowledged' | 'already_acknowledged' | 'already_closed';

/**
 * Acknowledges an incident on behalf of a contact, as an action like any other (DECISIONS.md "Acknowledge"). Stores no
 * action if it is already acknowledged or closed, because a link may be followed all day. Throws like applyOwnAction.
 */
export async function acknowledgeAs(
  deps: Pick<ResponderOptions, 'store' | 'bus' | 'nudge'>,
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

/**
 * Stores an acknowledgement on behalf of a contact. Returns what waits for its outcome, which throws like acknowledgeAs.
 */
export async function storeAcknowledgement(
  deps: Pick<ResponderOptions, 'store' | 'bus' | 'nudge'>,
  acting: Acting,
  via: Via,
): Promise<(signal: AbortSignal) => Promise<AcknowledgeOutcome>> {
  if (acting.incident.closedAt !== null) return async () => 'already_closed';
  if (acting.incident.acknowledgedBy !== null) return async () => 'already_acknowledged';
  const action = { ...inTheNameOf(acting), verb: 'acknowledge' as const, via, contactId: acting.contactId };
  const on = { ...deps, pool: deps.store.pool };
  await storeOwnAction(on, action);
  return async signal => (await outcomeOfOwnAction(on, action, { signal })).outcome as AcknowledgeOutcome;
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

/**
 * Does what else a contact asks (domain/person-moves.ts), as often as `limit` allows in one incident. `detail`: as that of an Action.
 * Otherwise like acknowledgeAs.
 */
export async function actAs(
  deps: ResponderOptions,
  acting: Acting,
  verb: 'next_step' | 'note' | 'hand_over' | 'decline',
  detail: string,
  { signal, limit }: { signal: AbortSignal; limit: RateLimit },
): Promise<string> {
  if (acting.incident.closedAt !== null) return 'already_closed';
  if ((verb === 'next_step' || verb === 'decline') && acting.incident.acknowledgedBy !== null)
    return 'already_acknowledged';
  // Whoever presses for fun that they cannot keeps nobody else from what they do.
  takeMove(limit, verb === 'decline' ? `${acting.incident.id} ${acting.contactId}` : acting.incident.id);
  const action = { ...inTheNameOf(acting), verb, detail: clean(detail, NOTE_LENGTH), contactId: acting.contactId };
  return (await applyOwnAction({ ...deps, pool: deps.store.pool }, action, { signal })).outcome;
}

/** Returns the name of the acting contact as shown to others. */
export function nameOf({ incident, contactId, step }: Acting): string {
  return clean(copiedContact(incident.copy, contactId, step)?.name ?? '', NAME_LENGTH);
}

function inTheNameOf(acting: Acting) {
  const { accountId, incident } = acting;
  const about = { accountId, sourceId: incident.sourceId, incidentId: incident.id };
  return { ...about, traceId: randomUUID(), actor: nameOf(acting) };
}
