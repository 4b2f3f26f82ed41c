import { expect } from 'vitest';
import type { Delivery } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import { type Message, PEOPLE, type Unanswered } from '../support/door-alerting.ts';
import type { Account, Incident } from '../support/door-model.ts';
import type { Told } from '../support/owner.ts';
import type { Answer } from '../support/world.ts';
import type { House } from './lives-house.ts';

/** After the last message of a live incident, in milliseconds: nobody answered. */
const ANSWER_WITHIN = 300_000;

/** A message that goes out so much after its time is late, in milliseconds. */
const LATE_MS = 5_000;

/** Whether it is known when each message went out: not where several steps passed before the engine looked. */
export type Times = 'known' | 'not known';

/** The incidents as the owner is told, each known by the call that opened it, with who was told what when, and who did what. */
export function compareIncidents(
  house: House,
  all: readonly Told[],
  model: Account,
  answers: readonly Answer[],
  times: Times,
) {
  const openedBy = (told: Told) => answers.findIndex(({ body }) => body.traceId === told.traceId);
  const expected = (['alarm', 'button'] as const).flatMap(name =>
    model[name].incidents.map(incident => {
      const told = all.find(one => openedBy(one) === incident.openedBy);
      return asExpected(house, model, name, incident, told, times);
    }),
  );
  const shown = all.map(told => asShown(house, told, openedBy(told), times));
  expect(shown.sort((a, b) => a.openedBy - b.openedBy)).toEqual(expected.sort((a, b) => a.openedBy - b.openedBy));
  for (const { environment, deliveries } of all) {
    for (const { status } of deliveries) {
      const reachesNobody = status === 'suppressed' || (status === 'cancelled' && environment === 'test');
      if (environment === 'test') expect(reachesNobody, `a message ${status} of a test incident`).toBe(true);
      else expect(status, 'a message of a live incident').not.toBe('suppressed');
    }
  }
  if (times === 'known') compareMails(house, all);
}

/** An incident as its owner is told. */
function asShown({ since }: House, told: Told, openedBy: number, times: Times) {
  const entries = told.timeline.flatMap(({ at, entry }) => {
    if (entry.case !== 'change' || !PERSONS.has(entry.value.kind)) return [];
    const { kind, detail, by } = entry.value;
    return [lineOf({ at: since(at)!, kind, detail: kind === 'exhausted' || kind === 'declined' ? '' : detail, by })];
  });
  return {
    source: told.sourceId,
    openedBy,
    mode: told.mode,
    environment: told.environment,
    outcome: told.outcome,
    openedAt: since(told.openedAt),
    endsAt: since(told.escalationEndsAt),
    triggers: told.triggerCount,
    lastTriggerAt: since(told.lastTriggerAt),
    status: told.status,
    closedAt: since(told.closedAt),
    closeReason: told.closeReason,
    acknowledged: told.acknowledgedBy === '' ? null : { who: told.acknowledgedBy, at: since(told.acknowledgedAt) },
    // In the timeline they stand where they were sent: those that are late, as time had jumped, in any order.
    messages: told.deliveries
      .map(delivery => {
        const sent = times === 'known' ? since(delivery.sentAt) : null;
        return `${nameOf(delivery)} at ${since(delivery.plannedAt)} ${stateOf(delivery)}${sent === null ? '' : ` at ${sent}`}`;
      })
      .sort(),
    entries: entries.sort(),
  };
}

const PERSONS = new Set(['acknowledged', 'next_step', 'noted', 'handed_over', 'declined', 'asked_again', 'exhausted']);

function lineOf({ at, kind, detail, by }: { at: number; kind: string; detail: string; by: string }): string {
  return `${at} ${[kind, detail, by].filter(Boolean).join(' ')}`;
}

