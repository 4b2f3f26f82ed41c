/** Links of an envelope by their IANA relation name (SPEC.md 2): an absolute URL to a page that explains the fix. */
export interface EnvelopeLinks {
  help?: string;
}

/** Returns the envelope of a 2xx as JSON (SPEC.md 2 "Response envelope"); `data` is JSON already. */
export function successEnvelope(traceId: string, data: string): string {
  return `${openingOf(traceId)}${data}}`;
}

/** Returns the same for data that is in UTF-8 already. */
export function encodedEnvelope(traceId: string, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(openingOf(traceId)), data, Buffer.from('}')]);
}

const openingOf = (traceId: string) =>
  `{"error":false,"message":null,"links":{},"traceId":${JSON.stringify(traceId)},"data":`;

/** Returns the envelope of every other answer except 401, as JSON. `message` is text for a person, never a URL. */
export function failureEnvelope(traceId: string, message: string, links: EnvelopeLinks = {}): string {
  return JSON.stringify({ error: true, message, links, traceId, data: {} });
}
