import { whomToTell } from '../../domain/follow-up.ts';
import type { FollowUp } from '../../domain/incident.ts';
import { newId } from '../../store/id.ts';
import type { Connection } from '../../store/statement.ts';
import { readReached } from '../../store/statements/follow-up.ts';
import type { DeliveryWrite } from '../../store/statements/write.ts';

/** The messages of follow-ups, due at once. After what they depend on is written, in its transaction. */
export async function planFollowUps(
  on: Connection,
  followUps: readonly { accountId: string; followUp: FollowUp }[],
): Promise<DeliveryWrite[]> {
  if (followUps.length === 0) return [];
  const incidents = followUps.map(({ accountId, followUp }) => ({ accountId, incidentId: followUp.incidentId }));
  const reached = Map.groupBy(await readReached(on, incidents), ({ incidentId }) => incidentId);
  return followUps.flatMap(({ accountId, followUp }) =>
    whomToTell(followUp, reached.get(followUp.incidentId) ?? []).map(({ contactId, channel }) => ({
      accountId,
      id: newId(),
      incidentId: followUp.incidentId,
      kind: followUp.kind,
      round: followUp.ordinal,
      step: 0,
      contactId,
      channel,
      status: 'scheduled' as const,
      reason: null,
      dueAt: followUp.at,
    })),
  );
}
