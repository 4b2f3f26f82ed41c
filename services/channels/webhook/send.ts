import type { Logger } from 'pino';
import { ATTEMPT_TIMEOUT_S, type AttemptOutcome } from '../../domain/delivery.ts';
import { AT_ONCE } from '../../domain/turns.ts';
import type { Channel } from '../channel.ts';
import { createHostTurns, HOST_BUSY, TURN_S } from '../host-turns.ts';
import { type HttpAnswer, HttpFault, post } from '../http.ts';
import { isTaken, mayPass, noAnswer } from '../http-words.ts';
import { createOutbound, type Outbound } from '../outbound.ts';
import { signatureHeaders } from '../standard-webhooks.ts';
import { writeEvent } from './event.ts';

/** The longest wait that a host may ask for, in seconds. */
const LONGEST_WAIT_S = 60;

/** Up to which attempt a requested wait is granted: a host that always asks must not hold a message forever. */
const WAITS = 5;

/**
 * Calls URLs of contacts: a POST of JSON (event.ts), signed like Standard Webhooks; `webhook-id` is the delivery at
 * every attempt. Any 2xx counts as `delivered`, whatever its body does (DECISIONS.md "2xx of a webhook"): the other end
 * itself confirmed it.
 */
export function createWebhookChannel(deps: {
  /** Returns the secret that signs the webhooks of an account: `whsec_…`. */
  secretOf(accountId: string): string;
  /** Returns further ones that a receiver may still check by, while it is being changed. */
  alsoOf?(accountId: string): string[];
  /** OUTBOUND_NETWORKS. */
  outboundNetworks: readonly string[];
  log: Logger;
  timeoutMs?: number;
}): Channel {
  const { secretOf, alsoOf = () => [], log, timeoutMs = ATTEMPT_TIMEOUT_S.webhook * 1000 } = deps;
  const outbound = createOutbound(deps.outboundNetworks);
  const turns = createHostTurns();

  function ask({ url, lookup }: Outbound & { kind: 'allowed' }, id: string, body: string, accountId: string) {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'tocsin',
      ...signatureHeaders({ secret: secretOf(accountId), also: alsoOf(accountId), id, url: url.href, body }),
    };
    return post(url.href, { headers, body, timeoutMs, lookup, counts: 'status' });
  }

  return {
    kind: 'webhook',
    atOnce: AT_ONCE.webhook,
    async send(address, alert) {
      const target = outbound(address);
      if (target.kind === 'not_allowed') return { kind: 'permanent_fault', reason: target.reason };
      const { deliveryId, accountId } = alert;
      try {
        const answer = await turns.at(target.url.host, accountId, () =>
          ask(target, deliveryId, writeEvent(alert), accountId),
        );
        if (answer === 'busy') return HOST_BUSY;
        const outcome = outcomeOf(answer, alert);
        if (outcome.kind === 'delivered') return outcome;
        log.warn({ delivery: alert.deliveryId, outcome: outcome.kind, status: answer.status }, 'a webhook refused');
        return outcome;
      } catch (error) {
        if (!(error instanceof HttpFault)) throw error;
        log.warn({ delivery: alert.deliveryId, fault: error.kind }, 'a webhook did not answer');
        return noAnswer('the webhook', error, 'of_the_contact');
      }
    },
    async close() {},
  };
}

function outcomeOf(answer: HttpAnswer, alert: { deliveryId: string; attempt: number }): AttemptOutcome {
  const { status, retryAfterS } = answer;
  if (isTaken(answer)) return { kind: 'delivered', providerRef: alert.deliveryId };
  if (status === 410) return { kind: 'permanent_fault', reason: 'the webhook is gone' };
  if (status === 429 && retryAfterS !== null && retryAfterS <= LONGEST_WAIT_S && alert.attempt <= WAITS) {
    return { kind: 'asked_to_wait', reason: 'the webhook asked to wait', afterS: Math.max(retryAfterS, TURN_S) };
  }
  const reason = `the webhook refused: ${status}`;
  return { kind: mayPass(status) ? 'temporary_fault' : 'permanent_fault', reason };
}
