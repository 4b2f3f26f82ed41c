import type { ChannelKind } from './delivery.ts';

/** What a row of the report says: that somebody answered or not, and whether it rang aloud. */
export type ProofKind = 'answered' | 'unanswered' | 'rang_aloud' | 'rang_silent';

/** A row of the report of an account. Times in milliseconds since 1970. */
export interface ProofRow {
  /** Counted from 1 in each account, without gaps. */
  id: number;
  at: number;
  kind: ProofKind;
  occasion: 'alarm' | 'drill';
  incidentId: string;
  contactId: string;
  contactName: string;
  channel: ChannelKind;
  /** When the message was first tried. */
  askedAt: number;
}

/** What stands before the first row in place of a digest. */
export const FIRST_DIGEST = '0'.repeat(64);

/**
 * Returns the text whose SHA-256, in hex, is the digest of a row: the digest of the row before (FIRST_DIGEST before the
 * first) and all that the row says, as a JSON array without blanks, times in ISO 8601 (DECISIONS.md "Report of proofs").
 */
export function chained(before: string, row: ProofRow): string {
  const { id, at, kind, occasion, incidentId, contactId, contactName, channel, askedAt } = row;
  const times = [at, askedAt].map(time => new Date(time).toISOString());
  return JSON.stringify([before, id, ...times, kind, occasion, incidentId, contactId, contactName, channel]);
}

/** Returns how long a person took to answer, in whole seconds; null if the row is no answer. */
export function answeredAfterS({ kind, at, askedAt }: Pick<ProofRow, 'kind' | 'at' | 'askedAt'>): number | null {
  return kind === 'answered' ? Math.max(0, Math.round((at - askedAt) / 1000)) : null;
}
