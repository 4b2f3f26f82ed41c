import type { Logger } from 'pino';
import type { Alert } from '../../domain/alert.ts';
import { ATTEMPT_TIMEOUT_S, type AttemptOutcome } from '../../domain/delivery.ts';
import { AT_ONCE } from '../../domain/turns.ts';
import { APPRISE_PREFIX } from '../../process/vocabulary.ts';
import type { Channel } from '../channel.ts';
import { get, HttpFault, post } from '../http.ts';
import { noAnswer } from '../http-words.ts';
import { writeMessage } from '../message.ts';

export interface AppriseSettings {
  /** APPRISE_URL: the server, without trailing slash. */
  url: string;
}

/**
 * Sends chat messages through an Apprise server (its REST API, github caronc/apprise-api). An address is `apprise:` and a key of that server, behind
 * which its operator has set up one service or several; URLs of services are never taken from owners, as they would be requests into our
 * network. Apprise answers with an error also where the message went out at some of them, and late: so what may have been taken is not sent
 * again, and the next channel goes instead.
 */
export function createAppriseChannel(deps: { settings: AppriseSettings; log: Logger; timeoutMs?: number }): Channel {
  const { settings, log, timeoutMs = ATTEMPT_TIMEOUT_S.chat * 1000 } = deps;

  async function attempt(address: string, alert: Alert, limitMs: number): Promise<AttemptOutcome> {
    const key = address.slice(APPRISE_PREFIX.length);
    try {
      const { status } = await post(`${settings.url}/notify/${encodeURIComponent(key)}`, {
        headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'tocsin' },
        timeoutMs: limitMs,
        body: JSON.stringify(messageOf(alert)),
        counts: 'status',
      });
      return outcomeOf(status, alert.deliveryId);
    } catch (error) {
      if (error instanceof HttpFault) return onceOnly(noAnswer('Apprise', error, 'of_the_deployment'));
      throw error;
    }
  }

  return {
    kind: 'chat',
    atOnce: AT_ONCE.chat,
    async send(address, alert, within) {
      const outcome = await attempt(address, alert, Math.min(timeoutMs, within?.limitMs ?? timeoutMs));
      if (outcome.kind !== 'sent') {
        log.warn({ delivery: alert.deliveryId, outcome: outcome.kind }, 'Apprise did not take a message');
      }
      return outcome;
    },
    async ask(limitMs) {
      try {
        const headers = { accept: 'application/json', 'user-agent': 'tocsin' };
        const { status } = await get(`${settings.url}/status`, { headers, timeoutMs: limitMs });
        // Older servers have no such page.
        return status < 400 || status === 404 ? null : `Apprise says that it cannot work: ${status}`;
      } catch (error) {
        if (!(error instanceof HttpFault)) throw error;
        const outcome = noAnswer('Apprise', error, 'of_the_deployment');
        return 'reason' in outcome ? outcome.reason : null;
      }
    },
    async close() {},
  };
}

/** What the services behind a key show; `type` gives those that have one a colour. */
function messageOf(alert: Alert) {
  const { subject, text } = writeMessage(alert);
  const isLive = 'environment' in alert && alert.environment === 'live' && alert.purpose !== 'acknowledged';
  return { title: subject, body: text.trimEnd(), type: isLive ? 'failure' : 'info', format: 'text' };
}

const NOTHING_THERE: AttemptOutcome = {
  kind: 'permanent_fault',
  reason: 'nothing is set up under this key at Apprise',
};

/** What statuses mean that tell somebody something to act on. */
const REFUSALS: ReadonlyMap<number, AttemptOutcome> = new Map([
  [204, NOTHING_THERE],
  [404, NOTHING_THERE],
  [401, refusedBy('Apprise refused the login: it must take messages without one')],
  [403, refusedBy('Apprise refused the login: it must take messages without one')],
  [
    424,
    { kind: 'permanent_fault', reason: 'at least one of the services behind this key did not take it', taken: 'maybe' },
  ],
]);

function refusedBy(reason: string): AttemptOutcome {
  return { kind: 'permanent_fault', reason, carrier: 'away' };
}

/** 200 alone says that all took it: the delivery stands for it, as Apprise has no id of its own. */
function outcomeOf(status: number, deliveryId: string): AttemptOutcome {
  if (status === 200) return { kind: 'sent', providerRef: deliveryId };
  const known = REFUSALS.get(status);
  if (known !== undefined) return known;
  if (status < 400) return refusedBy(`what answers at APPRISE_URL is no Apprise server: ${status}`);
  return { kind: 'permanent_fault', reason: `Apprise refused: ${status}`, taken: 'maybe' };
}

function onceOnly(outcome: AttemptOutcome): AttemptOutcome {
  if (outcome.kind !== 'temporary_fault' || outcome.taken === 'no') return outcome;
  const { reason, carrier } = outcome;
  return {
    kind: 'permanent_fault',
    reason: `${reason}: it may have gone out`,
    taken: 'maybe',
    ...(carrier !== undefined && { carrier }),
  };
}
