import type { Logger } from 'pino';
import type { Alert } from '../../domain/alert.ts';
import { ATTEMPT_TIMEOUT_S, type AttemptOutcome } from '../../domain/delivery.ts';
import { AT_ONCE } from '../../domain/turns.ts';
import { type Answers, answersTo } from '../../domain/way-back.ts';
import { PHONE_NUMBER } from '../../process/vocabulary.ts';
import { answersOf, placeOf, wayBackOf } from '../answers.ts';
import type { Channel } from '../channel.ts';
import { type HttpAnswer, HttpFault, post } from '../http.ts';
import { fieldOf, isTaken, mayPass, noAnswer, withoutNumbers } from '../http-words.ts';
import { partsOf, writeSms } from '../sms.ts';
import { type SignatureVersion, signatureHeaders } from '../standard-webhooks.ts';
import { writeVoiceMessage } from '../voice.ts';

export interface GatewaySettings {
  /** GATEWAY_URL: receives every text and call as a signed POST. */
  url: string;
  /** GATEWAY_SECRET: `whsec_…`. */
  secret: string;
  /** GATEWAY_SIGNATURE: the least that signatures of the gateway's own requests must cover. */
  signature: SignatureVersion;
}

const WHO = 'the gateway';

/** What a server answers that does not know us, or is none of ours: then to any message. */
const ABOUT_US = [401, 403, 404, 405, 410];

/**
 * Sends texts or makes calls through the operator's own gateway: a POST of JSON to GATEWAY_URL, signed like Standard
 * Webhooks in `v1` and `v2` (standard-webhooks.ts). `webhook-id` is the delivery at every attempt, so that the gateway
 * can recognise what it has done already.
 *
 * `id` (the delivery), `kind` (`text` or `call`), `to` (E.164); of a text `text`; of a call `spoken` {`language` (BCP
 * 47), `voice` (the contact's, may be empty), `sentences`, `menu`, `notUnderstood`, `goodbye`}; `statusUrl` and, where
 * a call can be answered, `keyUrl` (null: this deployment cannot be reached), to which the gateway posts what
 * callback.ts reads. Any 2xx means that the gateway accepted it, whatever its body does; `ref` in its JSON, if it comes
 * within a second, is the gateway's own id for it.
 */
export function createGatewayChannel(deps: {
  kind: 'text' | 'call';
  settings: GatewaySettings;
  log: Logger;
  timeoutMs?: number;
}): Channel {
  const { kind, settings, log, timeoutMs = ATTEMPT_TIMEOUT_S[kind] * 1000 } = deps;
  const place = placeOf(settings.url);
  return {
    kind,
    atOnce: AT_ONCE[kind],
    answers: publicUrl => answersTo(placeOf(publicUrl), place),
    async send(address, alert, within) {
      if (!PHONE_NUMBER.test(address)) return { kind: 'permanent_fault', reason: 'invalid number' };
      const answers = answersOf(alert, place);
      const text = kind === 'text' ? writeSms(alert, answers) : null;
      const body = JSON.stringify({
        id: alert.deliveryId,
        kind,
        to: address,
        ...(text === null ? { spoken: { ...writeVoiceMessage(alert, answers), voice: alert.voice } } : { text }),
        ...urlsOf(kind, alert, answers),
      });
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'tocsin',
        ...signatureHeaders({ secret: settings.secret, id: alert.deliveryId, url: settings.url, body }),
      };
      try {
        const answer = await post(settings.url, {
          headers,
          body,
          timeoutMs: within?.limitMs ?? timeoutMs,
          counts: 'status',
        });
        const outcome = outcomeOf(answer, alert, text === null ? 1 : partsOf(text));
        if (outcome.kind !== 'sent')
          log.warn(
            { delivery: alert.deliveryId, channel: kind, status: answer.status },
            'the gateway refused a message',
          );
        return outcome;
      } catch (error) {
        if (!(error instanceof HttpFault)) throw error;
        log.warn({ delivery: alert.deliveryId, channel: kind, fault: error.kind }, 'the gateway did not answer');
        return noAnswer(WHO, error, 'of_the_deployment');
      }
    },
    async close() {},
  };
}

function urlsOf(kind: 'text' | 'call', alert: Alert, answers: Answers): Record<string, string | null> {
  const wayBack = answers === 'come_back' ? wayBackOf(alert) : null;
  const urlOf = (topic: string) =>
    wayBack === null ? null : `${wayBack.carrierUrl}/gateway/${topic}/${wayBack.reference}`;
  return { statusUrl: urlOf('status'), ...(kind === 'call' ? { keyUrl: urlOf('key') } : {}) };
}

function outcomeOf(answer: HttpAnswer, alert: Alert, units: number): AttemptOutcome {
  if (isTaken(answer)) return { kind: 'sent', providerRef: fieldOf(answer, 'ref', 200) || alert.deliveryId, units };
  const said = withoutNumbers(fieldOf(answer, 'error', 200));
  const reason = `${WHO} refused: ${said || answer.status}`;
  if (ABOUT_US.includes(answer.status)) return { kind: 'permanent_fault', reason, carrier: 'away' };
  if (!mayPass(answer.status)) return { kind: 'permanent_fault', reason };
  // A gateway that fails itself may have passed it on.
  return { kind: 'temporary_fault', reason, ...(answer.status < 500 && { taken: 'no' }) };
}
