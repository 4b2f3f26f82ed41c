import type { NodemailerError } from 'nodemailer';
import { clean } from '../domain/clean.ts';
import type { AttemptOutcome } from '../domain/delivery.ts';

/** How much of a server's text is kept, in characters. */
const TEXT_LENGTH = 200;

/** What went wrong where the server did not say it itself, by the mailer's code. */
const IN_WORDS: Record<string, string> = {
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

/**
 * The outcome of a send that failed. The server's own code decides (RFC 5321 4.2.1): 4xx is temporary, 5xx permanent;
 * without one, a connection that failed or took too long is temporary. The reason carries the server's own text.
 */
export function faultOutcome(error: unknown): AttemptOutcome {
  const fault: Partial<NodemailerError> = error instanceof Error ? error : {};
  const { code = '', responseCode, response, message = '' } = fault;
  const permanent = responseCode === undefined ? PERMANENT.includes(code) : responseCode >= 500;
  const words =
    IN_WORDS[code] ?? (responseCode === undefined ? 'the message was not sent' : 'the mail server refused it');
  return {
    kind: permanent ? 'permanent_fault' : 'temporary_fault',
    reason: `${words}: ${serverText(response ?? message)}`,
  };
}

/** What a mail server said, safe to show: one line, at most 200 characters, without anybody's address. */
export function serverText(said: string): string {
  return clean(said.replace(/[^\s<>"'(),:;]+@[^\s<>"'(),:;]+/g, '[address]'), TEXT_LENGTH);
}
