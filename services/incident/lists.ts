import type { Pool } from 'pg';
import type { ListCallsRequest, ListIncidentsRequest } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import { SHARE_OF_TIME, WHOLE_MOST } from '../limits/table.ts';
import { createTurns } from '../limits/turns.ts';
import { tooManyCalls } from '../rpc/auth.ts';
import { idFilter, timeFilter, wordFilter } from '../rpc/fields.ts';
import { pageOf, pageSize, placeOf, tokenAt } from '../rpc/pages.ts';
import { Incident } from '../store/entities/incident.ts';
import { inTransaction } from '../store/statement.ts';
import type { CallRow } from '../store/statements/call-row.ts';
import { type CallFilter, readLogged } from '../store/statements/calls.ts';
import { readWaiting } from '../store/statements/waiting-calls.ts';
import type { Store } from '../store/store.ts';
import { en } from '../words/en.ts';
import type { CallWord } from '../words/owner/types.ts';
import { callView } from './calls.ts';
import { type IncidentPlace, type IncidentSearch, searchIncidents } from './statements/search.ts';
import { incidentView } from './view.ts';

/** The end of a page of incidents: the opening time of its last one in milliseconds since 1970, and its id. */
const INCIDENT_PLACE = /^(?<ms>-?\d{1,15})\/([a-z0-9]{32})$/;

/** Runs what searches an account, one search at a time, with rests as for what is read whole. Throws RESOURCE_EXHAUSTED. */
export type SearchTurns = <T>(accountId: string, signal: AbortSignal, search: () => Promise<T>) => Promise<T>;

export function createSearchTurns(): SearchTurns {
  const { atOnce, waiting } = WHOLE_MOST.read;
  const turn = createTurns(atOnce, waiting, SHARE_OF_TIME * atOnce - 1);
  return async (accountId, signal, search) => {
    const ended = new AbortController();
    if ((await turn(accountId, ended.signal)) === 'too_many') throw tooManyCalls();
    try {
      // Nobody waits for the answer any more.
      signal.throwIfAborted();
      return await search();
    } finally {
      ended.abort();
    }
  };
}

/** Lists the incidents of an account, newest first (DECISIONS.md "Incident record", "Incidents of whom"). */
export async function listIncidents(
  { store, turns }: { store: Store; turns: SearchTurns },
  accountId: string,
  request: ListIncidentsRequest,
  signal: AbortSignal,
) {
  const own = {
    ...idFilter('sourceId', 'sourceId', request.sourceId),
    ...idFilter('locationId', 'locationId', request.locationId),
  };
  const keyId = idFilter('keyId', 'keyId', request.keyId).keyId ?? null;
  const contactId = idFilter('contactId', 'contactId', request.contactId).contactId ?? null;
  const status = wordFilter('status', request.status, ['open', 'closed']);
  const environment = wordFilter('environment', request.environment, ['live', 'test']);
  const after = timeFilter('openedAfter', request.openedAfter);
  const before = timeFilter('openedBefore', request.openedBefore);
  const size = pageSize(request.pageSize);
  const place = placeOf(request.pageToken, INCIDENT_PLACE);
  if ((keyId ?? contactId) !== null) {
    const search = { sourceId: null, locationId: null, ...own, status, environment, keyId, contactId };
    return await turns(accountId, signal, () => searchedPage(store, accountId, search, { after, before, place }, size));
  }
  const found = await store.orm.em.fork().find(
    Incident,
    {
      accountId,
      ...own,
      ...(status === null ? {} : { status }),
      // Drills are nobody's alarm.
      environment: environment ?? { $ne: 'drill' },
      $and: [
        ...(after === null ? [] : [{ openedAt: { $gte: after } }]),
        ...(before === null ? [] : [{ openedAt: { $lt: before } }]),
        ...olderIncidents(place),
      ],
    },
    { ...NEWEST_FIRST, limit: size + 1 },
  );
  const { page, nextPageToken } = pageOf(found, size, placeIn);
  return { incidents: page.map(incidentView), nextPageToken };
}

const NEWEST_FIRST = { orderBy: { openedAt: 'desc', id: 'desc' } } as const;

function placeIn(last: { openedAt: Date; id: string }): string {
  return `${last.openedAt.getTime()}/${last.id}`;
}

