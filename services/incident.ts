import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { IncidentService } from '../gen/tocsin/incident/v1/incident_pb.ts';
import { accountOf } from './auth.ts';
import { callView, incidentView, timelineView, waitingCallView } from './incident-view.ts';
import { Action, CallLog } from './store/call.ts';
import { isId } from './store/id.ts';
import { Delivery, Incident, IncidentEntry } from './store/incident.ts';
import type { Store } from './store/store.ts';
import { unavailable } from './unavailable.ts';

const PAGE = { most: 200, usual: 50 } as const;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What happened: incidents, their timelines, and what became of each call. Opened by console tokens only. */
export function createIncidentService(store: Store, pepper: string): ServiceImpl<typeof IncidentService> {
  /** Every query of a call goes through here: one account, one forked manager, one way to say that the database is away. */
  async function within<T>(
    context: HandlerContext,
    read: (em: EntityManager, accountId: string) => Promise<T>,
  ): Promise<T> {
    try {
      return await read(store.orm.em.fork(), await accountOf(store, pepper, context));
    } catch (error) {
      return unavailable(error);
    }
  }

  return {
    listIncidents: (request, context) =>
      within(context, async (em, accountId) => {
        const { sourceId, status } = request;
        if (sourceId !== '' && !isId(sourceId))
          throw invalid('source_id', sourceId, 'an id of 32 lower-case letters and digits');
        if (status !== '' && status !== 'open' && status !== 'closed')
          throw invalid('status', status, '"open", "closed" or nothing');
        const size = pageSize(request.pageSize);
        const incidents = await em.find(
          Incident,
          {
            accountId,
            ...(sourceId === '' ? {} : { sourceId }),
            ...(status === '' ? {} : { status }),
            ...before(request.pageToken),
          },
          { orderBy: { openedAt: 'desc', id: 'desc' }, limit: size + 1 },
        );
        const page = incidents.slice(0, size);
        const last = page.at(-1);
        return {
          incidents: page.map(incidentView),
          nextPageToken: incidents.length > size && last ? tokenAfter(last) : '',
        };
      }),

    getIncident: ({ incidentId }, context) =>
      within(context, async (em, accountId) => {
        const incident = isId(incidentId) ? await em.findOne(Incident, { accountId, id: incidentId }) : null;
        if (incident === null) throw new ConnectError('There is no such incident in this account.', Code.NotFound);
        const within = { accountId, incidentId };
        const [entries, calls, deliveries] = await Promise.all([
          em.find(IncidentEntry, within, { orderBy: { id: 'asc' } }),
          em.find(CallLog, within, { orderBy: { id: 'asc' } }),
          em.find(Delivery, within, { orderBy: { dueAt: 'asc', seq: 'asc' } }),
        ]);
        return { incident: incidentView(incident), timeline: timelineView(incident, entries, calls, deliveries) };
      }),

    findCall: ({ traceId }, context) =>
      within(context, async (em, accountId) => {
        if (!UUID.test(traceId))
          throw invalid('trace_id', traceId, 'the traceId of an answer, a UUID of 36 characters');
        // The queue first: a call that is applied in between is then found in the log.
        const waiting = await em.findOne(Action, { accountId, traceId });
        if (waiting !== null) return { call: waitingCallView(waiting) };
        const [logged] = await em.find(CallLog, { accountId, traceId }, { orderBy: { id: 'desc' }, limit: 1 });
        if (logged !== undefined) return { call: callView(logged) };
        throw new ConnectError('No call with this traceId is known in this account.', Code.NotFound);
      }),
  };
}

function pageSize(asked: number): number {
  if (asked === 0) return PAGE.usual;
  if (asked < 1 || asked > PAGE.most) throw invalid('page_size', String(asked), `0 to ${PAGE.most}`);
  return asked;
}

/** A page token is the place after its last incident: when it opened and its id. */
function tokenAfter(last: { openedAt: Date; id: string }): string {
  return Buffer.from(`${last.openedAt.getTime()}/${last.id}`).toString('base64url');
}

function before(token: string) {
  if (token === '') return {};
  const [ms, id] = Buffer.from(token, 'base64url').toString().split('/');
  const openedAt = new Date(Number(ms));
  if (Number.isNaN(openedAt.getTime()) || !isId(id ?? '')) {
    throw invalid('page_token', token, 'the next_page_token of the page before');
  }
  return { $or: [{ openedAt: { $lt: openedAt } }, { openedAt, id: { $lt: id! } }] };
}

function invalid(field: string, got: string, wanted: string): ConnectError {
  return new ConnectError(`${field}: got "${got.slice(0, 64)}", it takes ${wanted}.`, Code.InvalidArgument);
}
