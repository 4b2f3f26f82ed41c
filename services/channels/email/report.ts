import type { Attachment, Email, Header } from 'postal-mime';
import { returnedReason } from './faults.ts';
import { REFERENCE_HEADER } from './reference.ts';

/** Limits for parsing a mail that anybody may have written. */
const LIMITS = { maxNestingDepth: 8, maxHeadersSize: 65_536, forceRfc822Attachments: true };

/** How many recipients of a report are read: our mails have one, which may have stood for several. */
const MOST_RECIPIENTS = 20;

/** The parts of a report (RFC 3464, RFC 6522; with `global` RFC 6533). */
const STATUS_PART = /^message\/(global-)?delivery-status$/;
const RETURNED_PART = /^(text\/rfc822-headers|message\/(rfc822|global|global-headers))$/;

/** The headers in which servers name the address of ours that a report was sent to. */
const ADDRESSED = ['to', 'delivered-to', 'x-original-to', 'envelope-to'];

/** A mail server's report on a mail it accepted. */
export interface MailReport {
  /** Text that contains the reference of the mail, if it is one of ours. */
  names: string;
  /** `given_up`: it will never arrive; `no_end`: it is late, was passed on or arrived. */
  fate: 'given_up' | 'no_end';
  /** Why, in words, without anybody's address. Empty unless it was given up. */
  reason: string;
}

/**
 * Reads a delivery status notification (RFC 3464). Returns null if the mail is something else, such as a person's, or
 * unreadable. A report cut off after its status is still understood.
 */
export async function readMailReport(source: Uint8Array): Promise<MailReport | null> {
  try {
    const { headers, attachments } = await parse(source);
    const status = attachments.find(({ mimeType }) => STATUS_PART.test(mimeType));
    if (status === undefined) return null;
    const returned = attachments.find(({ mimeType }) => RETURNED_PART.test(mimeType));
    const failed = (await recipientsOf(status)).find(one => fieldOf(one, 'action').toLowerCase() === 'failed');
    return {
      names: `${headers.filter(({ key }) => ADDRESSED.includes(key)).map(({ value }) => value)} ${await nameIn(returned)}`,
      fate: failed === undefined ? 'no_end' : 'given_up',
      reason: failed === undefined ? '' : returnedReason(fieldOf(failed, 'status'), saidIn(failed)),
    };
  } catch {
    return null;
  }
}

/** The package is loaded only where mail is read back, as few deployments have it. */
async function parse(mail: Uint8Array | string): Promise<Email> {
  const { default: PostalMime } = await import('postal-mime');
  return PostalMime.parse(mail, LIMITS);
}

/** The fields of each recipient: groups separated by an empty line, the first of which is about the report itself. */
async function recipientsOf(status: Attachment): Promise<Header[][]> {
  const [, ...groups] = textOf(status).split(/\r?\n[ \t]*\r?\n/);
  const fields = groups.slice(0, MOST_RECIPIENTS).map(group => parse(group));
  return (await Promise.all(fields)).map(({ headers }) => headers);
}

async function nameIn(returned: Attachment | undefined): Promise<string> {
  if (returned === undefined) return '';
  const { headers } = await parse(textOf(returned));
  return fieldOf(headers, REFERENCE_HEADER.toLowerCase());
}

/** Returns what the recipient's server said, without the kind of server before it (`smtp;`). */
function saidIn(recipient: Header[]): string {
  return fieldOf(recipient, 'diagnostic-code').replace(/^[\w-]+;/, '');
}

function fieldOf(headers: readonly Header[], key: string): string {
  return headers.find(header => header.key === key)?.value.trim() ?? '';
}

function textOf({ content }: Attachment): string {
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}
