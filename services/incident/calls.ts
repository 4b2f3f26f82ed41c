import type { MessageInitShape } from '@bufbuild/protobuf';
import type { CallSchema } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import type { CallRow } from '../store/statements/call-row.ts';
import { explainCall } from '../words/call.ts';

/** Returns a call as its message, with the sentences that its row does not contain. */
export function callView(call: CallRow): MessageInitShape<typeof CallSchema> {
  const { incidentEnvironment: environment, incidentOutcome: outcome } = call;
  return {
    traceId: call.traceId,
    at: protoTime(call.at),
    verb: call.verb,
    sourceId: call.sourceId,
    sourceName: call.sourceName ?? '',
    mode: call.mode ?? '',
    environment: call.environment ?? '',
    outcome: call.outcome,
    times: call.times,
    ...(call.confirmedAt === null ? {} : { confirmedAt: protoTime(call.confirmedAt) }),
    ...(call.appliedAt === null ? {} : { appliedAt: protoTime(call.appliedAt) }),
    incidentId: call.incidentId ?? '',
    keyId: call.keyId ?? '',
    keyLabel: call.keyLabel ?? '',
    actor: call.actor ?? '',
    ...(call.silentSince === null ? {} : { silentSince: protoTime(call.silentSince) }),
    // A trigger with a pending one started or joined it; any other call that refers to one cancelled it.
    cancelledPending: call.verb !== 'trigger' && call.pendingId !== null,
    ...explainCall(say(), {
      verb: call.verb,
      outcome: call.outcome,
      times: call.times,
      by: call.actor ? 'person' : 'machine',
      kind: call.sourceKind ?? 'alarm',
      answer: call.state === 'refused' ? 'refused' : 'taken',
      pending: call.pendingId === null ? 'untouched' : 'touched',
      incident: environment !== null && outcome !== null ? { environment, outcome } : null,
    }),
  };
}
