import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { EntityManager, InferEntity } from '@mikro-orm/postgresql';
import type { GetIncidentResponseSchema } from '../gen/tocsin/incident/v1/incident_pb.ts';
import { callViews } from './incident-calls.ts';
import { timelineView } from './incident-timeline.ts';
import { incidentView } from './incident-view.ts';
import { CallLog } from './store/call.ts';
import { isId } from './store/id.ts';
import { Delivery, Incident, IncidentEntry } from './store/incident.ts';

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
  em: EntityManager,
  accountId: string,
  incidentId: string,
): Promise<MessageInitShape<typeof GetIncidentResponseSchema>> {
  const incident = await incidentOf(em, accountId, incidentId);
  const within = { accountId, incidentId };
  const [entries, rows, deliveries] = await Promise.all([
    em.find(IncidentEntry, within, { orderBy: { id: 'asc' } }),
    em.find(CallLog, within, { orderBy: { id: 'asc' } }),
    em.find(Delivery, within, { orderBy: { dueAt: 'asc', seq: 'asc' } }),
  ]);
  const logged = rows.map(row => ({ kind: 'logged' as const, row }));
  const views = await callViews(em, accountId, logged);
  const calls = rows.map((row, index) => ({ row, view: views[index]! }));
  return { incident: incidentView(incident), timeline: timelineView(incident, entries, calls, deliveries) };
}
