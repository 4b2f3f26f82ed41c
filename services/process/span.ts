/** A piece of work on a call that is over. Its attributes hold ids and closed words, nothing of anybody. */
export interface Span {
  /** Such as `GET /v1/alarm/{alarm_id}/trigger`: never with an id in it. */
  name: string;
  /** The trace id of the call, a UUID: the trace's id is the same 16 bytes (DECISIONS.md "traceId"). */
  traceId: string;
  /** The call itself, whose span ends with the last 8 bytes of the trace id, or a part of it. */
  place: 'call' | 'part';
  kind: 'server' | 'client' | 'internal';
  /** Milliseconds since 1970. */
  beganAt: number;
  endedAt: number;
  result: 'ok' | 'failed';
  attributes: Readonly<Record<string, string | number>>;
  /** The `traceparent` that the caller sent (W3C): the call has a trace of its own, linked to it. */
  caller?: string | string[] | undefined;
}

/** Records a span for the collector. Returns at once: what cannot be sent is dropped and counted. */
export type RecordSpan = (span: Span) => void;
