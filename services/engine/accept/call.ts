import type { SourceKind, Verb } from '../../domain/source.ts';

/** A machine's call, as received. */
export interface Call {
  /** The X-API-Key header; empty if there was none. */
  secret: string;
  kind: SourceKind;
  sourceId: string;
  verb: Verb;
  /** The word in place of the mode; undefined if the call names none. */
  modeWord?: string | undefined;
  traceId: string;
  /** The trace id of the caller's `traceparent` as a UUID; null if there was none, or it is the call's own. */
  parentTraceId: string | null;
  /** Where the call came from, as the facade saw it; only asked now and then. */
  from(): { address: string; agent: string };
}
