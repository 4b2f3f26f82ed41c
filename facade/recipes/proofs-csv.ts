/** A row of the report of proofs, as a table has it. Times in ISO 8601. */
export interface ProofLine {
  number: string;
  at: string;
  kind: string;
  occasion: string;
  contactName: string;
  contactId: string;
  channel: string;
  askedAt: string;
  afterS: number;
  incidentId: string;
  digest: string;
}

const COLUMNS = [
  ['number', ({ number }) => number],
  ['who', ({ contactName }) => contactName],
  ['channel', ({ channel }) => channel],
  ['occasion', ({ occasion }) => occasion],
  ['result', ({ kind }) => kind],
  ['asked_at', ({ askedAt }) => askedAt],
  ['at', ({ at }) => at],
  ['seconds', ({ kind, afterS }) => (kind === 'answered' ? String(afterS) : '')],
  ['contact_id', ({ contactId }) => contactId],
  ['incident_id', ({ incidentId }) => incidentId],
  ['sha256', ({ digest }) => digest],
] as const satisfies readonly (readonly [string, (line: ProofLine) => string])[];

/** Returns the report as CSV (RFC 4180): a line of names, then one for each row, each with CRLF at its end. */
export function proofsCsv(lines: readonly ProofLine[]): string {
  const rows = [COLUMNS.map(([name]) => name), ...lines.map(line => COLUMNS.map(([, read]) => cell(read(line))))];
  return rows.map(row => `${row.join(',')}\r\n`).join('');
}

/** A name that a spreadsheet would take for a formula gets a quotation mark in front, which it shows to nobody. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