function olderIncidents(place: RegExpExecArray | null) {
  if (place === null) return [];
  const openedAt = new Date(Number(place[1]));
  return [{ $or: [{ openedAt: { $lt: openedAt } }, { openedAt, id: { $lt: place[2]! } }] }];
}

/** Returns a page of what no index finds: it may hold less than was asked for, or nothing, with more on the next one. */
async function searchedPage(
  { orm, pool }: Store,
  accountId: string,
  search: IncidentSearch,
  { after, before, place }: { after: Date | null; before: Date | null; place: RegExpExecArray | null },
  size: number,
) {
  const at = (time: Date | null, none: string): IncidentPlace => ({ openedAt: time?.toISOString() ?? none, id: '' });
  const next = place === null ? null : { openedAt: new Date(Number(place[1])), id: place[2]! };
  const isPast = next !== null && (before === null || next.openedAt < before);
  const within = {
    below: isPast ? { ...next, openedAt: next.openedAt.toISOString() } : at(before, 'infinity'),
    from: at(after, '-infinity'),
  };
  const { found, lookedTo } = await searchIncidents(pool, accountId, search, within, size + 1);
  const tokenPlace = ({ openedAt, id }: IncidentPlace) => placeIn({ openedAt: new Date(openedAt), id });
  const { page, nextPageToken } = pageOf(found, size, tokenPlace);
  // By the places found: a row that is gone by now must not end the list.
  const rows = await orm.em.fork().find(Incident, { accountId, id: { $in: page.map(({ id }) => id) } }, NEWEST_FIRST);
  const goesOn = lookedTo === null ? nextPageToken : tokenAt(tokenPlace(lookedTo));
  return { incidents: rows.map(incidentView), nextPageToken: goesOn };
}

/** The end of a page of calls: among those that wait (`waiting`) or in the log, at this number. */
const CALL_PLACE = /^(waiting|logged)\/(\d{1,18})$/;

const CALL_WORDS = Object.keys(en.owner.calls) as CallWord[];

/** Lists the calls of an account, newest first: those that wait, then the log (DECISIONS.md "Outcome of each call"). */
export async function listCalls(pool: Pool, accountId: string, request: ListCallsRequest) {
  const filter = {
    outcome: wordFilter('outcome', request.outcome, CALL_WORDS),
    sourceId: idFilter('sourceId', 'sourceId', request.sourceId).sourceId ?? null,
    keyId: idFilter('keyId', 'keyId', request.keyId).keyId ?? null,
  };
  const size = pageSize(request.pageSize);
  const place = placeOf(request.pageToken, CALL_PLACE);
  const below = (kind: string) => (place?.[1] === kind ? place[2]! : null);

  /** One snapshot: a call applied between two looks would be in both or in neither. */
  const found = await inTransaction(pool, async client => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const waiting =
      (filter.outcome === null || filter.outcome === 'accepted') && place?.[1] !== 'logged'
        ? (await readWaiting(client, accountId))
            .filter(call => call.environment !== 'drill' && fits(call, filter, below('waiting')))
            .slice(0, size + 1)
        : [];
    if (filter.outcome === 'accepted' || waiting.length > size) return { calls: waiting, lookedTo: null };
    const logged = await readLogged(client, accountId, filter, below('logged'), size + 1 - waiting.length);
    return { calls: [...waiting, ...logged.calls], lookedTo: logged.lookedTo };
  });
  const kindOf = ({ state }: CallRow) => (state === 'waiting' ? 'waiting' : 'logged');
  const { page, nextPageToken } = pageOf(found.calls, size, last => `${kindOf(last)}/${last.id}`);
  // A page may hold less than was asked for, or nothing, with more on the next one.
  const goesOn = found.lookedTo === null ? nextPageToken : tokenAt(`logged/${found.lookedTo}`);
  return { calls: page.map(callView), nextPageToken: goesOn };
}

function fits(call: CallRow, { sourceId, keyId }: CallFilter, below: string | null): boolean {
  if (below !== null && Number(call.id) >= Number(below)) return false;
  return (sourceId === null || call.sourceId === sourceId) && (keyId === null || call.keyId === keyId);
}
