import type { SourceKind, Verb } from '../../domain/source.ts';

/** A call of a machine, as it came. */
export interface Call {
  /** The X-API-Key header; empty when there was none. */
  secret: string;
  kind: SourceKind;
  sourceId: string;
  verb: Verb;
  /** The word in the place of the mode; undefined when the call names none. */
  modeWord?: string | undefined;
  traceId: string;
  /** The trace id of the `traceparent` that its caller sent, a UUID; null: none, or one that is its own. */
  parentTraceId: string | null;
  /** Where it came from, as the door saw it; asked only now and then. */
  from(): { address: string; agent: string };
}
