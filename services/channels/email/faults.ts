import type { NodemailerError } from 'nodemailer';
import type { AttemptOutcome } from '../../domain/delivery.ts';
import { clean, withoutLinks } from '../../process/text.ts';
import { certificateWords } from '../tls-words.ts';

/** How much of a server's text is kept, in characters. */
const TEXT_LENGTH = 200;

/** How much of it is searched for words that tell why, in characters. */
const READ_LENGTH = 1000;

/** What went wrong if the server did not say so itself, by the mailer's code. */
const BY_MAILER: Record<string, string> = {
  ECONNECTION: 'the mail server closed the connection',
  ESOCKET: 'the mail server could not be reached',
  EDNS: 'the name of the mail server could not be looked up',
  ETIMEDOUT: 'the mail server did not answer in time',
  ETLS: 'no encrypted connection to the mail server came about',
  EAUTH: 'the mail server refused the login of SMTP_URL',
  ENOAUTH: 'the mail server wants a login: put one into SMTP_URL',
};

/** Faults that come before a message is handed over: by code, and the mailer's words of two that share one. */
const BEFORE_ANY = ['EDNS', 'ETLS', 'EAUTH'];
const NEVER_GREETED = /^(Connection timeout|Greeting never received)/;

/** Faults without a server code that the same message would meet again. */
const PERMANENT = ['EENVELOPE', 'EMESSAGE', 'ENOAUTH', 'ECONFIG'];

/**
 * The meaning of subject and detail of an enhanced code (RFC 3463), whether it starts with 4 or 5. The first match
 * counts.
 */
const BY_ENHANCED_CODE: readonly [RegExp, string][] = [
  [/^[45]\.1\.[016]$/, 'no such mailbox'],
  [/^[45]\.(1\.2|1\.10|4\.4)$/, 'no such mail domain'],
  [/^[45]\.2\.1$/, 'mailbox switched off'],
  [/^[45]\.2\.2$/, 'mailbox full'],
  [/^[45]\.(2\.3|3\.4)$/, 'the message is too big for the mail server'],
  [/^4\.7\.\d+$/, 'the mail server asked to come back later'],
  [/^5\.7\.\d+$/, 'refused as spam or by policy'],
];

/** The meaning of a basic code without an enhanced one (RFC 5321 4.2.3), as servers use them. */
const BY_CODE: ReadonlyMap<number, string> = new Map([
  [421, 'the mail server is not available'],
  [450, 'the mail server asked to come back later'],
  [451, 'the mail server had a fault of its own'],
  [452, 'the mail server has no room'],
  [530, 'the mail server wants a login: put one into SMTP_URL'],
  [552, 'mailbox full'],
]);

/** How a mail server is taken as it is. */
export const ANY_CERTIFICATE = ', or SMTP_URL can end in ?tls.rejectUnauthorized=false (any certificate)';

/**
 * Returns the outcome of a failed send. The server's own code decides (RFC 5321 4.2.1): 4xx is temporary, 5xx
 * permanent; without one, a connection that failed or took too long is temporary. The reason starts with words of the
 * tables above, followed by a colon and the server's own text. `setting`: which one to mend.
 */
export function faultOutcome(error: unknown, setting = 'SMTP_URL'): AttemptOutcome {
  const outcome = outcomeOf(error);
  return 'reason' in outcome ? { ...outcome, reason: outcome.reason.replaceAll('SMTP_URL', setting) } : outcome;
}

function outcomeOf(error: unknown): AttemptOutcome {
  const fault: Partial<NodemailerError> = error instanceof Error ? error : {};
  const { code = '', responseCode, response, message = '' } = fault;
  const refused = certificateWords(String((fault as { originalCode?: unknown }).originalCode ?? code));
  if (refused !== null) {
    return { kind: 'temporary_fault', reason: `the mail server ${refused}${ANY_CERTIFICATE}`, taken: 'no' };
  }
  const permanent = responseCode === undefined ? PERMANENT.includes(code) : responseCode >= 500;
  const reason = `${wordsOf(fault)}: ${serverText(response ?? message)}`;
  // Whoever is refused as a sender is so with any message.
  const isAway = byMailerOf(fault) !== undefined || fault.command === 'MAIL FROM';
  const away = isAway && { carrier: 'away' as const };
  if (permanent) return { kind: 'permanent_fault', reason, ...(isPolicy(fault) && { carrier: 'cannot' }), ...away };
  const untaken = isKnownUntaken(fault) && { taken: 'no' as const };
  return { kind: 'temporary_fault', reason, ...away, ...untaken, ...(isAboutAddress(fault) && { about: 'address' }) };
}

/**
 * Tells whether the server puts off this recipient alone: a mailbox that is full or locked, or greylisting. Whatever else it says in answer to
 * a recipient may be about itself, or about us, and another server may take it.
 */
function isAboutAddress({ command, responseCode, response = '' }: Partial<NodemailerError>): boolean {
  if (command !== 'RCPT TO' || responseCode === 421) return false;
  return /^4\d\d[ -]4\.(2\.\d|1\.[16])\b/.test(response) || /gr[ae]y-?\s?list/i.test(response);
}

/** Tells whether the server refused it by a rule of its own, which another one may not have. */
function isPolicy({ response = '' }: Partial<NodemailerError>): boolean {
  return /^5\d\d[ -]5\.7\.\d{1,3}\b/.test(response);
}

