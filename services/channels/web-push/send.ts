import type { Logger } from 'pino';
import type { Alert } from '../../domain/alert.ts';
import { ATTEMPT_TIMEOUT_S, type AttemptOutcome } from '../../domain/delivery.ts';
import { AT_ONCE } from '../../domain/turns.ts';
import { clean, withoutLinks } from '../../process/text.ts';
import type { Channel } from '../channel.ts';
import type { Device, DeviceOutcome, Devices } from '../devices.ts';
import { type HttpAnswer, HttpFault, post } from '../http.ts';
import { isTaken, mayPass, noAnswer } from '../http-words.ts';
import { contentOf } from './content.ts';
import { encrypt } from './encrypt.ts';
import { createEndpointCheck } from './endpoint.ts';
import { vapidHeader } from './vapid.ts';

export interface WebPushSettings {
  /** WEB_PUSH_CONTACT: whom push services can write to, a mail address or an https URL. */
  contact: string;
}

/** How long a push service keeps a message for a browser that it cannot reach, in seconds. */
const KEPT_S = 600;

/** The longest wait that a push service may ask for, in seconds, and up to which attempt it is granted. */
const LONGEST_WAIT_S = 60;
const WAITS = 5;

const NO_DEVICE: AttemptOutcome = {
  kind: 'permanent_fault',
  reason: 'no device of this person rings any more',
};
const NO_KEY = {
  kind: 'permanent_fault',
  reason: 'the key of web push cannot be opened with this DATA_KEY',
  carrier: 'away',
} as const satisfies AttemptOutcome;

const KEY_NOT_READ = {
  kind: 'temporary_fault',
  reason: 'the key of web push could not be read from the database',
  taken: 'no',
} as const satisfies AttemptOutcome;

/** What a second try within one attempt takes at least, and the longest pause before it, in milliseconds. */
const AGAIN_MS = 1_000;
const PAUSE_MS = 3_000;

/** What a push service says of a browser that no longer wants messages (RFC 8030 7.3); some say the one, some the other. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

/**
 * Sends push messages to the browsers of a contact, through the push services that these chose (RFC 8030). A message goes to all of them, and the
 * best outcome counts; sent twice it replaces itself. What a service took is `sent`: only the browser says that it was shown.
 */
export function createWebPushChannel(deps: {
  settings: WebPushSettings;
  devices: Devices;
  /** OUTBOUND_NETWORKS. */
  outboundNetworks: readonly string[];
  log: Logger;
  timeoutMs?: number;
}): Channel {
  const { settings, devices, log, timeoutMs = ATTEMPT_TIMEOUT_S.push * 1000 } = deps;
  const check = createEndpointCheck(deps.outboundNetworks);

  async function attempt(alert: Alert, limitMs: number): Promise<AttemptOutcome> {
    const { accountId, contactId = '' } = alert;
    const all = await devices.of(accountId, contactId);
    if (all.length === 0) return NO_DEVICE;
    const key = await devices.key().catch(() => 'not_read' as const);
    if (key === 'not_read') return KEY_NOT_READ;
    if (key === null) return NO_KEY;
    const content = contentOf(alert);
    const until = performance.now() + limitMs;
    const send = (device: Device) => {
      const authorization = (endpoint: string) => vapidHeader(endpoint, key, settings.contact, Date.now());
      return sendTo(device, alert, content, authorization, Math.max(1, until - performance.now()));
    };
    const outcomes = await Promise.all(all.map(send));
    // Once one has it the message counts as sent: what another one may still take is tried here, or never.
    const waits = Math.max(0, ...outcomes.map(waitFor));
    if (outcomes.some(isSent) && outcomes.some(mayStill) && performance.now() + waits + AGAIN_MS < until) {
      await new Promise(resolve => setTimeout(resolve, waits));
      await Promise.all(
        outcomes.map(async (outcome, nth) => {
          if (mayStill(outcome)) outcomes[nth] = await send(all[nth]!);
        }),
      );
    }
    const told = outcomes.map((outcome, nth) => toldOf(all[nth]!, outcome));
    await devices.told(accountId, contactId, told).catch(error => {
      // The message is out by then.
      log.warn({ err: error }, 'what became of a push message could not be noted');
    });
    return best(outcomes);
  }

  async function sendTo(
    device: Device,
    alert: Alert,
    content: string,
    authorization: (endpoint: string) => string,
    withinMs: number,
  ): Promise<AttemptOutcome | 'gone'> {
    const to = check(device.endpoint);
    if (to.kind === 'not_allowed') return { kind: 'permanent_fault', reason: to.reason };
    const headers = {
      ttl: String(KEPT_S),
      urgency: 'high',
      // Letters and digits alone: not every service takes the others that the RFC allows.
      topic: alert.deliveryId.slice(0, 32),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      'user-agent': 'tocsin',
      authorization: authorization(device.endpoint),
    };
    const { lookup, url } = to;
    try {
      const answer = await post(url.href, { headers, timeoutMs: withinMs, lookup, body: encrypt(content, device) });
      return GONE.has(answer.status) ? 'gone' : outcomeOf(answer, alert);
    } catch (error) {
      if (!(error instanceof HttpFault)) throw error;
      return noAnswer('the push service', error, 'of_the_contact');
    }
  }

  return {
    kind: 'push',
    atOnce: AT_ONCE.push,
    async send(_address, alert, within) {
      const outcome = await attempt(alert, Math.min(timeoutMs, within?.limitMs ?? timeoutMs));
      if (outcome.kind !== 'sent') {
        log.warn({ delivery: alert.deliveryId, outcome: outcome.kind }, 'no push service took a message');
      }
      return outcome;
    },
    async ask() {
      const key = await devices.key().catch(() => 'not_read' as const);
      if (key === 'not_read') return KEY_NOT_READ.reason;
      return key === null ? NO_KEY.reason : null;
    },
    async close() {},
  };
}

