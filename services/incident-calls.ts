import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { EntityManager, InferEntity } from '@mikro-orm/postgresql';
import type { CallSchema } from '../gen/tocsin/incident/v1/timeline_pb.ts';
import { type ExplainedCall, explainCall } from './call-words.ts';
import { timeAt } from './proto-time.ts';
import { Action, CallLog } from './store/call.ts';
import { Incident } from './store/incident.ts';
import { Source } from './store/source.ts';

type WaitingRow = InferEntity<typeof Action>;
type LoggedRow = InferEntity<typeof CallLog>;
type CallView = MessageInitShape<typeof CallSchema>;

/** A call that is stored and not applied yet, or one that was applied or refused. */
export type CallRow = { kind: 'waiting'; row: WaitingRow } | { kind: 'logged'; row: LoggedRow };

/** The call with this trace id, or null (DECISIONS.md "Outcome of each call"). */
export async function findCall(em: EntityManager, accountId: string, traceId: string): Promise<CallRow | null> {
  // The queue first: a call that is applied in between is then found in the log.
  const waiting = await em.findOne(Action, { accountId, traceId });
  if (waiting !== null) return { kind: 'waiting', row: waiting };
  const [logged] = await em.find(CallLog, { accountId, traceId }, { orderBy: { id: 'desc' }, limit: 1 });
  return logged === undefined ? null : { kind: 'logged', row: logged };
}

/** Calls as messages, in the same order, with the names and sentences that their rows do not hold. */
export async function callViews(em: EntityManager, accountId: string, calls: readonly CallRow[]): Promise<CallView[]> {
  const sourceIds = new Set(calls.map(({ row }) => row.sourceId));
  const incidentIds = new Set(calls.map(({ row }) => row.incidentId).filter(id => id != null));
  const [sources, incidents] = await Promise.all([
    sourceIds.size === 0
      ? []
      : em.find(Source, { accountId, id: { $in: [...sourceIds] } }, { fields: ['name', 'kind'] }),
    incidentIds.size === 0
      ? []
      : em.find(Incident, { accountId, id: { $in: [...incidentIds] } }, { fields: ['environment', 'outcome'] }),
  ]);
  const named = new Map(sources.map(({ id, name, kind }) => [id, { name, kind }]));
  const facts = new Map(incidents.map(({ id, environment, outcome }) => [id, { environment, outcome }]));
  return calls.map(call => ({
    ...(call.kind === 'waiting' ? waitingView(call.row) : loggedView(call.row)),
    ...explainCall({
      ...explained(call),
      kind: named.get(call.row.sourceId)?.kind ?? 'alarm',
      incident: facts.get(call.row.incidentId ?? '') ?? null,
    }),
    sourceName: named.get(call.row.sourceId)?.name ?? '',
  }));
}

function explained(call: CallRow): Omit<ExplainedCall, 'kind' | 'incident'> {
  const by = call.row.actor ? 'person' : 'machine';
  if (call.kind === 'waiting') {
    return { verb: call.row.verb, outcome: 'accepted', by, answer: 'taken', pending: 'untouched' };
  }
  const { verb, outcome, appliedAt, pendingId } = call.row;
  return { verb, outcome, by, answer: appliedAt ? 'taken' : 'refused', pending: pendingId ? 'touched' : 'untouched' };
}

function waitingView(row: WaitingRow): CallView {
  return {
    traceId: row.traceId,
    at: timestampFromDate(row.acceptedAt),
    verb: row.verb,
    sourceId: row.sourceId,
    mode: row.mode ?? '',
    environment: row.environment,
    outcome: 'accepted',
    keyId: row.keyId ?? '',
    actor: row.actor ?? '',
  };
}

function loggedView(row: LoggedRow): CallView {
  return {
    traceId: row.traceId,
    at: timestampFromDate(row.at),
    verb: row.verb,
    sourceId: row.sourceId,
    mode: row.mode ?? '',
    environment: row.environment ?? '',
    outcome: row.outcome,
    ...timeAt('appliedAt', row.appliedAt),
    incidentId: row.incidentId ?? '',
    keyId: row.keyId ?? '',
    actor: row.actor ?? '',
    // A trigger with a pending one began or joined it; whatever else touches one cancels it.
    cancelledPending: row.verb !== 'trigger' && Boolean(row.pendingId),
  };
}
