import type { Alert, WayBack } from '../../domain/alert.ts';
import type { Answers } from '../../domain/way-back.ts';
import { callbackUrl } from '../callback-url.ts';
import { CALL_STATUSES, type Standing } from '../phone-standing.ts';
import { partsOf, writeSms } from '../sms.ts';
import { LONGEST_CALL_S, RING_S, speakInline } from '../twiml.ts';
import type { Listed, Resource } from './api.ts';
import { MESSAGE_STATUSES } from './standing.ts';

/** A text or a call as requested from the carrier. */
export interface Written {
  resource: Resource;
  /** The number of parts that are charged for. */
  units: number;
  statuses: ReadonlyMap<string, Standing>;
  /** Returns the fields of the request except the numbers. `callbacks` null: the carrier cannot reach us. */
  fields(callbacks: WayBack | null): Record<string, string>;
  /** Tells whether one that the carrier lists may come from an earlier attempt. */
  maybeEarlier(listed: Listed): boolean;
}

/** How long the carrier may keep a text before it gives up, in seconds: an alarm of many hours ago does harm. */
const VALID_S = 3600;

/** How far the carrier's clock, which counts whole seconds, may be behind ours, in milliseconds. */
const CLOCKS_MS = 2000;

/**
 * The text of an alert. Its link is made for this delivery alone, so a listed text with that link certainly comes from
 * an earlier attempt. Without a link it is recognised by its whole text and the time.
 */
export function writeText(alert: Alert, answers: Answers): Written {
  const body = writeSms(alert, answers);
  const token = linkTokenOf(alert);
  return {
    resource: 'Messages',
    units: partsOf(body),
    statuses: MESSAGE_STATUSES,
    fields: callbacks => ({
      Body: callbacks === null ? writeSms(alert, 'lost') : body,
      ValidityPeriod: String(VALID_S),
      ...(callbacks === null ? {} : { StatusCallback: callbackUrl('twilio', callbacks, 'status') }),
    }),
    maybeEarlier: listed =>
      token !== null && body.includes(token)
        ? listed.body.includes(token)
        : listed.body.includes(body) && isSince(listed, alert),
  };
}

/**
 * The call of an alert. What to say is requested when it is answered, so that it is true then; if the carrier cannot
 * reach us, the call contains it. A call has no field of ours that the carrier returns: an earlier attempt is
 * recognised by number and time alone, so another process's call to the same number in the same second may be mistaken
 * for it.
 */
export function writeCall(alert: Alert): Written {
  return {
    resource: 'Calls',
    units: 1,
    statuses: CALL_STATUSES,
    fields: callbacks => ({
      Timeout: String(RING_S),
      TimeLimit: String(LONGEST_CALL_S),
      ...(callbacks === null ? { Twiml: speakInline(alert) } : asking(callbacks)),
    }),
    maybeEarlier: listed => isSince(listed, alert),
  };
}

/** The fallback is the same address: a second try for a facade that was just replaced. */
function asking(callbacks: WayBack): Record<string, string> {
  const voice = callbackUrl('twilio', callbacks, 'voice');
  return {
    Url: voice,
    Method: 'POST',
    FallbackUrl: voice,
    FallbackMethod: 'POST',
    StatusCallback: callbackUrl('twilio', callbacks, 'status'),
    StatusCallbackMethod: 'POST',
    StatusCallbackEvent: 'completed',
  };
}

/** Returns what makes the link of a message unlike any other; null if it has none. */
export function linkTokenOf(alert: Alert): string | null {
  return ('wayBack' in alert && alert.wayBack?.pageUrl.split('/').at(-1)) || null;
}

/** Tells whether one that the carrier lists was made since this message was first tried. */
export function isSince({ createdAt }: Listed, { firstTriedAt }: Alert): boolean {
  return createdAt >= firstTriedAt - CLOCKS_MS;
}
