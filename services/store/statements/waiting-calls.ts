import type { SourceKind } from '../../domain/source.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import type { CallRow } from './call-row.ts';
import { actionsOf, type Group, type WaitingAction } from './journal.ts';

/** How many of the newest waiting calls are searched: in the queue, and groups in the journal. */
const WAITING = { queued: 1_000, groups: 500 } as const;

const groupsStatement: Statement<Group> = {
  name: 'waiting_groups',
  text: `
SELECT g.id::float8 AS id, (extract(epoch FROM g.at) * 1000)::float8 AS at, g.calls
FROM waiting_group g WHERE EXISTS (
  SELECT FROM json_array_elements(g.calls) u JOIN source s ON s.seq = (u ->> 0)::bigint WHERE s.account_id = $1
) AND ($3 = '' OR strpos(g.calls::text, $3) > 0)
ORDER BY g.id DESC LIMIT $2`,
};

const ofSourcesStatement: Statement<Group> = {
  name: 'waiting_groups_of_sources',
  text: `
SELECT g.id::float8 AS id, (extract(epoch FROM g.at) * 1000)::float8 AS at, g.calls
FROM waiting_group g WHERE EXISTS (
  SELECT FROM json_array_elements(g.calls) u WHERE (u ->> 0)::bigint = ANY ($1::bigint[])
)
ORDER BY g.id`,
};

/** Returns the waiting groups that contain calls of these sources, by number, in order. They contain others too. */
export function readWaitingGroups(db: Connection, sourceSeqs: readonly number[]): Promise<Group[]> {
  return run(db, ofSourcesStatement, [numbers(sourceSeqs)]);
}

const queuedStatement: Statement<WaitingAction> = {
  name: 'waiting_actions',
  text: `
SELECT q.id::text AS id, q.source_seq::float8 AS "sourceSeq", q.verb, q.mode, q.environment, q.trace_id AS "traceId",
  q.parent_trace_id AS "parentTraceId", q.key_seq::float8 AS "keySeq", q.actor, (extract(epoch FROM q.silent_since) * 1000)::float8 AS "silentSince", (extract(epoch FROM q.accepted_at) * 1000)::float8 AS "acceptedAt",
  (extract(epoch FROM q.confirmed_at) * 1000)::float8 AS "confirmedAt"
FROM queued_action q WHERE q.account_id = $1 AND ($3 = '' OR $3 IN (q.trace_id::text, q.parent_trace_id::text))
ORDER BY q.id DESC LIMIT $2`,
};

const namesStatement: Statement<{ seq: number; id: string; name: string; kind: SourceKind }> = {
  name: 'sources_by_number',
  text: `SELECT seq::float8 AS seq, id, name, kind FROM source WHERE account_id = $1 AND seq = ANY ($2::bigint[])`,
};

const keysStatement: Statement<NumberedKey> = {
  name: 'keys_by_number',
  text: 'SELECT seq::float8 AS seq, id, label FROM api_key WHERE account_id = $1 AND seq = ANY ($2::bigint[])',
};

interface NumberedKey {
  seq: number;
  id: string;
  label: string;
}

/**
 * Returns the accepted calls of an account that wait to be applied, newest first; with `traceId` only those with this
 * trace id, their own or from their traceparent.
 */
export async function readWaiting(db: Connection, accountId: string, traceId = ''): Promise<CallRow[]> {
  const groups = await run(db, groupsStatement, [accountId, WAITING.groups, traceId]);
  const queued = await run(db, queuedStatement, [accountId, WAITING.queued, traceId]);
  const actions = [...queued, ...groups.flatMap(actionsOf)].filter(
    action => traceId === '' || action.traceId === traceId || action.parentTraceId === traceId,
  );
  if (actions.length === 0) return [];
  const sources = await run(db, namesStatement, [accountId, numbers(actions.map(({ sourceSeq }) => sourceSeq))]);
  const keys = await run(db, keysStatement, [accountId, numbers(actions.flatMap(({ keySeq }) => keySeq ?? []))]);
  const sourceOf = new Map(sources.map(source => [source.seq, source]));
  const keyOf = new Map(keys.map(key => [key.seq, key]));
  return actions
    .flatMap((action): CallRow[] => {
      const source = sourceOf.get(action.sourceSeq);
      // A group holds calls of many accounts.
      if (source === undefined) return [];
      return [waitingRow(action, source, keyOf.get(action.keySeq ?? -1) ?? null)];
    })
    .sort((a, b) => Number(b.id) - Number(a.id));
}

function numbers(seqs: readonly number[]): string {
  return `{${[...new Set(seqs)].join()}}`;
}

function waitingRow(
  action: WaitingAction,
  source: { id: string; name: string; kind: SourceKind },
  key: NumberedKey | null,
): CallRow {
  const { id, traceId, acceptedAt, confirmedAt, verb, mode, environment, actor, silentSince = null } = action;
  return {
    id,
    state: 'waiting',
    outcome: 'accepted',
    times: 1,
    traceId,
    at: acceptedAt,
    confirmedAt,
    appliedAt: null,
    verb,
    mode,
    environment,
    sourceId: source.id,
    sourceName: source.name,
    sourceKind: source.kind,
    keyId: key?.id ?? null,
    keySeq: key?.seq ?? null,
    keyLabel: key?.label ?? null,
    actor,
    silentSince,
    pendingId: null,
    incidentId: null,
    incidentEnvironment: null,
    incidentOutcome: null,
  };
}
