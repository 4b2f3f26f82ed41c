import { randomUUID } from 'node:crypto';
import { copiedContact } from '../domain/alert.ts';
import { clean, NAME_LENGTH } from '../domain/clean.ts';
import type { Via } from '../domain/incident.ts';
import { applyOwnAction } from '../incident/own-action.ts';
import type { RespondingDelivery } from '../store/statements/responder.ts';
import type { ResponderOptions } from './options.ts';

/** An incident and the contact of it who acts. */
export type Acting = Pick<
  RespondingDelivery,
  'account_id' | 'source_id' | 'incident_id' | 'contact_id' | 'copy' | 'closed_at'
>;

/** What came of a wish to take an incident. */
export type TakeOutcome = 'acknowledged' | 'already_acknowledged' | 'already_closed';

/**
 * Takes an incident in the name of a contact, as an action like any other (DECISIONS.md "Acknowledge"). What is taken or
 * over already costs no action: a link may be followed all day. Throws as applyOwnAction does.
 */
export async function takeIncident(
  on: ResponderOptions,
  acting: Acting & { acknowledged_by: string | null },
  via: Via,
  signal: AbortSignal,
): Promise<TakeOutcome> {
  if (acting.closed_at !== null) return 'already_closed';
  if (acting.acknowledged_by !== null) return 'already_acknowledged';
  const action = { ...inTheNameOf(acting), verb: 'acknowledge' as const, via, contact_id: acting.contact_id };
  const { outcome } = await applyOwnAction({ ...on, pool: on.store.pool }, action, { signal });
  return outcome as TakeOutcome;
}

/** Ends an incident in the name of a contact. Otherwise as takeIncident. */
export async function closeIncident(
  on: ResponderOptions,
  acting: Acting,
  signal: AbortSignal,
): Promise<'closed' | 'already_closed'> {
  if (acting.closed_at !== null) return 'already_closed';
  const action = { ...inTheNameOf(acting), verb: 'close' as const };
  const { outcome } = await applyOwnAction({ ...on, pool: on.store.pool }, action, { signal });
  return outcome as 'closed' | 'already_closed';
}

/** The name of the contact who acts, as it is shown to others. */
export function nameOf({ copy, contact_id }: Pick<Acting, 'copy' | 'contact_id'>): string {
  return clean(copiedContact(copy, contact_id)?.name ?? '', NAME_LENGTH);
}

function inTheNameOf(acting: Acting) {
  const { account_id, source_id, incident_id } = acting;
  return { account_id, source_id, incident_id, trace_id: randomUUID(), actor: nameOf(acting) };
}
