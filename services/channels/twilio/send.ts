import type { Logger } from 'pino';
import type { Alert, WayBack } from '../../domain/alert.ts';
import { ATTEMPT_TIMEOUT_S, type AttemptOutcome, RETRY_AFTER_S } from '../../domain/delivery.ts';
import { AT_ONCE } from '../../domain/turns.ts';
import { answersTo, type CarrierPlace, OUTSIDE } from '../../domain/way-back.ts';
import { PHONE_NUMBER } from '../../process/vocabulary.ts';
import { answersOf, placeOf, wayBackOf } from '../answers.ts';
import type { Channel, Within } from '../channel.ts';
import { type Fault, NO_NUMBER, refused } from '../phone-faults.ts';
import { type Standing, standingOf } from '../phone-standing.ts';
import { createApi, type Listed, type TwilioSettings } from './api.ts';
import { CALLBACK_REFUSED, codeFault } from './faults.ts';
import { createLedger } from './ledger.ts';
import { ofWhatsApp, type Templates, toWhatsApp, writeWhatsApp } from './whatsapp.ts';
import { type Written, writeCall, writeText } from './written.ts';

/** How long the carrier may take, in milliseconds: for a whole attempt, and for the look-up that some start with. */
export interface TwilioTimeouts {
  attempt: number;
  lookUp: number;
}

const TIMEOUTS: TwilioTimeouts = { attempt: ATTEMPT_TIMEOUT_S.text * 1000, lookUp: 5000 };

/**
 * Sends texts or makes calls through Twilio. Twilio has no idempotency key: an attempt after one with an unknown end
 * first looks for that one and takes it over. While the look-up fails nothing is sent, because what fails a look-up
 * usually fails a text too; the last attempt is sent nevertheless: better a rare duplicate than nobody alerted.
 * `templates`: texts go over WhatsApp, which takes nothing else.
 */
