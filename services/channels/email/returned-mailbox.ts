import type { ImapFlow } from 'imapflow';
import type { Logger } from 'pino';
import { backoffMs, jittered } from '../../process/backoff.ts';
import type { ReturnedMail, ReturnedMailbox } from '../channel.ts';
import type { MailReferences } from './reference.ts';
import { readMailReport } from './report.ts';
import { takesLoginElsewhere } from './send.ts';

/** How much of a mail is read, in bytes. What counts comes before the original mail that it gives back. */
const READ_BYTES = 131_072;

/** How far back unread mail is read, in milliseconds: servers give up after five days, and alarms are over by then. */
const LOOK_BACK_MS = 7 * 86_400_000;

/** Most servers report new mail at once; some do not, or the report gets lost. */
const POLL_MS = 60_000;

/** The pause before it reconnects, in milliseconds. */
const BACKOFF = { firstMs: 1_000, mostMs: 60_000 };

/** How long a silent server is tolerated, in milliseconds. While all is well it is asked more often. */
const SILENCE_MS = 1.5 * POLL_MS;

/**
 * Reads the mailbox of MAIL_BOUNCE_IMAP over one persistent connection (DECISIONS.md "Returned mail"). Anybody may
 * write to it: only mails with a reference of ours count, and only those are marked as read. Everything else is left
 * alone and not read a second time by this process.
 */
export function createReturnedMailbox(deps: {
  /** MAIL_BOUNCE_IMAP: `imaps://user:password@host/folder`, or `imap://`; INBOX without a folder. */
  url: string;
  references: MailReferences;
  log: Logger;
}): ReturnedMailbox {
  const { references, log } = deps;
  const url = new URL(deps.url);
  const folder = decodeURIComponent(url.pathname.slice(1)) || 'INBOX';
  let arrived = () => {};
  let state: 'open' | 'closed' = 'open';
  let client: ImapFlow | null = null;
  let problem: string | null = 'it has not been reached yet';
  let failures = 0;
  /** Mails below this number were read, as long as the mailbox keeps its numbering. */
  let seenBelow = 1;
  let numbering: bigint | null = null;

  async function connected(): Promise<ImapFlow> {
    if (client?.usable) return client;
    client?.close();
    // Loaded only here: it takes long, and most deployments have no such mailbox.
    const { ImapFlow } = await import('imapflow');
    if (state === 'closed') throw new Error('The mailbox is closed.');
    client = new ImapFlow(connectionTo(url));
    // The waiting command reports it as well.
    client.on('error', () => {});
    client.on('exists', () => arrived());
    await client.connect();
    const { uidValidity } = await client.mailboxOpen(folder);
    if (uidValidity !== numbering) seenBelow = 1;
    numbering = uidValidity;
    return client;
  }

  /** Reads unread mail, oldest first, until one is about a mail of ours. */
  async function look(box: ImapFlow): Promise<ReturnedMail | null> {
    // Some servers show new mail only after a command.
    await box.noop();
    const since = new Date(Date.now() - LOOK_BACK_MS);
    const unread = await box.search({ seen: false, uid: `${seenBelow}:*`, since }, { uid: true });
    if (!unread) throw new Error('The mailbox cannot be searched.');
    // `*` means the last mail, even if its number is lower.
    for (const uid of unread.filter(one => one >= seenBelow)) {
      const found = await box.fetchOne(String(uid), { source: { maxLength: READ_BYTES } }, { uid: true });
      const mail = found === false || found.source === undefined ? null : await read(box, uid, found.source);
      if (mail !== null) return mail;
      seenBelow = uid + 1;
    }
    return null;
  }

  async function read(box: ImapFlow, uid: number, source: Buffer): Promise<ReturnedMail | null> {
    const report = await readMailReport(source);
    const mailed = report === null ? null : references.findIn(report.names);
    if (report === null || mailed === null) {
      const found = report === null ? 'unreadable' : 'not_ours';
      log.info({ uid, found }, 'a mail in the mailbox for returned mail is left as it is');
      return null;
    }
    const { deliveryId } = mailed;
    const gaveUp = { kind: 'fault', lasts: 'permanent', providerRef: deliveryId, reason: report.reason } as const;
    return {
      ...mailed,
      news: report.fate === 'given_up' ? gaveUp : { kind: 'nothing' },
      async done() {
        seenBelow = uid + 1;
        const marked = await box.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true }).catch(() => false);
        if (!marked) log.warn({ uid, delivery: deliveryId }, 'a returned mail could not be marked as read');
      },
    };
  }

  return {
    async next() {
      try {
        const box = await connected();
        const mail = await look(box);
        if (problem !== null) log.info('the mailbox for returned mail is read');
        problem = null;
        failures = 0;
        // Its end and its failures show at the next look.
        if (mail === null) void box.idle().catch(() => {});
        return { mail, inMs: POLL_MS };
      } catch (fault) {
        client?.close();
        client = null;
        const found = problemOf(fault);
        if (found !== problem && state === 'open')
          log.warn({ problem: found }, 'the mailbox for returned mail cannot be read');
        problem = found;
        return { mail: null, inMs: jittered(backoffMs(++failures, BACKOFF)) };
      }
    },
    onArrival(call) {
      arrived = call;
    },
    problem: () => problem,
    async close() {
      state = 'closed';
      client?.close();
    },
  };
}

function connectionTo(url: URL) {
  const { protocol, hostname, port, username, password } = url;
  const secure = protocol === 'imaps:';
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || (secure ? 993 : 143),
    secure,
    ...(!secure && takesLoginElsewhere(url) ? { doSTARTTLS: true } : {}),
    auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    // Its log would contain addresses.
    logger: false as const,
    disableAutoIdle: true,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: SILENCE_MS,
    maxLiteralSize: 8 * READ_BYTES,
    maxLineLength: 32 * READ_BYTES,
    maxResponseSize: 64 * READ_BYTES,
  };
}

/** Describes a fault in words, without the login. */
function problemOf(fault: unknown): string {
  const { authenticationFailed, tlsFailed, mailboxMissing, code } = fault as Record<string, unknown>;
  if (authenticationFailed === true) return 'the mail server refused the login of MAIL_BOUNCE_IMAP';
  if (tlsFailed === true || /TLS|SSL|CERT|SELF_SIGNED/.test(String(code)))
    return 'no encrypted connection to the mail server came about';
  if (mailboxMissing === true) return 'the mailbox has no such folder';
  return 'the mail server could not be reached, or does not answer as one does';
}
