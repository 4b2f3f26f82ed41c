import type { Logger } from 'pino';
import type { Alert } from '../../domain/alert.ts';
import { ATTEMPT_TIMEOUT_S, type AttemptOutcome } from '../../domain/delivery.ts';
import { AT_ONCE } from '../../domain/turns.ts';
import { createFair } from '../../limits/fair.ts';
import { createLru } from '../../process/lru.ts';
import { clean, withoutLinks } from '../../process/text.ts';
import { PUSHOVER_PREFIX } from '../../process/vocabulary.ts';
import { languageFor } from '../../words/language.ts';
import type { Channel } from '../channel.ts';
import { type HttpAnswer, HttpFault } from '../http.ts';
import { isTaken, mayPass, noAnswer } from '../http-words.ts';
import { pageOf, writeMessage } from '../message.ts';
import { createPushoverApi, type PushoverSettings, readAnswer } from './api.ts';

/** How often a message rings until it is answered, and for how long, in seconds: 50 times, the most that Pushover does. */
const RINGS = { everyS: 30, forS: 1_500 };

/** The longest title and message, in characters. */
const LONGEST = { title: 250, message: 1_024 };

/** How long a message waits for those before it, in milliseconds, and how long it is put off then, in seconds. */
const TURN_MS = 3_000;
const PUT_OFF: AttemptOutcome = {
  kind: 'put_off',
  reason: 'too many messages to Pushover are under way',
  afterS: 1,
};

const LOGIN = 'Pushover refused the token: check PUSHOVER_TOKEN';
const USED_UP = "this month's messages of PUSHOVER_TOKEN are used up";

const NO_SUCH_USER: AttemptOutcome = {
  kind: 'permanent_fault',
  reason: 'Pushover knows no such user key, or their account is closed',
};

/** How long such a key is not asked for again, in milliseconds, and how many are remembered: many refusals block our address. */
const REFUSED_MS = 600_000;
const REFUSED_MOST = 1_000;

/**
 * Sends push messages through Pushover. An address is `pushover:` and the user key of a person. One message at a time, since Pushover takes two
 * connections at most, and one of them asks for answers (receipts.ts). A message that is tried again may ring twice, until it is quieted.
 */
export function createPushoverChannel(deps: { settings: PushoverSettings; log: Logger; timeoutMs?: number }): Channel {
  const { settings, log, timeoutMs = ATTEMPT_TIMEOUT_S.push * 1000 - TURN_MS } = deps;
  const api = createPushoverApi(settings);
  const line = createFair({ places: 1, patienceMs: TURN_MS, next: 'parties_in_turn' });
  const refused = createLru<string, number>(REFUSED_MOST);
  let last: AttemptOutcome = PUT_OFF;

  async function attempt(user: string, alert: Alert, limitMs: number): Promise<AttemptOutcome> {
    if (performance.now() < (refused.get(user) ?? 0)) return NO_SUCH_USER;
    const place = await line.enter(alert.accountId);
    // Who waits behind one that hangs goes on over another channel as if it had been asked.
    if (typeof place === 'string') return last.kind === 'temporary_fault' ? { ...last, taken: 'no' } : PUT_OFF;
    try {
      last = outcomeOf(await api.send({ user, ...messageOf(alert) }, limitMs));
    } catch (error) {
      if (!(error instanceof HttpFault)) throw error;
      last = noAnswer('Pushover', error, 'of_the_deployment');
    } finally {
      place[Symbol.dispose]();
    }
    // It may have been taken, and rings then.
    if (last.kind === 'temporary_fault' && last.taken !== 'no' && urgencyOf(alert).priority === '2') {
      return { ...last, answered: 'at_carrier' };
    }
    if (last === NO_SUCH_USER) refused.set(user, performance.now() + REFUSED_MS);
    return last;
  }

  return {
    kind: 'push',
    atOnce: AT_ONCE.push,
    async send(address, alert, within) {
      const limitMs = Math.min(timeoutMs, within?.limitMs ?? timeoutMs);
      const outcome = await attempt(address.slice(PUSHOVER_PREFIX.length), alert, limitMs);
      if (outcome.kind !== 'sent') {
        log.warn({ delivery: alert.deliveryId, outcome: outcome.kind }, 'Pushover did not take a message');
      }
      return outcome;
    },
    async ask(limitMs) {
      try {
        const answer = await api.limits(limitMs);
        if (answer.status === 429) return USED_UP;
        if (isTaken(answer)) return leftOf(answer) === 0 ? USED_UP : null;
        return mayPass(answer.status) ? `Pushover has a fault of its own: ${answer.status}` : LOGIN;
      } catch (error) {
        if (!(error instanceof HttpFault)) throw error;
        const outcome = noAnswer('Pushover', error, 'of_the_deployment');
        return 'reason' in outcome ? outcome.reason : null;
      }
    },
    async close() {},
  };
}

/** Returns the fields of a message except its receiver. */
function messageOf(alert: Alert): Record<string, string> {
  const { subject, text } = writeMessage(alert);
  const page = pageOf(alert, languageFor(alert.locale));
  return {
    title: cut(subject, LONGEST.title),
    message: cut(text.trimEnd(), LONGEST.message),
    ...urgencyOf(alert),
    ...(page !== null && { url: page.url, url_title: cut(page.label, 100) }),
  };
}

function cut(text: string, most: number): string {
  const signs = [...text];
  return signs.length <= most ? text : `${signs.slice(0, most - 1).join('')}…`;
}

/** What asks for an answer rings until there is one; a drill is as loud as an alarm: that is what it shows. */
function urgencyOf(alert: Alert): Record<string, string> {
  const isLoud = 'environment' in alert && alert.environment !== 'test';
  if (isLoud && alert.purpose === 'alert') {
    // By the tag all tries of a message fall silent, those as well of which no receipt came back.
    return { priority: '2', retry: String(RINGS.everyS), expire: String(RINGS.forS), tags: alert.deliveryId };
  }
  return { priority: isLoud && alert.purpose === 'still_happening' ? '1' : '0' };
}

/** How many messages are left this month; null if it is not said. */
function leftOf({ text }: HttpAnswer): number | null {
  try {
    const { remaining } = JSON.parse(text) as { remaining?: unknown };
    return typeof remaining === 'number' ? remaining : null;
  } catch {
    return null;
  }
}

/** Pushover says 200 where it queued a message; no answer of it says that one arrived. */
function outcomeOf(answer: HttpAnswer): AttemptOutcome {
  const said = readAnswer(answer);
  if (answer.status === 429) return { kind: 'permanent_fault', reason: USED_UP, carrier: 'away' };
  if (mayPass(answer.status)) {
    return { kind: 'temporary_fault', reason: `Pushover has a fault of its own: ${answer.status}` };
  }
  if (said === null && isTaken(answer)) {
    return { kind: 'temporary_fault', reason: 'Pushover answered something that cannot be read' };
  }
  if (isTaken(answer) && said?.status === 1) {
    const { receipt, request = '' } = said;
    return receipt === undefined
      ? { kind: 'sent', providerRef: request }
      : { kind: 'sent', providerRef: receipt, answered: 'at_carrier' };
  }
  if (said?.token === 'invalid') return { kind: 'permanent_fault', reason: LOGIN, carrier: 'away' };
  if (said?.user === 'invalid') return NO_SUCH_USER;
  const why = clean(withoutLinks(said?.errors?.[0] ?? ''), 200);
  return { kind: 'permanent_fault', reason: `Pushover refused: ${why || answer.status}` };
}
