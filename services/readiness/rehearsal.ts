import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Pool } from 'pg';
import type { RehearseRequest } from '../../gen/tocsin/console/v1/drills_pb.ts';
import {
  FindCallResponseSchema,
  type GetIncidentResponse,
  GetIncidentResponseSchema,
} from '../../gen/tocsin/incident/v1/incident_pb.ts';
import type { Bus } from '../changes/bus.ts';
import { callView } from '../incident/calls.ts';
import { applyOwnAction } from '../incident/own-action.ts';
import { readIncident } from '../incident/read.ts';
import type { AccountAccess } from '../rpc/auth.ts';
import { say } from '../rpc/reader.ts';
import { findCalls } from '../store/statements/calls.ts';
import type { OwnAction } from '../store/statements/queue.ts';
import type { Store } from '../store/store.ts';
import { transcript } from './rehearsal-lines.ts';
import { type TriggerNow, triggerNow } from './trigger-now.ts';

/** What a rehearsal needs. */
export interface RehearsalOn {
  store: Store;
  /** Wakes a waiting rehearsal. */
  bus: Bus;
  /** Notifies the engine of a stored action. */
  nudge(): void;
}

/**
 * Triggers a source that is in test: a trigger of a person, through the same queue and engine as those of machines,
 * without its false-alarm window (DECISIONS.md "Panic buttons in test", "Test switch flipped while a live one is
 * pending or open"). The transcript is taken before the incident is closed again, because closing cancels what it
 * describes.
 */
export async function rehearse(
  deps: RehearsalOn,
  { accountId, actor }: AccountAccess,
  request: RehearseRequest,
  context: { signal: AbortSignal },
) {
  const { pool } = deps.store;
  const trigger = await triggerNow(deps.store, accountId, request);
  const refusal = refusalOf(trigger);
  if (refusal !== null) throw new ConnectError(refusal, Code.FailedPrecondition);

  const own = { accountId, sourceId: trigger.source.id, actor: actor.name };
  const act = (action: OwnAction) => applyOwnAction({ ...deps, pool }, action, context);
  const traceId = randomUUID();
  const { incidentId } = await act({
    ...own,
    verb: 'trigger',
    traceId,
    incidentId: null,
    mode: trigger.mode,
    environment: 'test',
    windowS: 0,
    // A person may rehearse what the gate would hold; the transcript mentions that.
    onlyWhenArmed: false,
  });

  try {
    const call = await callOf(pool, accountId, traceId);
    const told =
      incidentId === null
        ? null
        : create(GetIncidentResponseSchema, await readIncident(deps.store, accountId, incidentId));
    if (incidentId !== null && !request.keepOpen && isOpenRehearsal(told)) {
      await act({ ...own, verb: 'close', traceId: randomUUID(), incidentId }).catch(closesLater);
    }
    const lines = transcript({ trigger, call: call.call!, told });
    return { call, ...(told === null ? {} : { incident: told }), lines };
  } catch (error) {
    throw untold(traceId, error);
  }
}

/** The action was applied by then: the caller must not be told that nothing was accepted. */
function untold(traceId: string, cause: unknown): ConnectError {
  return new ConnectError(say().rehearsals.unread(traceId), Code.Unavailable, undefined, undefined, cause);
}

/**
 * Returns why a source cannot be rehearsed now, as a sentence; null if it can. In the order in which a person can act
 * on it.
 */
function refusalOf({ source, verdict, mode, environment, open, waiting }: TriggerNow): string | null {
  const { rehearsals } = say();
  const { name } = source;
  if (verdict === 'source_disabled') {
    return source.disabled ? rehearsals.disabled(name) : rehearsals.deactivated(name);
  }
  if (environment === 'live') return rehearsals.live(name, source.kind, source.key);
  if (open === 'live') return rehearsals.liveOpen(name);
  if (waiting === 'live') return rehearsals.liveWaits(name);
  if (verdict === 'mode_missing') {
    return rehearsals.modeMissing(
      name,
      mode,
      source.modes.map(({ id }) => id),
    );
  }
  return null;
}

async function callOf(pool: Pool, accountId: string, traceId: string) {
  const [found] = await findCalls(pool, accountId, traceId);
  if (found === undefined) throw new Error(`The rehearsal ${traceId} was applied and is not in the call log.`);
  const call = callView(found);
  return create(FindCallResponseSchema, { call, calls: [call] });
}

/** A rehearsal that ran into the real thing at the last moment leaves it alone. */
function isOpenRehearsal(told: GetIncidentResponse | null): boolean {
  return told?.incident?.environment === 'test' && told.incident.status === 'open';
}

/** It is stored and will be applied: no reason to withhold the transcript. */
function closesLater(error: unknown): void {
  if (!(error instanceof ConnectError) || error.code !== Code.DeadlineExceeded) throw error;
}
