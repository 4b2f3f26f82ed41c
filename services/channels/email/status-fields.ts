import { returnedReason } from './faults.ts';

/** The fields of a delivery report, in order; keys in lower case. */
export type Fields = readonly (readonly [key: string, value: string])[];

/** What became of a mail. */
export interface Fate {
  /** `given_up`: it will never arrive; `no_end`: it is late, was passed on or arrived, or somebody's machine replied. */
  fate: 'given_up' | 'no_end';
  /** Why, in words, without anybody's address. Empty unless it was given up. */
  reason: string;
}

export const NO_END: Fate = { fate: 'no_end', reason: '' };

/** How many lines of a text are read. */
const MOST_LINES = 400;

/** The actions that are no failure (RFC 3464 2.3.3). */
const NO_END_ACTION = /^(delayed|delivered|relayed|expanded)\b/i;

/** Returns the fate by the fields of reports; null if there are none about a recipient. A failed one decides. */
export function fateOfStatus(statuses: readonly Fields[]): Fate | null {
  const recipients = statuses.flatMap(recipientsOf);
  if (recipients.length === 0) return null;
  const failed = recipients.find(one => !isNoEnd(one));
  if (failed === undefined) return NO_END;
  return { fate: 'given_up', reason: returnedReason(failed.get('status') ?? '', saidIn(failed)) };
}

function isNoEnd(recipient: ReadonlyMap<string, string>): boolean {
  const action = recipient.get('action') ?? '';
  if (action !== '') return NO_END_ACTION.test(action);
  return /^2/.test(recipient.get('status') ?? '');
}

/** The fields about a recipient. One that comes again begins the next: empty lines stand anywhere, or nowhere. */
const OF_RECIPIENT = /^(final-recipient|action|status|diagnostic-code)$/;

function recipientsOf(fields: Fields): ReadonlyMap<string, string>[] {
  const recipients: Map<string, string>[] = [];
  for (const [key, value] of fields) {
    if (!OF_RECIPIENT.test(key)) continue;
    const last = recipients.at(-1);
    if (last === undefined || last.has(key)) recipients.push(new Map([[key, value]]));
    else last.set(key, value);
  }
  return recipients;
}

/** Returns the fields of a report: lines `Key: value`, the further lines of a value indented. Comments are left out. */
export function fieldsIn(lines: readonly string[]): Fields {
  const fields: [string, string][] = [];
  for (const line of lines) {
    const [, key, value] = /^([A-Za-z][A-Za-z0-9-]{1,40})[ \t]*:(.*)$/.exec(line) ?? [];
    const last = fields.at(-1);
    if (key !== undefined) fields.push([key.toLowerCase(), value!.trim()]);
    else if (last !== undefined && /^[ \t]+\S/.test(line)) last[1] += ` ${line.trim()}`;
  }
  return fields.map(([key, value]) => [key, key === 'action' || key === 'status' ? withoutComments(value) : value]);
}

/** Tells whether fields in a text are those of a report, as some servers write it without a part of its own. */
export function isStatus(fields: Fields): boolean {
  const keys = fields.map(([key]) => key);
  return keys.includes('final-recipient') && (keys.includes('action') || keys.includes('status'));
}

function withoutComments(value: string): string {
  return value.replace(/\([^()]*\)/g, ' ').trim();
}

/** Returns what the recipient's server said, without the kind of server before it (`smtp;`). */
function saidIn(recipient: ReadonlyMap<string, string>): string {
  return (recipient.get('diagnostic-code') ?? '').replace(/^[\w-]+;/, '');
}

/** Returns the lines of a text, of a quoted one without the signs before them. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/, MOST_LINES).map(line => line.replace(/^(> ?){1,4}/, ''));
}