/** An incident of the model in the words in which its owner is told, who was `told` of it what is not known otherwise. */
function asExpected(
  house: House,
  { now }: Account,
  name: 'alarm' | 'button',
  { alerting, ...incident }: Incident,
  told: Told | undefined,
  times: Times,
) {
  const states = new Map(told?.deliveries.map(delivery => [nameOf(delivery), stateOf(delivery)]));
  const settled = alerting.messages.map((message): Message => {
    if (message.state !== 'sent or called off') return message;
    return { ...message, state: states.get(nameOfMessage(message)) === 'sent' ? 'sent' : 'called off' };
  });
  const deliveries = told?.deliveries ?? [];
  // What never went out, as it closed in the same jump of time, or is still on its way, had no chance.
  const isLost =
    deliveries.some(({ status }) => status === 'sending') ||
    settled.some(({ state }, at) => state === 'called off' && alerting.messages[at]!.state !== state);
  const late = deliveries.flatMap(({ kind, sentAt, plannedAt }) => {
    const [sent, planned] = [house.since(sentAt), house.since(plannedAt)!];
    return kind === 'alert' && sent !== null && sent > planned + LATE_MS ? [{ sent, planned }] : [];
  });
  const isLive = incident.environment === 'live';
  /** Until the last message that was late went out, as time had jumped, it had no chance. */
  const unansweredAt = ({ from, endsAt, until }: Unanswered): number => {
    if (isLost && until === incident.closedAt) return Number.POSITIVE_INFINITY;
    const own = late.filter(({ sent, planned }) => sent >= from && (planned < until || until === incident.closedAt));
    return Math.max(endsAt, ...own.map(({ sent }) => sent)) + ANSWER_WITHIN;
  };
  const waits = alerting.unanswered.map(wait =>
    wait.until === Number.POSITIVE_INFINITY ? { ...wait, endsAt: alerting.endsAt } : wait,
  );
  const exhausted = waits.filter(wait => isLive && Math.min(wait.until, now) >= unansweredAt(wait));
  const alertingNow = exhausted.includes(waits.at(-1)!) ? 'exhausted' : 'alerting';
  return {
    ...incident,
    source: house[name],
    outcome: waits.length > 0 ? alertingNow : 'nobody_to_alert',
    endsAt: alerting.endsAt,
    status: incident.closedAt === null ? 'open' : 'closed',
    acknowledged: alerting.holder,
    messages: settled
      .map(message => {
        const sent = times === 'known' && message.state === 'sent' ? sentAt(message, told, house) : '';
        return `${nameOfMessage(message)} at ${message.at} ${message.state}${sent}`;
      })
      .sort(),
    entries: [
      ...alerting.entries.map(lineOf),
      ...exhausted.map(wait => lineOf({ at: unansweredAt(wait), kind: 'exhausted', detail: '', by: '' })),
    ].sort(),
  };
}

/** Where the model does not know, as the owner is told. */
function sentAt(message: Message, told: Told | undefined, { since }: House): string {
  const delivery = told?.deliveries.find(one => nameOf(one) === nameOfMessage(message));
  return ` at ${Number.isFinite(message.sentAt) ? message.sentAt : since(delivery?.sentAt)}`;
}

/** What nobody's policy says counts from these. */
const [HANDED_OVER, ASKED_AGAIN] = [1_000, 2_000];

/** Names a message so that no other of its incident is called the same. */
function nameOf({ kind, round, step, contactName }: Delivery): string {
  if (kind !== 'alert') return `${kind} ${round} to ${contactName}`;
  if (step >= ASKED_AGAIN) return `asked again ${step - ASKED_AGAIN} to ${contactName}`;
  if (step >= HANDED_OVER) return `handed over ${step - HANDED_OVER} to ${contactName}`;
  return `step ${round}.${step} to ${contactName}`;
}

function nameOfMessage({ what, round, step, to }: Message): string {
  return what === 'step' ? `step ${round}.${step} to ${to}` : `${what} ${step} to ${to}`;
}

/**
 * What is throttled goes out later than the model says. What was on its way when days passed in an instant may stay so: the product may
 * not say that it went, nor that it did not.
 */
function stateOf({ status, reason }: Delivery): string {
  if (status === 'scheduled') return reason === 'throttled' ? 'sent' : 'waits';
  return { sending: 'sent', sent: 'sent', delivered: 'sent', cancelled: 'called off' }[status] ?? status;
}

/** Everybody has in their mailbox what their owner is told that they were sent, and is asked in so many words. */
function compareMails({ mailsTo }: House, all: readonly Told[]) {
  const sent = all.flatMap(({ deliveries }) => deliveries.filter(({ sentAt }) => sentAt !== undefined));
  for (const person of PEOPLE) {
    const own = sent.filter(({ contactName }) => contactName === person);
    const asked = own.filter(({ kind, step }) => kind === 'alert' && step >= ASKED_AGAIN);
    const mails = mailsTo(person);
    const open = mails.filter(({ subject }) => subject?.includes('STILL OPEN'));
    expect([mails.length, open.length], `mails to ${person}, and those that ask again`).toEqual([
      own.length,
      asked.length,
    ]);
  }
}

/** What became of each call as the owner is told who asks with its traceId. */
export async function compareCalls({ owner }: House, all: readonly Told[], model: Account, answers: readonly Answer[]) {
  const opened = new Map(all.map(({ id, traceId }) => [id, traceId]));
  const shown: unknown[] = [];
  for (const answer of answers) {
    const { outcome, incidentId, cancelledPending } = await owner.call(answer);
    const openedBy = answers.findIndex(({ body }) => body.traceId === opened.get(incidentId));
    shown.push({ status: answer.status, outcome, incident: openedBy === -1 ? null : openedBy, cancelledPending });
  }
  expect(shown).toEqual(model.calls);
}
