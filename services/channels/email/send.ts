import type { SendMailOptions, SMTPPoolOptions } from 'nodemailer';
import type { Logger } from 'pino';
import type { Alert, MemberMail } from '../../domain/alert.ts';
import { AT_ONCE } from '../../domain/turns.ts';
import { mailAddress } from '../../process/vocabulary.ts';
import type { Channel } from '../channel.ts';
import { writeKept, writeMessage } from '../message.ts';
import { faultOutcome, serverText } from './faults.ts';
import { type MailReferences, REFERENCE_HEADER } from './reference.ts';

/** How long a mail server may take, in milliseconds: to connect, to greet, and for a whole message. */
export interface MailTimeouts {
  connect: number;
  greeting: number;
  send: number;
}

const TIMEOUTS: MailTimeouts = { connect: 10_000, greeting: 10_000, send: 30_000 };

/**
 * Sends over SMTP on a few persistent connections. The same delivery always has the same Message-ID, so that a mail
 * sent again after a lost answer can be recognised. What comes back later goes to the bounce address, with the
 * reference of the attempt after a plus sign; the mail also has it in a header (reference.ts). Mail to placeholder
 * addresses (`.invalid`) is kept.
 */
export function createEmailChannel(deps: {
  /** SMTP_URL: `smtp://` or `smtps://`; nodemailer's own options may follow as a query. */
  url: string;
  /** MAIL_FROM: `address` or `Name <address>`. */
  from: string;
  /** MAIL_BOUNCE: where servers return what they cannot deliver; null: to `from`. */
  bounce: string | null;
  references: MailReferences;
  log: Logger;
  timeouts?: MailTimeouts;
  /** The setting that `url` stands in; absent: SMTP_URL. */
  setting?: string;
  /** The sender whose domain every Message-ID has, whichever server sends; absent: `from`. */
  idFrom?: string;
}): Channel {
  const { log, timeouts = TIMEOUTS } = deps;
  const connections = connectionsOf(deps.url);
  const opening = open();

  /** Loads the package only here, where there is a mail server: without one it would hold several megabytes. */
  async function open() {
    const [{ createTransport }, { default: parse }] = await Promise.all([
      import('nodemailer'),
      import('nodemailer/lib/addressparser'),
    ]);
    return {
      createTransport,
      transport: createTransport(poolOptions(deps.url, connections, timeouts)),
      from: parse(deps.from, { flatten: true })[0] ?? { name: '', address: deps.from },
      idFrom: parse(deps.idFrom ?? deps.from, { flatten: true })[0]?.address ?? deps.from,
    };
  }

  return {
    kind: 'email',
    atOnce: connections,
    async send(typed, alert: Alert | MemberMail, within) {
      const to = mailAddress(typed);
      if (to === null)
        return { kind: 'permanent_fault', reason: 'the contact has an address that is no email address' };
      if (isPlaceholder(to)) return { kind: 'kept', reason: PLACEHOLDER, message: writeKept(alert) };
      const reference = deps.references.of(alert);
      const { transport, from, idFrom } = await opening;
      const limitMs = within?.limitMs ?? timeouts.send;
      const signal = AbortSignal.timeout(limitMs);
      try {
        const taken = await transport.sendMail({
          ...mailOf(alert, idFrom, reference),
          from,
          to: { name: '', address: to },
          envelope: { from: senderFor(reference, deps.bounce) ?? from.address, to: [to] },
          signal,
        });
        return { kind: 'sent', providerRef: serverText(taken.response) };
      } catch (error) {
        const outcome = signal.aborted ? tookTooLong(limitMs) : faultOutcome(error, deps.setting);
        log.warn({ delivery: alert.deliveryId, outcome: outcome.kind }, 'the mail server did not take a message');
        return outcome;
      }
    },
    async ask(limitMs) {
      const once = { ...poolOptions(deps.url, 1, { connect: limitMs, greeting: limitMs, send: limitMs }), pool: false };
      const { createTransport } = await opening;
      const asking = createTransport(once as SMTPPoolOptions);
      try {
        await asking.verify();
        return null;
      } catch (error) {
        const outcome = faultOutcome(error, deps.setting);
        return 'reason' in outcome ? outcome.reason : null;
      } finally {
        asking.close();
      }
    },
    async close() {
      // Callers waiting for a hanging server have given up by now; its connection would keep the process alive.
      (await opening).transport.close({ force: true });
    },
  };
}

/** Tells whether an address is a placeholder: those under .invalid exist nowhere (RFC 2606). */
function isPlaceholder(address: string): boolean {
  return address.endsWith('.invalid');
}

const PLACEHOLDER = 'addresses under .invalid exist nowhere: give the contact a real one';

/**
 * Returns the bounce address of one attempt; null if there is none. An address that would become too long stays without
 * the reference.
 */
function senderFor(reference: string, bounce: string | null): string | null {
  if (bounce === null) return null;
  const at = bounce.lastIndexOf('@');
  return mailAddress(`${bounce.slice(0, at)}+${reference}${bounce.slice(at)}`) ?? mailAddress(bounce);
}

function tookTooLong(limitMs: number) {
  const reason = `the mail server did not take the message within ${limitMs / 1000} s`;
  return { kind: 'temporary_fault', reason, carrier: 'away' } as const;
}

/** What an owner wrote goes only into subject and text, cleaned. */
function mailOf(alert: Alert | MemberMail, from: string, reference: string): SendMailOptions {
  const incidentId = 'incidentId' in alert ? alert.incidentId : '';
  const urgent = 'environment' in alert && alert.environment !== 'test' && alert.purpose !== 'acknowledged';
  return {
    ...writeMessage(alert),
    messageId: `<${alert.deliveryId}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      [REFERENCE_HEADER]: reference,
      ...(incidentId === '' ? {} : { 'X-Tocsin-Incident': incidentId }),
    },
    priority: urgent ? 'high' : 'normal',
  };
}

/**
 * Returns the number of connections: one for each message sent at once, so that a hanging one does not hold up the
 * next. If a server allows fewer, SMTP_URL says so (`?maxConnections=5`), and fewer messages are sent at once: a queue
 * for connections would be shared without regard to accounts.
 */
function connectionsOf(url: string): number {
  const wanted = Number(new URL(url).searchParams.get('maxConnections'));
  return Number.isInteger(wanted) && wanted > 0 ? wanted : AT_ONCE.email;
}

function poolOptions(url: string, connections: number, timeouts: MailTimeouts): SMTPPoolOptions & { pool: true } {
  return {
    url,
    pool: true,
    maxConnections: connections,
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.send,
    // A persistent connection may be dead: retry once over a new one. The engine retries everything else.
    maxRequeues: 1,
    requireTLS: takesLoginElsewhere(new URL(url)),
    ...(new URL(url).username === '' ? ANY_ENCRYPTION : {}),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/**
 * Without a login nothing is lost to who listens that plain text would keep: any certificate is better than none, and
 * none is better than no mail. `?tls.rejectUnauthorized=true` in SMTP_URL verifies nevertheless.
 */
const ANY_ENCRYPTION = { opportunisticTLS: true, tls: { rejectUnauthorized: false } } as const;

/** A password leaves this machine only encrypted, unless SMTP_URL says `?requireTLS=false`. */
export function takesLoginElsewhere({ username, hostname }: URL): boolean {
  return username !== '' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
