import type { NodemailerError } from 'nodemailer';
import type { AttemptOutcome } from '../../domain/delivery.ts';
import { clean } from '../../process/text.ts';

/** How much of a server's text is kept, in characters. */
const TEXT_LENGTH = 200;

/** What went wrong where the server did not say it itself, by the mailer's code. */
const BY_MAILER: Record<string, string> = {
  ECONNECTION: 'the mail server closed the connection',
  ESOCKET: 'the mail server could not be reached',
  EDNS: 'the name of the mail server could not be looked up',
  ETIMEDOUT: 'the mail server did not answer in time',
  ETLS: 'no encrypted connection to the mail server came about',
  EAUTH: 'the mail server refused the login of SMTP_URL',
  ENOAUTH: 'the mail server wants a login: put one into SMTP_URL',
};

/** Faults without a code of the server that the same message would meet again. */
const PERMANENT = ['EENVELOPE', 'EMESSAGE', 'ENOAUTH', 'ECONFIG'];

/** What subject and detail of an enhanced code say (RFC 3463), whether it begins with 4 or 5. First match counts. */
const BY_ENHANCED_CODE: readonly [RegExp, string][] = [
  [/^[45]\.1\.[016]$/, 'no such mailbox'],
  [/^[45]\.(1\.2|1\.10|4\.4)$/, 'no such mail domain'],
  [/^[45]\.2\.1$/, 'mailbox switched off'],
  [/^[45]\.2\.2$/, 'mailbox full'],
  [/^[45]\.(2\.3|3\.4)$/, 'the message is too big for the mail server'],
  [/^4\.7\.\d+$/, 'the mail server asked to come back later'],
  [/^5\.7\.\d+$/, 'refused as spam or by policy'],
];

/** What a basic code says where there is no enhanced one (RFC 5321 4.2.3), as servers use them. */
const BY_CODE: ReadonlyMap<number, string> = new Map([
  [421, 'the mail server is not available'],
  [450, 'the mail server asked to come back later'],
  [451, 'the mail server had a fault of its own'],
  [452, 'the mail server has no room'],
  [530, 'the mail server wants a login: put one into SMTP_URL'],
  [552, 'mailbox full'],
]);

/**
 * The outcome of a send that failed. The server's own code decides (RFC 5321 4.2.1): 4xx is temporary, 5xx permanent;
 * without one, a connection that failed or took too long is temporary. The reason begins with words of the tables above and
 * carries the server's own text after a colon.
 */
export function faultOutcome(error: unknown): AttemptOutcome {
  const fault: Partial<NodemailerError> = error instanceof Error ? error : {};
  const { code = '', responseCode, response, message = '' } = fault;
  const permanent = responseCode === undefined ? PERMANENT.includes(code) : responseCode >= 500;
  return {
    kind: permanent ? 'permanent_fault' : 'temporary_fault',
    reason: `${wordsOf(fault)}: ${serverText(response ?? message)}`,
  };
}

function wordsOf({ code = '', responseCode, response = '', command = '' }: Partial<NodemailerError>): string {
  const byMailer = BY_MAILER[code];
  // A server that says why it closes a connection is believed.
  const saidWhy = code === 'ECONNECTION' && responseCode !== undefined;
  if (byMailer !== undefined && !saidWhy) return byMailer;
  if (responseCode === undefined) return 'the message was not sent';
  const enhanced = /^\d{3}[ -]([45]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  const known = wordsOfEnhanced(enhanced ?? '');
  if (known !== undefined) return known;
  // Only about a recipient: after the text of a message it means anything.
  if (responseCode === 550 && command === 'RCPT TO') return 'no such mailbox';
  const unknown = responseCode >= 500 ? 'the mail server refused it' : 'the mail server did not take it for now';
  return BY_CODE.get(responseCode) ?? unknown;
}

function wordsOfEnhanced(code: string): string | undefined {
  return BY_ENHANCED_CODE.find(([pattern]) => pattern.test(code))?.[1];
}

/**
 * Why a mail came back that a server had taken: the words for the status of the report (RFC 3464 2.3.4), and what the server
 * said, or that status where it said nothing.
 */
export function returnedReason(status: string, said: string): string {
  const code = /^[45]\.\d{1,3}\.\d{1,3}/.exec(status)?.[0] ?? '';
  const words = wordsOfEnhanced(code) ?? 'the mail came back';
  const text = serverText(said) || code;
  return text === '' ? words : `${words}: ${text}`;
}

/** What a mail server said, safe to show: one line, at most 200 characters, without anybody's address. */
export function serverText(said: string): string {
  return clean(said.replace(/[^\s<>"'(),:;]+@[^\s<>"'(),:;]+/g, '[address]'), TEXT_LENGTH);
}