export function createTwilioChannel(deps: {
  kind: 'text' | 'call';
  settings: TwilioSettings;
  log: Logger;
  timeouts?: TwilioTimeouts;
  templates?: Templates;
}): Channel {
  const { kind, settings, log, timeouts = TIMEOUTS, templates = null } = deps;
  const addressed = templates === null ? (number: string) => number : toWhatsApp;
  const said = templates === null ? (reason: string) => reason : ofWhatsApp;
  const api = createApi(settings);
  // Its requests come from outside, wherever its API is; a stand-in of one's own reaches the machine that it is on.
  const place: CarrierPlace = { ...OUTSIDE, host: new URL(settings.apiUrl).hostname };
  const ledger = createLedger();

  async function attempt(number: string, alert: Alert, within: Within): Promise<AttemptOutcome> {
    const until = performance.now() + within.limitMs;
    const written = write(alert);
    if (within.earlier !== 'none' && !ledger.nothingEarlier(alert)) {
      const found = await api.listTo(
        written.resource,
        addressed(number),
        Math.min(timeouts.lookUp, within.limitMs / 2),
      );
      const earlier = found.kind === 'fault' ? unlessLast(found.fault, alert) : takenOver(found.listed, written, alert);
      if (earlier !== null) return earlier;
    }
    return create(written, number, alert, until);
  }

  function write(alert: Alert): Written {
    if (kind === 'call') return writeCall(alert);
    const answers = answersOf(alert, place);
    return templates === null ? writeText(alert, answers) : writeWhatsApp(alert, answers, templates);
  }

  /** Returns why it is not known what became of an earlier attempt; null if this one is sent nevertheless. */
  function unlessLast(fault: Fault, alert: Alert): AttemptOutcome | null {
    if (alert.attempt <= RETRY_AFTER_S.length && fault.lasts === 'temporary') return faultOf(fault, alert);
    const { reason } = fault;
    log.warn({ delivery: alert.deliveryId, channel: kind, reason }, 'it may go out twice: no look-up came about');
    return null;
  }

  /** Returns the outcome of an earlier attempt by what the carrier lists; null if it created nothing. */
  function takenOver(listed: readonly Listed[], written: Written, alert: Alert): AttemptOutcome | null {
    const earlier = listed.filter(each => !ledger.isOfAnother(each.sid, alert) && written.maybeEarlier(each));
    const taken = takeOver(earlier, written);
    const outcome = taken?.kind === 'permanent_fault' ? { ...taken, reason: said(taken.reason) } : taken;
    // One of two deliveries to a number may have come to nothing: what the other one takes over is not its own.
    if (outcome !== null && 'providerRef' in outcome) ledger.owns(alert, outcome.providerRef);
    if (outcome !== null) log.info({ delivery: alert.deliveryId, channel: kind }, 'took over an earlier attempt');
    return outcome;
  }

  async function create(written: Written, number: string, alert: Alert, until: number): Promise<AttemptOutcome> {
    const ask = (callbacks: WayBack | null) => {
      const between = { To: addressed(number), From: addressed(settings.from) };
      const form = new URLSearchParams({ ...between, ...written.fields(callbacks) });
      return api.create(written.resource, form, Math.max(1, until - performance.now()));
    };
    const callbacks = answersOf(alert, place) === 'come_back' ? wayBackOf(alert) : null;
    let created = await ask(callbacks);
    if (callbacks !== null && created.kind === 'fault' && CALLBACK_REFUSED.includes(created.code ?? 0)) {
      log.error({ delivery: alert.deliveryId, channel: kind }, `${created.fault.reason}; sent without it`);
      created = await ask(null);
    }
    if (created.kind === 'created') {
      ledger.owns(alert, created.sid);
      return { kind: 'sent', providerRef: created.sid, units: written.units };
    }
    if (created.taken === 'no') ledger.cameToNothing(alert);
    return faultOf(created.fault, alert, created.taken);
  }

  function faultOf(fault: Fault, { deliveryId }: Alert, taken: 'no' | 'maybe' = 'maybe'): AttemptOutcome {
    return refused({ ...fault, reason: said(fault.reason) }, { log, channel: kind, deliveryId, taken });
  }

  return {
    kind,
    atOnce: AT_ONCE[kind],
    async send(typed, alert, within = { limitMs: timeouts.attempt, earlier: 'unknown' }) {
      const number = phoneNumber(typed);
      return number === null ? NO_NUMBER : attempt(number, alert, within);
    },
    async find(typed, alert, limitMs) {
      const number = phoneNumber(typed);
      if (number === null) return null;
      const written = write(alert);
      const found = await api.listTo(written.resource, addressed(number), limitMs);
      return found.kind === 'fault' ? null : takenOver(found.listed, written, alert);
    },
    answers: publicUrl => answersTo(placeOf(publicUrl), place),
    ask: async limitMs => (await api.logIn(limitMs))?.reason ?? null,
    async close() {},
  };
}

/** Returns the number in E.164, as the carrier expects it; null if it is none. */
function phoneNumber(typed: string): string | null {
  return PHONE_NUMBER.test(typed) ? typed : null;
}

/**
 * Returns the outcome by earlier attempts: one that arrived or is under way stands for this one, one that failed for
 * good ends the channel; null after a temporary failure, which is sent again.
 */
function takeOver(earlier: readonly Listed[], { statuses, units }: Written): AttemptOutcome | null {
  const stand = earlier.map(({ sid, status, errorCode }) => ({
    sid,
    standing: standingOf(statuses, status, errorCode, codeFault) ?? ({ kind: 'under_way' } as Standing),
  }));
  const arrived = stand.find(({ standing }) => standing.kind === 'arrived');
  if (arrived !== undefined) return { kind: 'delivered', providerRef: arrived.sid, units };
  const underWay = stand.find(({ standing }) => standing.kind === 'under_way');
  if (underWay !== undefined) return { kind: 'sent', providerRef: underWay.sid, units };
  const faults = stand.flatMap(({ standing }) => (standing.kind === 'fault' ? [standing.fault] : []));
  const permanent = faults.find(({ lasts }) => lasts === 'permanent');
  return permanent === undefined ? null : { kind: 'permanent_fault', reason: permanent.reason };
}
