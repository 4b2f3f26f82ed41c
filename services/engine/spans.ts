import type { AttemptOutcome } from '../domain/delivery.ts';
import type { Span } from '../process/span.ts';
import type { LeasedDelivery } from '../store/statements/delivery.ts';
import type { Written } from './apply/write-decided.ts';

/** From when a call was accepted until it was applied. */
export function spanOfApplied({ outcome, traceId, incidentId }: Written['applied'][number], tookMs: number): Span {
  const ended = { 'tocsin.outcome': outcome, ...(incidentId === null ? {} : { 'tocsin.incident': incidentId }) };
  return { ...partOf(traceId, tookMs), name: 'apply', kind: 'internal', result: resultOf(outcome), attributes: ended };
}

/** From when a message was handed to its carrier until that answered. */
export function spanOfAttempt(delivery: LeasedDelivery, outcome: AttemptOutcome['kind'], tookMs: number): Span {
  const { id, kind, channel, round, step, attempt, incident } = delivery;
  return {
    ...partOf(incident.traceId, tookMs),
    name: `send ${channel}`,
    kind: 'client',
    result: resultOf(outcome),
    attributes: {
      'tocsin.channel': channel,
      'tocsin.outcome': outcome,
      'tocsin.purpose': kind,
      'tocsin.round': round,
      'tocsin.step': step,
      'tocsin.attempt': attempt,
      'tocsin.incident': incident.id,
      'tocsin.delivery': id,
    },
  };
}

/** A part of a call that has just ended. */
function partOf(traceId: string, tookMs: number): Pick<Span, 'traceId' | 'place' | 'beganAt' | 'endedAt'> {
  const endedAt = Date.now();
  return { traceId, place: 'part', beganAt: endedAt - tookMs, endedAt };
}

function resultOf(outcome: string): Span['result'] {
  return ['failed', 'temporary_fault', 'permanent_fault'].includes(outcome) ? 'failed' : 'ok';
}
