import type { Attachment, Email, Header } from 'postal-mime';
import { returnedReason, saidInText } from './faults.ts';
import {
  AUTO_REPLY_HEADERS,
  AUTO_REPLY_SUBJECT,
  AUTO_REPLY_TEXT,
  FAILURE_SUBJECT,
  FAILURE_TEXT,
  MAILER_NAME,
  NO_END_SUBJECT,
  NO_END_TEXT,
  ORIGINAL_BEGINS,
} from './report-words.ts';
import { type Fate, type Fields, fateOfStatus, fieldsIn, isStatus, linesOf, NO_END } from './status-fields.ts';

/** Limits for parsing a mail that anybody may have written. */
const LIMITS = { maxNestingDepth: 8, maxHeadersSize: 65_536, forceRfc822Attachments: true };

/** How many mails within a mail are opened, and how deep: somebody may have forwarded a report. */
const MOST_NESTED = 4;
const DEEPEST = 3;

/** How much of a line is read, in characters. */
const LONGEST_LINE = 500;

/** The parts of a report (RFC 3464, RFC 6522; with `global` RFC 6533). */
const STATUS_PART = /^message\/(global-)?delivery[-_]status$/;
const MAIL_PART = /^message\/(rfc822|global)$/;

/** What is sent about a mail that arrived: it was opened (RFC 8098), or called spam (RFC 5965). */
const ARRIVED_PART = /^message\/(global-)?(disposition-notification|feedback-report)$/;

/** The headers in which servers name the address of ours that a mail came to. */
const ADDRESSED =
  /^(to|cc|apparently-to|resent-to|delivered-to|received|envelope-to|x-(original-to|delivered-to|envelope-to|forwarded-to|rcpt-to|real-to))$/;

/** A mail that came back. */
export interface MailReport extends Fate {
  /** Text that contains the reference of the mail, if it is one of ours. */
  names: string;
}

/**
 * Reads a mail that came back (DECISIONS.md "A mail that comes back"). Whatever comes to an address that names a
 * delivery is a failure unless it says that it is a delay, an arrival or an automatic reply. A mail to another address
 * names a delivery only by what it gives back, and only if a mail server wrote it. Returns null if it is unreadable.
 */
export async function readMailReport(source: Uint8Array): Promise<MailReport | null> {
  const mail = await openMail(source);
  if (mail === null) return null;
  const addressed = mail.headers.filter(({ key }) => ADDRESSED.test(key)).map(({ value }) => value);
  const givenBack = isFromMailer(mail) ? [asText(source), ...mail.attached] : [];
  return { names: [...addressed, ...givenBack].join('\n'), ...fateOf(mail) };
}

/** What counts of a mail and of the mails within it. */
interface Opened {
  headers: Header[];
  subject: string;
  /** The types of its parts, and of its own. */
  types: string[];
  /** The fields of its delivery reports. */
  statuses: Fields[];
  /** The lines that the sender wrote, without the original. */
  lines: string[];
  /** Its further parts as text. */
  attached: string[];
}

