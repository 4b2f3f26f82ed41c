import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { EntityManager, InferEntity } from '@mikro-orm/postgresql';
import type { GetIncidentRequest, GetIncidentResponseSchema } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import type { TimeToHumanSchema } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import { timeToHuman } from '../domain/time-to-human.ts';
import { invalidField } from '../rpc/fields.ts';
import { nextOf, pageSize, placeOf, tokenAt } from '../rpc/pages.ts';
import { protoTime, timeAt } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import { Delivery, Incident, IncidentEntry } from '../store/entities/incident.ts';
import { isId } from '../store/id.ts';
import type { CallRow } from '../store/statements/call-row.ts';
import { readNow } from '../store/statements/responder.ts';
import type { Store } from '../store/store.ts';
import { callView } from './calls.ts';
import { BEGINNING, type CallsPlace, readCallsOf } from './statements/calls-of-incident.ts';
import { callsView, type ShownCall, timelineView } from './timeline.ts';
import { incidentView } from './view.ts';

/** Reads an incident. Throws NOT_FOUND in the same words for an unknown incident and for one of another account. */
export async function incidentOf(
  em: EntityManager,
  accountId: string,
  id: string,
): Promise<InferEntity<typeof Incident>> {
  const incident = isId(id) ? await em.findOne(Incident, { accountId, id }) : null;
  if (incident === null) throw new ConnectError(say().refusals.noSuch('incident', ''), Code.NotFound);
  return incident;
}

type CallsAsked = Pick<GetIncidentRequest, 'callsPageSize' | 'callsPageToken'>;

/**
 * Reads an incident with everything that happened in it and the first page of its calls, or, with a token, a further
 * page of them (DECISIONS.md "Incidents and escalation"). Throws NOT_FOUND like incidentOf, and INVALID_ARGUMENT for a
 * token of another incident.
 */
export async function readIncident(
  store: Store,
  accountId: string,
  incidentId: string,
  { callsPageSize, callsPageToken }: CallsAsked = { callsPageSize: 0, callsPageToken: '' },
): Promise<MessageInitShape<typeof GetIncidentResponseSchema>> {
  const em = store.orm.em.fork();
  const incident = await incidentOf(em, accountId, incidentId);
  const size = pageSize(callsPageSize, { field: 'callsPageSize', usual: CALLS_USUAL });
  const after = callsPlace(incidentId, callsPageToken);
  const read = readCallsOf(store.pool, accountId, incidentId, size, after ?? BEGINNING);
  if (after !== null) {
    const { calls, next } = await read;
    return {
      incident: incidentView(incident),
      timeline: callsView(calls.map(withView(incident))),
      nextCallsPageToken: callsToken(incidentId, next),
    };
  }
  const within = { accountId, incidentId };
  const [entries, { calls, next }, deliveries, now] = await Promise.all([
    em.find(IncidentEntry, within, { orderBy: { id: 'asc' } }),
    read,
    em.find(Delivery, within, { orderBy: { seq: 'asc' } }),
    readNow(store.pool),
  ]);
  return {
    incident: incidentView(incident),
    timeline: timelineView(incident, entries, calls.map(withView(incident)), deliveries, now),
    timeToHuman: timeToHumanView(incident, entries, deliveries),
    nextCallsPageToken: callsToken(incidentId, next),
  };
}

/** How many triggers that joined an incident are on a page by default. */
const CALLS_USUAL = 200;

/**
 * The end of a page of an incident's calls: the last trigger that joined, the last other call, and how many joined so
 * far.
 */
const CALLS_PLACE = /^([a-z0-9]{32})\/(\d{1,18})\/(\d{1,18})\/(\d{1,9})$/;

function callsToken(incidentId: string, next: CallsPlace | null): string {
  return next === null ? '' : tokenAt([incidentId, next.joined, next.others, next.shown].join('/'));
}

/** Returns null for the first page. */
function callsPlace(incidentId: string, token: string): CallsPlace | null {
  const field = 'callsPageToken';
  const [, of, joined, others, shown] = placeOf(token, CALLS_PLACE, field) ?? [];
  if (of === undefined) return null;
  if (of !== incidentId) throw invalidField(field, say().accepts.tokenOfIncident(nextOf(field)), token);
  return { joined: joined!, others: others!, shown: Number(shown) };
}

/** In an incident its keys are called as they were when they tripped it, as everywhere else in it. */
function withView({ trippedLabels }: InferEntity<typeof Incident>): (row: CallRow) => ShownCall {
  return row => {
    const keyLabel = trippedLabels[row.keySeq ?? -1] ?? row.keyLabel;
    return { row, view: callView({ ...row, keyLabel }) };
  };
}

/** The first acknowledgement counts: whoever is handed an incident, or asked again, acknowledges it once more. */
function timeToHumanView(
  { openedAt, appliedAt }: InferEntity<typeof Incident>,
  entries: readonly InferEntity<typeof IncidentEntry>[],
  deliveries: readonly InferEntity<typeof Delivery>[],
): MessageInitShape<typeof TimeToHumanSchema> {
  const acknowledgements = entries.filter(({ kind }) => kind === 'acknowledged').map(({ at }) => at.getTime());
  const acknowledgedAt = acknowledgements.length === 0 ? null : Math.min(...acknowledgements);
  const moments = timeToHuman(
    { openedAt: openedAt.getTime(), appliedAt: appliedAt.getTime(), acknowledgedAt },
    deliveries.map(({ kind, status, firstAttemptAt, sentAt, deliveredAt }) => ({
      kind,
      status,
      firstAttemptAt: ms(firstAttemptAt),
      sentAt: ms(sentAt),
      deliveredAt: ms(deliveredAt),
    })),
  );
  return {
    acceptedAt: protoTime(moments.acceptedAt),
    appliedAt: protoTime(moments.appliedAt),
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
