import type { Logger } from 'pino';
import type { Alert, WayBack } from '../../domain/alert.ts';
import { ATTEMPT_TIMEOUT_S, type AttemptOutcome } from '../../domain/delivery.ts';
import { AT_ONCE } from '../../domain/turns.ts';
import { answersTo, type CarrierPlace, OUTSIDE } from '../../domain/way-back.ts';
import { PHONE_NUMBER } from '../../process/vocabulary.ts';
import { answersOf, placeOf, wayBackOf } from '../answers.ts';
import { callbackUrl } from '../callback-url.ts';
import type { Channel } from '../channel.ts';
import { NO_NUMBER, refused } from '../phone-faults.ts';
import { partsOf, writeSms } from '../sms.ts';
import { LONGEST_CALL_S, RING_S, speakInline } from '../twiml.ts';
import { createApi, type TelnyxSettings } from './api.ts';
import { CALLBACK_REFUSED } from './faults.ts';
import { withProof } from './signature.ts';
import { voiceAt } from './voice.ts';

/**
 * Sends texts or makes calls through Telnyx. It has no idempotency key, and its lists follow later: of an attempt with
 * an unknown end nobody can say whether it left something.
 */
export function createTelnyxChannel(deps: {
  kind: 'text' | 'call';
  settings: TelnyxSettings;
  log: Logger;
  timeoutMs?: number;
}): Channel {
  const { kind, settings, log, timeoutMs = ATTEMPT_TIMEOUT_S[kind] * 1000 } = deps;
  const api = createApi(settings);
  // Its requests come from outside, wherever its API is; a stand-in of one's own reaches the machine that it is on.
  const place: CarrierPlace = { ...OUTSIDE, host: new URL(settings.apiUrl).hostname };
  const callbackOf = (callbacks: WayBack, topic: 'status' | 'voice') =>
    withProof(settings.apiKey, callbackUrl('telnyx', callbacks, topic));

  function textOf(alert: Alert, callbacks: WayBack | null): Record<string, unknown> {
    return {
      type: 'SMS',
      text: writeSms(alert, callbacks === null ? 'lost' : answersOf(alert, place)),
      ...(callbacks === null ? { use_profile_webhooks: false } : { webhook_url: callbackOf(callbacks, 'status') }),
    };
  }

  /**
   * What to say is requested when the call is answered, so that it is true then; if the carrier cannot reach us, the
   * call contains it. The fallback is the same address: a second try for a facade that was just replaced.
   */
  function callOf(alert: Alert, callbacks: WayBack | null): Record<string, unknown> {
    const limits = { Timeout: RING_S, TimeLimit: LONGEST_CALL_S };
    if (callbacks === null) return { ...limits, Texml: speakInline({ ...alert, voice: voiceAt(alert.voice) }) };
    const voice = callbackOf(callbacks, 'voice');
    return {
      ...limits,
      Url: voice,
      UrlMethod: 'POST',
      FallbackUrl: voice,
      StatusCallback: callbackOf(callbacks, 'status'),
      StatusCallbackMethod: 'POST',
      StatusCallbackEvent: 'completed',
    };
  }

  function fieldsOf(number: string, alert: Alert, callbacks: WayBack | null): Record<string, unknown> {
    return kind === 'text'
      ? { to: number, from: settings.from, ...textOf(alert, callbacks) }
      : { To: number, From: settings.from, ...callOf(alert, callbacks) };
  }

  async function attempt(number: string, alert: Alert, until: number): Promise<AttemptOutcome> {
    const ask = (callbacks: WayBack | null) =>
      api.create(kind, fieldsOf(number, alert, callbacks), Math.max(1, until - performance.now()));
    const callbacks = answersOf(alert, place) === 'come_back' ? wayBackOf(alert) : null;
    let created = await ask(callbacks);
    if (callbacks !== null && created.kind === 'fault' && CALLBACK_REFUSED.includes(created.code ?? 0)) {
      log.error({ delivery: alert.deliveryId, channel: kind }, `${created.fault.reason}; sent without it`);
      created = await ask(null);
    }
    const { deliveryId } = alert;
    if (created.kind === 'fault')
      return refused(created.fault, { log, channel: kind, deliveryId, taken: created.taken });
    const units = kind === 'text' ? partsOf(writeSms(alert, answersOf(alert, place))) : 1;
    return { kind: 'sent', providerRef: created.ref || deliveryId, units };
  }

  return {
    kind,
    atOnce: AT_ONCE[kind],
    async send(address, alert, within) {
      if (!PHONE_NUMBER.test(address)) return NO_NUMBER;
      return attempt(address, alert, performance.now() + (within?.limitMs ?? timeoutMs));
    },
    answers: publicUrl => answersTo(placeOf(publicUrl), place),
    ask: async limitMs => (await api.logIn(kind, limitMs))?.reason ?? null,
    async close() {},
  };
}