/** Tells whether the server said no, or was never connected to: then it has no message. A connection that broke may have brought it. */
function isKnownUntaken(fault: Partial<NodemailerError> & { syscall?: unknown }): boolean {
  if (fault.responseCode !== undefined || fault.syscall === 'connect') return true;
  return BEFORE_ANY.includes(fault.code ?? '') || NEVER_GREETED.test(fault.message ?? '');
}

/** Returns the words for a connection or login that failed: then it would for any message. */
function byMailerOf({ code = '', responseCode }: Partial<NodemailerError>): string | undefined {
  // Trust the reason that a server gives for closing a connection.
  const saidWhy = code === 'ECONNECTION' && responseCode !== undefined;
  return saidWhy ? undefined : BY_MAILER[code];
}

function wordsOf(fault: Partial<NodemailerError>): string {
  const { responseCode, response = '', command = '' } = fault;
  const byMailer = byMailerOf(fault);
  if (byMailer !== undefined) return byMailer;
  if (responseCode === undefined) return 'the message was not sent';
  const enhanced = /^\d{3}[ -]([45]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  const known = wordsOfEnhanced(enhanced ?? '');
  if (known !== undefined) return known;
  // Only about a recipient: in answer to the text of a message it may mean anything.
  if (responseCode === 550 && command === 'RCPT TO') return 'no such mailbox';
  const unknown = responseCode >= 500 ? 'the mail server refused it' : 'the mail server did not take it for now';
  return BY_CODE.get(responseCode) ?? unknown;
}

function wordsOfEnhanced(code: string): string | undefined {
  return BY_ENHANCED_CODE.find(([pattern]) => pattern.test(code))?.[1];
}

/**
 * Returns why a mail that a server had accepted came back: the words for the status of the report (RFC 3464 2.3.4), and
 * the server's text, or that status if there is none.
 */
export function returnedReason(status: string, said: string): string {
  const code = /^[45]\.\d{1,3}\.\d{1,3}/.exec(status)?.[0] ?? '';
  const codeSaid = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![\d.])/.exec(said)?.[0] ?? '';
  const words = wordsOfEnhanced(code || codeSaid) ?? wordsIn(said) ?? 'the mail came back';
  const text = serverText(said) || code;
  return text === '' ? words : `${words}: ${text}`;
}

function wordsIn(said: string): string | undefined {
  return BY_WORDS.find(([says]) => says.test(said.slice(0, READ_LENGTH)))?.[1];
}

/** What servers say in words where they give no code. The first match counts. */
const BY_WORDS: readonly [RegExp, string][] = [
  [
    /\b(quota|mailbox|inbox|postfach|boîte|buzón|casella)\b.{0,60}\b(full|exceed|over|voll|überschritten|pleine|lleno|piena|limit)/iu,
    'mailbox full',
  ],
  [
    /\b(over|exceed\w*) (the |its |his |your )?(quota|disk|storage)|disk quota|mailbox_?full|kontingent/iu,
    'mailbox full',
  ],
  [
    /\b(domain|host)\b.{0,60}\b(not found|unknown|does ?n.t exist|does not exist|nxdomain|not resolve|unbekannt)|no such (domain|host)|unrouteable (mail )?domain|host unknown/iu,
    'no such mail domain',
  ],
  [
    /\b(user|recipient|mailbox|address|account|alias|name|empfänger|benutzer|postfach|adresse|destinat\w+|utilisateur|usuario|utente)\b.{0,80}\b(unknown|not found|not listed|does ?n.t exist|does not exist|not exist|no longer|invalid|inactive|disabled|unbekannt|nicht (gefunden|bekannt|vorhanden)|existiert nicht|inconnu|introuvable|n.existe|no existe|desconocid|sconosciut|non esiste)|\b(unknown|no such|invalid|bad) (user|recipient|mailbox|address|account|local|person|destination)|no mailbox (here )?by that name|unrouteable address|unrecogni[sz]ed ?or ?name/iu,
    'no such mailbox',
  ],
  [
    /\b(spam|blocked|blacklist|blocklist|policy|denied|refused|prohibited|not accept)/iu,
    'refused as spam or by policy',
  ],
  [
    /\b(too (big|large|long)|size (limit|exceed)|exceeds? (the )?(maximum )?(message )?size)/iu,
    'the message is too big for the mail server',
  ],
];

/** A reply of SMTP within a line: the code, perhaps with an enhanced one. */
const REPLY = /(?<![\d.:-])[45]\d\d[ -]#?(?:[45]\.\d{1,3}\.\d{1,3})?.*$|(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![\d.]).*$/u;

/**
 * Returns why a mail came back, by the lines of a text alone: a server's reply, otherwise the first line that says a
 * known reason, otherwise the subject.
 */
export function saidInText(lines: readonly string[], subject: string): string {
  const reply = lines.map(line => REPLY.exec(line)?.[0]).find(found => found !== undefined);
  return reply ?? lines.find(line => BY_WORDS.some(([says]) => says.test(line))) ?? subject;
}

/**
 * An address, from the first letter of a word on: a search that may begin anywhere would take seconds for a long word, and
 * anybody may write one into the mailbox for returned mail.
 */
const ADDRESS = /(?<![^\s<>"'(),:;])[^\s<>"'(),:;]+@[^\s<>"'(),:;]+/g;

/** Returns a mail server's text, safe to show: one line, at most 200 characters, without anybody's address or link. */
export function serverText(said: string): string {
  return clean(withoutLinks(said.replace(ADDRESS, '[address]')), TEXT_LENGTH);
}
