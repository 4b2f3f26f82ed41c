import { Code, ConnectError } from '@connectrpc/connect';
import type { CallPreface, CallSaid, CarrierNews } from '../channels/channel.ts';
import { alertOf, copiedContact } from '../domain/alert.ts';
import type { ContactCopy } from '../domain/escalation.ts';
import { findResponding, type RespondingDelivery } from '../store/statements/responder.ts';
import { acknowledgeAs } from './act.ts';
import type { ResponderOptions } from './options.ts';
import { prove } from './proof.ts';
import { type Received, UNKNOWN_DELIVERY } from './received.ts';

/** The keys on a call's keypad (DECISIONS.md "Acknowledge"). */
const ACKNOWLEDGE = '1';
const AGAIN = '2';

/**
 * Returns what a call says: when it is answered, and after a key. An alert that somebody acknowledged or that is over
 * is not read out.
 */
export async function answerCall(
  on: ResponderOptions,
  about: { deliveryId: string; attempt: number },
  news: Extract<CarrierNews, { kind: 'answered' | 'key' }>,
  signal: AbortSignal,
): Promise<Received> {
  const delivery = await findResponding(on.store.pool, about.deliveryId);
  const contact = delivery === null ? null : copiedContact(delivery.incident.copy, delivery.contactId, delivery.step);
  if (delivery === null || contact === null) return UNKNOWN_DELIVERY;
  const call = { on, delivery, contact, attempt: about.attempt };
  if (news.kind === 'key' && news.key === ACKNOWLEDGE) return acknowledge(call, signal);
  const over = overFor(delivery);
  if (over !== null) return say(call, over, over === 'over' ? 'already_closed' : over);
  if (news.kind === 'answered') return sayAlert(call, 'none', 'nothing');
  if (news.key === AGAIN) return sayAlert(call, 'none', 'repeated');
  // Nobody pressed a key: it may be a machine that would listen forever.
  if (news.key === '') return say(call, 'try_link', 'nothing');
  return sayAlert(call, 'not_understood', 'not_understood');
}

interface Call {
  on: ResponderOptions;
  delivery: RespondingDelivery;
  contact: ContactCopy;
  attempt: number;
}

async function acknowledge(call: Call, signal: AbortSignal): Promise<Received> {
  const { on, delivery } = call;
  try {
    const outcome = await acknowledgeAs(on, delivery, 'key_press', signal).finally(() => prove(on, delivery));
    if (outcome !== 'already_acknowledged') return say(call, outcome, outcome);
    const now = (await findResponding(on.store.pool, delivery.id)) ?? delivery;
    // Pressed twice, or sent twice by the carrier: it is acknowledged, which is what they asked for.
    const said = now.incident.acknowledgedContactId === now.contactId ? 'acknowledged' : outcome;
    return say({ ...call, delivery: now }, said, outcome);
  } catch (error) {
    if (ConnectError.from(error).code !== Code.DeadlineExceeded) throw error;
    // It is stored and will be applied: a person on the phone cannot wait for that.
    return say(call, 'try_link', 'nothing');
  }
}

/** Returns what is said instead of the message; null if it is still wanted. */
function overFor({ kind, incident }: RespondingDelivery): 'over' | 'already_acknowledged' | null {
  if (incident.closedAt !== null) return 'over';
  return kind === 'alert' && incident.acknowledgedAt !== null ? 'already_acknowledged' : null;
}

function say({ delivery, contact }: Call, becomes: CallSaid, outcome: string): Received {
  const said = becomes === 'acknowledged' && delivery.incident.environment === 'drill' ? 'drill_answered' : becomes;
  const { locale, voice = '' } = contact;
  return { outcome, answer: { kind: 'speak', said, locale, voice, by: delivery.incident.acknowledgedBy ?? '' } };
}

function sayAlert({ on, delivery, contact, attempt }: Call, preface: CallPreface, outcome: string): Received {
  const wayBack = on.links.wayBackOf(delivery.id, attempt);
  const facts = { ...delivery, attempt, firstAttemptAt: delivery.firstAttemptAt ?? delivery.now };
  return { outcome, answer: { kind: 'speak_alert', alert: alertOf(facts, contact, wayBack, 'lost'), preface } };
}
