import { whomToTell } from '../../domain/follow-up.ts';
import type { FollowUp } from '../../domain/incident.ts';
import { newId } from '../../store/id.ts';
import type { Connection } from '../../store/statement.ts';
import { readReached } from '../../store/statements/follow-up.ts';
import type { DeliveryInsert } from '../../store/statements/write.ts';

/** The messages of follow-ups, due at once. After what they depend on is written, in its transaction. */
export async function planFollowUps(
  on: Connection,
  followUps: readonly { accountId: string; followUp: FollowUp }[],
): Promise<DeliveryInsert[]> {
  if (followUps.length === 0) return [];
  const reached = Map.groupBy(
    await readReached(
      on,
      followUps.map(({ accountId, followUp }) => ({ account_id: accountId, incident_id: followUp.incidentId })),
    ),
    ({ incidentId }) => incidentId,
  );
  return followUps.flatMap(({ accountId, followUp }) =>
    whomToTell(followUp, reached.get(followUp.incidentId) ?? []).map(({ contactId, channel }) => ({
      account_id: accountId,
      id: newId(),
      incident_id: followUp.incidentId,
      kind: followUp.kind,
      round: followUp.ordinal,
      step: 0,
      contact_id: contactId,
      channel,
      status: 'scheduled' as const,
      reason: null,
      due_at: new Date(followUp.at).toISOString(),
    })),
  );
}
