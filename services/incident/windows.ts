import { randomUUID } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Pool } from 'pg';
import type {
  CallOffRequest,
  ListWindowsResponseSchema,
  WindowSchema,
} from '../../gen/tocsin/incident/v1/incident_pb.ts';
import type { Bus } from '../changes/bus.ts';
import { compareToSeen, windowName } from '../domain/pending.ts';
import { trippedBy } from '../domain/tripped.ts';
import { isUuid } from '../rpc/auth.ts';
import { idFilter, invalidField } from '../rpc/fields.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import { applyOwnAction } from './own-action.ts';
import { readWindows, type WindowRow } from './statements/windows.ts';

/*
 * False-alarm windows: what is about to alert people, and the way out (DECISIONS.md "Calling off").
 */

/** The greatest number of triggers that a request can name. */

/** Returns what of an account, or of one of its alarms, waits in its window, at most `limit` of it. Throws INVALID_ARGUMENT. */
export async function listWindows(
  pool: Pool,
  { accountId, sourceId }: { accountId: string; sourceId: string },
  limit: number,
): Promise<MessageInitShape<typeof ListWindowsResponseSchema>> {
  const rows = await readWindows(pool, { accountId, ...idFilter('sourceId', 'sourceId', sourceId) }, limit);
  return { windows: rows.map(windowView), total: rows[0]?.total ?? 0 };
}

function windowView(row: WindowRow): MessageInitShape<typeof WindowSchema> {
  return {
    sourceId: row.sourceId,
    sourceName: row.sourceName,
    locationName: row.locationName,
    mode: row.mode,
    environment: row.environment,
    alertsAt: protoTime(row.dueAt),
    alertsInMs: Math.max(0, Math.round(row.dueAt - row.now)),
    triggerCount: row.triggerCount,
    trippedBy: trippedBy(row.trippedKeys, row.trippedLabels),
    traceId: row.traceId,
    senders: row.trippedKeys.length,
  };
}

/**
 * Calls off what `actor` saw waiting: the trigger that its end goes by, and how many devices had tripped it. Returns what became of it.
 * What waits no longer, or waits as something else than was seen, is not asked of the engine. Throws INVALID_ARGUMENT, and
 * DEADLINE_EXCEEDED as applyOwnAction does.
 */
export async function callOff(
  on: { pool: Pool; bus: Bus; nudge(): void },
  {
    accountId,
    actor,
    sourceId: named,
    traceId: seen,
    senders,
  }: { accountId: string; actor: string } & Pick<CallOffRequest, 'sourceId' | 'traceId' | 'senders'>,
  context: { signal: AbortSignal },
): Promise<{ outcome: string; incidentId: string }> {
  const { id: sourceId } = idFilter('sourceId', 'id', named);
  if (sourceId === undefined) throw invalidField('sourceId', say().accepts.id, named);
  if (!isUuid(seen.toLowerCase())) throw invalidField('traceId', say().accepts.traceId, seen);
  const detail = windowName(seen.toLowerCase(), senders);
  const [waits] = await readWindows(on.pool, { accountId, sourceId }, 1);
  if (waits === undefined) return { outcome: 'nothing_waits', incidentId: '' };
  const isThat = compareToSeen(waits, detail);
  if (isThat !== 'seen') return { outcome: isThat === 'another' ? 'another_waits' : isThat, incidentId: '' };
  const { environment } = waits;
  const action = { accountId, actor, sourceId, detail, environment, incidentId: null, traceId: randomUUID() };
  const { outcome, incidentId } = await applyOwnAction(on, { ...action, verb: 'call_off' }, context);
  return { outcome, incidentId: incidentId ?? '' };
}
