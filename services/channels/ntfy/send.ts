import type { Logger } from 'pino';
import type { Alert } from '../../domain/alert.ts';
import { ATTEMPT_TIMEOUT_S, type AttemptOutcome } from '../../domain/delivery.ts';
import { AT_ONCE } from '../../domain/turns.ts';
import { languageFor } from '../../words/language.ts';
import type { Channel } from '../channel.ts';
import { createHostTurns, HOST_BUSY } from '../host-turns.ts';
import { get, type HttpAnswer, HttpFault, post } from '../http.ts';
import { fieldOf, isTaken, mayPass, noAnswer } from '../http-words.ts';
import { canBeAcknowledged, pageOf, writeMessage } from '../message.ts';
import { createOutbound } from '../outbound.ts';

export interface NtfySettings {
  /** NTFY_URL: the server with the topics, without trailing slash. */
  url: string;
  /** NTFY_TOKEN; null if none is needed. */
  token: string | null;
}

/** The format of a topic in ntfy. */
const TOPIC = /^[-_A-Za-z0-9]{1,64}$/;

/** How much of a server's text is kept, in characters. */
const TEXT_LENGTH = 200;

/**
 * Sends push messages through ntfy (https://docs.ntfy.sh/publish). An address is a topic on the server of NTFY_URL, or
 * the URL of a topic on another server, which never gets the token. The delivery is the `sequence_id`: a message sent
 * twice replaces itself on the phone.
 */
export function createNtfyChannel(deps: {
  settings: NtfySettings;
  /** OUTBOUND_NETWORKS, for the URLs of owners. */
  outboundNetworks: readonly string[];
  log: Logger;
  timeoutMs?: number;
}): Channel {
  const { settings, log, timeoutMs = ATTEMPT_TIMEOUT_S.push * 1000 } = deps;
  const outbound = createOutbound(deps.outboundNetworks);
  const turns = createHostTurns();
  const login: Record<string, string> = settings.token === null ? {} : { authorization: `Bearer ${settings.token}` };

  async function attempt(address: string, alert: Alert, limitMs: number): Promise<AttemptOutcome> {
    if (TOPIC.test(address)) {
      return publish(`${settings.url}/`, address, alert, { headers: login, timeoutMs: limitMs });
    }
    const elsewhere = outbound(address);
    if (elsewhere.kind === 'not_allowed') return { kind: 'permanent_fault', reason: elsewhere.reason };
    const { url, lookup } = elsewhere;
    const topic = url.pathname.split('/').at(-1) ?? '';
    if (!TOPIC.test(topic)) return { kind: 'permanent_fault', reason: 'the contact has a URL that names no topic' };
    const published = await turns.at(url.host, alert.accountId, () =>
      publish(new URL('.', url).href, topic, alert, { headers: {}, lookup, timeoutMs: limitMs }),
    );
    return published === 'busy' ? HOST_BUSY : published;
  }

  async function publish(
    server: string,
    topic: string,
    alert: Alert,
    how: Pick<Parameters<typeof post>[1], 'headers' | 'lookup' | 'timeoutMs'>,
  ): Promise<AttemptOutcome> {
    const headers = { ...how.headers, 'content-type': 'application/json', 'user-agent': 'tocsin' };
    const body = JSON.stringify({ topic, ...pushOf(alert) });
    try {
      return outcomeOf(await post(server, { ...how, headers, body }));
    } catch (error) {
      const whose = how.lookup === undefined ? 'of_the_deployment' : 'of_the_contact';
      if (error instanceof HttpFault) return noAnswer('the push server', error, whose);
      throw error;
    }
  }

  return {
    kind: 'push',
    atOnce: AT_ONCE.push,
    async send(address, alert, within) {
      const outcome = await attempt(address, alert, Math.min(timeoutMs, within?.limitMs ?? timeoutMs));
      if (outcome.kind !== 'sent') {
        log.warn({ delivery: alert.deliveryId, outcome: outcome.kind }, 'the push server did not take a message');
      }
      return outcome;
    },
    async ask(limitMs) {
      try {
        // Without a token this asks as an anonymous user.
        const answer = await get(`${settings.url}/v1/account`, {
          headers: { ...login, 'user-agent': 'tocsin' },
          timeoutMs: limitMs,
        });
        return REFUSALS.has(answer.status) && answer.status !== 404 ? REFUSALS.get(answer.status)! : null;
      } catch (error) {
        if (!(error instanceof HttpFault)) throw error;
        const outcome = noAnswer('the push server', error, 'of_the_deployment');
        return 'reason' in outcome ? outcome.reason : null;
      }
    },
    async close() {},
  };
}

/** Returns the fields of a message except its topic. */
function pushOf(alert: Alert) {
  const { subject, text } = writeMessage(alert);
  const language = languageFor(alert.locale);
  const page = pageOf(alert, language);
  const view = { action: 'view', ...page };
  const take = {
    action: 'http',
    label: language.words.acknowledge,
    url: `${page?.url}/acknowledge`,
    method: 'POST',
    clear: true,
  };
  return {
    sequence_id: alert.deliveryId,
    title: subject,
    message: text.trimEnd(),
    ...urgencyOf(alert),
    ...(page === null ? {} : { click: page.url, actions: canBeAcknowledged(alert) ? [view, take] : [view] }),
  };
}

/** The highest priority rings despite "do not disturb". Tags become emoji. */
function urgencyOf(alert: Alert): { priority: number; tags: string[] } {
  switch (alert.purpose) {
    case 'acknowledged':
      return { priority: 3, tags: ['white_check_mark'] };
    case 'alert':
    case 'still_happening':
      if (alert.environment === 'test') return { priority: 3, tags: ['test_tube'] };
      // A drill is as loud as an alarm: that is what it shows.
      return { priority: 5, tags: [alert.environment === 'live' ? 'rotating_light' : 'test_tube'] };
    case 'drill':
      return { priority: 3, tags: ['test_tube'] };
    case 'verification':
      return { priority: 3, tags: ['key'] };
    case 'notice':
      return { priority: 3, tags: ['warning'] };
  }
}

/** Why a message was refused, by status; other statuses are given as a number. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [401, 'the push server refused the login'],
  [403, 'the push server refused the login'],
  [404, 'the push server knows no such topic'],
  [413, 'the push server says that the message is too long'],
  [429, 'the push server takes no more messages for now'],
  [507, 'nobody has subscribed to the topic'],
]);

function outcomeOf(answer: HttpAnswer): AttemptOutcome {
  // A server that is no push server may answer 200 too.
  if (isTaken(answer)) {
    const id = fieldOf(answer, 'id', TEXT_LENGTH);
    if (id !== '') return { kind: 'sent', providerRef: id };
    return { kind: 'temporary_fault', reason: 'the push server answered something that cannot be read' };
  }
  const words = REFUSALS.get(answer.status) ?? `the push server refused: ${answer.status}`;
  const said = fieldOf(answer, 'error', TEXT_LENGTH);
  return {
    kind: mayPass(answer.status) ? 'temporary_fault' : 'permanent_fault',
    reason: said === '' ? words : `${words}: ${said}`,
  };
}
