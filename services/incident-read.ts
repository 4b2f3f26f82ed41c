import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import type { EntityManager, InferEntity } from '@mikro-orm/postgresql';
import type { GetIncidentResponseSchema } from '../gen/tocsin/incident/v1/incident_pb.ts';
import type { TimeToHumanSchema } from '../gen/tocsin/incident/v1/timeline_pb.ts';
import { timeToHuman } from './domain/time-to-human.ts';
import { callView } from './incident-calls.ts';
import { timelineView } from './incident-timeline.ts';
import { incidentView } from './incident-view.ts';
import { timeAt } from './proto-time.ts';
import { isId } from './store/id.ts';
import { Delivery, Incident, IncidentEntry } from './store/incident.ts';
import { readNow } from './store/responder-statements.ts';
import { readCallsOf } from './store/statements/calls.ts';
import type { Store } from './store/store.ts';

/** The same words for an incident that is not there and for one of another account. */
export async function incidentOf(
  em: EntityManager,
  accountId: string,
  id: string,
): Promise<InferEntity<typeof Incident>> {
  const incident = isId(id) ? await em.findOne(Incident, { accountId, id }) : null;
  if (incident === null) throw new ConnectError('There is no such incident in this account.', Code.NotFound);
  return incident;
}

/** An incident with its whole timeline (DECISIONS.md "Incidents and escalation"). Throws NOT_FOUND as incidentOf. */
export async function readIncident(
  { orm, pool }: Store,
  accountId: string,
  incidentId: string,
): Promise<MessageInitShape<typeof GetIncidentResponseSchema>> {
  const em = orm.em.fork();
  const incident = await incidentOf(em, accountId, incidentId);
  const within = { accountId, incidentId };
  const [entries, rows, deliveries, now] = await Promise.all([
    em.find(IncidentEntry, within, { orderBy: { id: 'asc' } }),
    readCallsOf(pool, accountId, incidentId),
    em.find(Delivery, within, { orderBy: { seq: 'asc' } }),
    readNow(pool),
  ]);
  const calls = rows.map(row => ({ row, view: callView(row) }));
  return {
    incident: incidentView(incident),
    timeline: timelineView(incident, entries, calls, deliveries, now),
    timeToHuman: timeToHumanView(incident, deliveries),
  };
}

function timeToHumanView(
  { openedAt, appliedAt, acknowledgedAt }: InferEntity<typeof Incident>,
  deliveries: readonly InferEntity<typeof Delivery>[],
): MessageInitShape<typeof TimeToHumanSchema> {
  const moments = timeToHuman(
    { openedAt: openedAt.getTime(), appliedAt: appliedAt.getTime(), acknowledgedAt: ms(acknowledgedAt) },
    deliveries.map(({ kind, status, firstAttemptAt, sentAt, deliveredAt }) => ({
      kind,
      status,
      firstAttemptAt: ms(firstAttemptAt),
      sentAt: ms(sentAt),
      deliveredAt: ms(deliveredAt),
    })),
  );
  return {
    acceptedAt: timestampFromMs(moments.acceptedAt),
    appliedAt: timestampFromMs(moments.appliedAt),
    ...momentAt('firstAttemptAt', moments.firstAttemptAt),
    ...momentAt('firstSentAt', moments.firstSentAt),
    ...momentAt('firstDeliveredAt', moments.firstDeliveredAt),
    ...momentAt('acknowledgedAt', moments.acknowledgedAt),
  };
}

function ms(time: Date | null | undefined): number | null {
  return time?.getTime() ?? null;
}

function momentAt<Field extends string>(field: Field, moment: number | null) {
  return timeAt(field, moment === null ? null : new Date(moment));
}
