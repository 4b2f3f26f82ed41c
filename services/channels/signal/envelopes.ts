import { z } from 'zod';
import { parseAs } from '../http-words.ts';

/** Where signal-cli begins an envelope; in what somebody wrote the quotes would be escaped. */
const BEGINS = /(?=\{"(?:envelope|account|exception)":)/;

/** How many ends of an envelope are tried, from the last one: what stands behind it may have brackets too. */
const ENDS_TRIED = 50;

/**
 * Returns the envelopes of an answer that is no JSON: the server puts between them whatever signal-cli said of its faults. Undefined: there are none.
 */
export function envelopesIn(text: string): unknown[] | undefined {
  const found = text.split(BEGINS).flatMap(envelopeAtStart);
  return found.length === 0 ? undefined : found;
}

function envelopeAtStart(text: string): unknown[] {
  let end = text.lastIndexOf('}');
  for (let nth = 0; nth < ENDS_TRIED && end > 0; nth++) {
    const one = parseAs(z.unknown(), text.slice(0, end + 1));
    if (one !== null) return [one];
    end = text.lastIndexOf('}', end - 1);
  }
  return [];
}