function fateOf(mail: Opened): Fate {
  const { subject, types, lines } = mail;
  const byStatus = fateOfStatus(mail.statuses);
  if (byStatus !== null) return byStatus;
  if (types.some(type => ARRIVED_PART.test(type))) return NO_END;
  const byMailer = hasMailerSign(mail) ? 'yes' : 'no';
  if (AUTO_REPLY_SUBJECT.test(subject) || (byMailer === 'no' && hasAutoReplyHeader(mail))) return NO_END;
  const byFields = fateOfStatus([fieldsIn(lines)].filter(isStatus));
  if (byFields !== null) return byFields;
  const failed: Fate = { fate: 'given_up', reason: returnedReason('', saidInText(lines, subject)) };
  const bySubject = fateOfSubject(subject);
  if (bySubject !== null) return bySubject === 'no_end' ? NO_END : failed;
  if (/\((warning|return)/i.test(headerOf(mail.headers, 'auto-submitted'))) return NO_END;
  const text = lines.join(' ');
  if (FAILURE_TEXT.test(text)) return failed;
  if (NO_END_TEXT.test(text) || (byMailer === 'no' && AUTO_REPLY_TEXT.test(text))) return NO_END;
  return failed;
}

/**
 * Returns the fate by a subject; null if it says nothing. What stands before a colon goes first: behind it may be the
 * subject of the original, as in `Delivery delayed: Power failure`. A subject that replies is that of the original.
 */
function fateOfSubject(subject: string): Fate['fate'] | null {
  if (/^(re|aw|sv|antw|odp|res)\s*(\[\d+\])?:/i.test(subject)) return null;
  for (const words of [/^[^:]{1,80}(?=:)/.exec(subject)?.[0] ?? '', subject]) {
    if (FAILURE_SUBJECT.test(words)) return 'given_up';
    if (NO_END_SUBJECT.test(words)) return 'no_end';
  }
  return null;
}

/** Tells whether a mail server wrote it: by what it is and who sends it, or by its subject. */
function isFromMailer(mail: Opened): boolean {
  return hasMailerSign(mail) || fateOfSubject(mail.subject) === 'given_up';
}

function hasMailerSign({ headers, types, statuses }: Opened): boolean {
  if (statuses.length > 0 || types.some(type => STATUS_PART.test(type))) return true;
  const value = (key: string) => headerOf(headers, key);
  return (
    /report-type="?delivery-status/i.test(value('content-type')) ||
    value('x-failed-recipients') !== '' ||
    value('x-ms-exchange-message-is-ndr') !== '' ||
    /\(failure/i.test(value('auto-submitted')) ||
    ['from', 'sender', 'return-path'].some(key => MAILER_NAME.test(value(key).slice(0, LONGEST_LINE)))
  );
}

function hasAutoReplyHeader({ headers }: Opened): boolean {
  return headers.some(({ key, value }) =>
    AUTO_REPLY_HEADERS.some(([name, says]) => name.test(key) && says.test(value)),
  );
}

/** Opens a mail. One with parts that cannot be read is read as far as its headers; null if even these cannot be. */
async function openMail(source: Uint8Array): Promise<Opened | null> {
  const whole = await parse(source).catch(() => null);
  if (whole !== null) return open(whole, DEEPEST, { left: MOST_NESTED });
  const text = asText(source).slice(0, LIMITS.maxHeadersSize);
  const end = text.search(/\r?\n\r?\n/);
  const headers = await parse(end === -1 ? text : text.slice(0, end)).catch(() => null);
  if (headers === null) return null;
  return { ...(await open(headers, 0, { left: 0 })), lines: end === -1 ? [] : ownLines(text.slice(end)) };
}

async function open(mail: Email, depth: number, budget: { left: number }): Promise<Opened> {
  const { headers, attachments } = mail;
  const opened: Opened = {
    headers,
    subject: (mail.subject ?? '')
      .replace(/^(\s*(fwd?|wg|tr|rv|i|vb|vs|enc)\s*:)+/i, '')
      .trim()
      .slice(0, LONGEST_LINE),
    types: [headerOf(headers, 'content-type').toLowerCase(), ...attachments.map(({ mimeType }) => mimeType)],
    statuses: attachments
      .filter(({ mimeType }) => STATUS_PART.test(mimeType))
      .map(part => fieldsIn(linesOf(textOf(part)))),
    lines: ownLines(mail.text ?? (mail.html ?? '').replace(/<[^<>]{0,2000}>/g, '\n')),
    attached: attachments.map(textOf),
  };
  for (const part of depth > 0 ? attachments.filter(({ mimeType }) => MAIL_PART.test(mimeType)) : []) {
    if (--budget.left < 0) break;
    const inner = await parse(textOf(part)).catch(() => null);
    if (inner === null) continue;
    const { statuses, types, lines, attached } = await open(inner, depth - 1, budget);
    opened.attached.push(...attached);
    // The original itself has nothing to say about its fate.
    if (statuses.length === 0 && !MAILER_NAME.test(headerOf(inner.headers, 'from'))) continue;
    opened.statuses.push(...statuses);
    opened.types.push(...types);
    opened.lines.push(...lines);
  }
  return opened;
}

/** The package is loaded only where mail is read back, as few deployments have it. */
async function parse(mail: Uint8Array | string): Promise<Email> {
  const { default: PostalMime } = await import('postal-mime');
  return PostalMime.parse(mail, LIMITS);
}

function ownLines(text: string): string[] {
  const lines = linesOf(text).map(cut);
  const original = lines.findIndex(line => ORIGINAL_BEGINS.test(line));
  return original === -1 ? lines : lines.slice(0, original);
}

/** Only whole words stay: half an address would not be known as one. */
function cut(line: string): string {
  return line.length <= LONGEST_LINE ? line : line.slice(0, LONGEST_LINE).replace(/\S+$/, '');
}

function headerOf(headers: readonly Header[], key: string): string {
  return headers.find(header => header.key === key)?.value.trim() ?? '';
}

function textOf({ content }: Attachment): string {
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}

function asText(source: Uint8Array): string {
  return new TextDecoder('latin1').decode(source);
}
