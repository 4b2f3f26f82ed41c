import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql';
import type { ListCallsRequest, ListIncidentsRequest } from '../gen/tocsin/incident/v1/incident_pb.ts';
import { CALL_WORDS, type CallWord } from './call-words.ts';
import { type CallRow, callViews } from './incident-calls.ts';
import { idFilter, pageOf, pageSize, placeOf, timeFilter, wordFilter } from './incident-pages.ts';
import { incidentView } from './incident-view.ts';
import { Action, CallLog } from './store/call.ts';
import { Incident } from './store/incident.ts';

/** A page of incidents ends at the opening time of its last one, in milliseconds since 1970, and its id. */
const INCIDENT_PLACE = /^(-?\d{1,15})\/([a-z0-9]{32})$/;

/** The incidents of an account, newest first (DECISIONS.md "Incident record"). */
export async function listIncidents(em: EntityManager, accountId: string, request: ListIncidentsRequest) {
  const status = wordFilter('status', request.status, ['open', 'closed']);
  const environment = wordFilter('environment', request.environment, ['live', 'test']);
  const after = timeFilter('opened_after', request.openedAfter);
  const before = timeFilter('opened_before', request.openedBefore);
  const size = pageSize(request.pageSize);
  const found = await em.find(
    Incident,
    {
      accountId,
      ...idFilter('source_id', 'sourceId', request.sourceId),
      ...idFilter('location_id', 'locationId', request.locationId),
      ...(status === null ? {} : { status }),
      ...(environment === null ? {} : { environment }),
      $and: [
        ...(after === null ? [] : [{ openedAt: { $gte: after } }]),
        ...(before === null ? [] : [{ openedAt: { $lt: before } }]),
        ...olderIncidents(request.pageToken),
      ],
    },
    { orderBy: { openedAt: 'desc', id: 'desc' }, limit: size + 1 },
  );
  const { page, nextPageToken } = pageOf(found, size, last => `${last.openedAt.getTime()}/${last.id}`);
  return { incidents: page.map(incidentView), nextPageToken };
}

function olderIncidents(token: string) {
  const place = placeOf(token, INCIDENT_PLACE);
  if (place === null) return [];
  const openedAt = new Date(Number(place[1]));
  return [{ $or: [{ openedAt: { $lt: openedAt } }, { openedAt, id: { $lt: place[2]! } }] }];
}

/** A page of calls ends in the queue (`waiting`) or in the log, at this id. */
const CALL_PLACE = /^(waiting|logged)\/(\d{1,18})$/;

/** The calls of an account, newest first: the queue, then the log (DECISIONS.md "Outcome of each call"). */
export async function listCalls(em: EntityManager, accountId: string, request: ListCallsRequest) {
  const outcome = wordFilter('outcome', request.outcome, Object.keys(CALL_WORDS) as CallWord[]);
  const size = pageSize(request.pageSize);
  const place = placeOf(request.pageToken, CALL_PLACE);
  const where = {
    accountId,
    ...idFilter('source_id', 'sourceId', request.sourceId),
    ...idFilter('key_id', 'keyId', request.keyId),
  };
  const older = (kind: CallRow['kind']) => (place?.[1] === kind ? { id: { $lt: place[2]! } } : {});

  /** From one snapshot: a call that is applied between two looks would stand in both or in neither. */
  const found = await em.transactional(
    async em => {
      const calls: CallRow[] = [];
      if ((outcome === null || outcome === 'accepted') && place?.[1] !== 'logged') {
        const order = { orderBy: { id: 'desc' }, limit: size + 1 } as const;
        const rows = await em.find(Action, { ...where, ...older('waiting') }, order);
        calls.push(...rows.map(row => ({ kind: 'waiting' as const, row })));
      }
      if (outcome !== 'accepted' && calls.length <= size) {
        const order = { orderBy: { id: 'desc' }, limit: size + 1 - calls.length } as const;
        const filter = { ...where, ...older('logged'), ...(outcome === null ? {} : { outcome }) };
        calls.push(...(await em.find(CallLog, filter, order)).map(row => ({ kind: 'logged' as const, row })));
      }
      return calls;
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
  );
  const { page, nextPageToken } = pageOf(found, size, ({ kind, row }) => `${kind}/${row.id}`);
  return { calls: await callViews(em, accountId, page), nextPageToken };
}