function isSent(outcome: AttemptOutcome | 'gone'): boolean {
  return outcome !== 'gone' && outcome.kind === 'sent';
}

function mayStill(outcome: AttemptOutcome | 'gone'): boolean {
  return outcome !== 'gone' && (outcome.kind === 'temporary_fault' || outcome.kind === 'asked_to_wait');
}

/** How long a device that may still take it is left alone, in milliseconds. */
function waitFor(outcome: AttemptOutcome | 'gone'): number {
  if (outcome === 'gone' || !mayStill(outcome)) return 0;
  return outcome.kind === 'asked_to_wait' ? Math.min(PAUSE_MS, outcome.afterS * 1_000) : AGAIN_MS;
}

function toldOf({ id }: Device, outcome: AttemptOutcome | 'gone'): DeviceOutcome {
  if (outcome === 'gone') return { id, is: 'gone' };
  return 'reason' in outcome ? { id, is: 'fault', reason: outcome.reason } : { id, is: 'sent' };
}

/** What may still go counts more than what failed for good. */
const ORDER: readonly AttemptOutcome['kind'][] = [
  'sent',
  'asked_to_wait',
  'put_off',
  'temporary_fault',
  'permanent_fault',
];

function best(outcomes: readonly (AttemptOutcome | 'gone')[]): AttemptOutcome {
  const known = outcomes.filter(outcome => outcome !== 'gone');
  const [first] = known.toSorted((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));
  if (first?.kind !== 'permanent_fault') return first ?? NO_DEVICE;
  // What only some of the services say of us is about those devices.
  const isAway = known.every(outcome => 'carrier' in outcome && outcome.carrier === 'away');
  const { carrier: _, ...ofDevices } = first;
  return isAway ? first : ofDevices;
}

/** What a push service refuses for what we are, and not for what a browser is. */
const OURS: ReadonlySet<number> = new Set([400, 401, 403]);

function outcomeOf(answer: HttpAnswer, { deliveryId, attempt }: Alert): AttemptOutcome {
  const { status, retryAfterS } = answer;
  if (isTaken(answer)) return { kind: 'sent', providerRef: deliveryId };
  if (status === 429 && retryAfterS !== null && retryAfterS <= LONGEST_WAIT_S && attempt <= WAITS) {
    return { kind: 'asked_to_wait', reason: 'the push service asked to wait', afterS: Math.max(retryAfterS, 1) };
  }
  if (mayPass(status)) {
    const taken = status === 429 ? ({ taken: 'no' } as const) : {};
    const reason = status === 429 ? 'takes no more messages for now' : `has a fault of its own: ${status}`;
    return { kind: 'temporary_fault', reason: `the push service ${reason}`, ...taken };
  }
  return { kind: 'permanent_fault', reason: refusalOf(answer), ...(OURS.has(status) && { carrier: 'away' }) };
}

function refusalOf({ status, text }: HttpAnswer): string {
  if (OURS.has(status)) {
    const said = clean(withoutLinks(text), 80);
    return `the push service refused our signature: check WEB_PUSH_CONTACT: ${status}${said === '' ? '' : ` ${said}`}`;
  }
  if (status === 413) return 'the push service says that the message is too long';
  if (status >= 300 && status < 400) return 'the push service led elsewhere, where no message of ours goes';
  return `the push service refused: ${status}`;
}
