import { createHash } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PageCallSchema, PageSchema } from '../../gen/tocsin/incident/v1/page_pb.ts';
import { copiedContact } from '../domain/alert.ts';
import { standsAt } from '../domain/delivery.ts';
import { type ContactCopy, stepName } from '../domain/escalation.ts';
import { DISPOSITIONS } from '../domain/incident.ts';
import { shortTime, timeAndDay } from '../domain/local-time.ts';
import { CALLS_SHOWN, callsOffered, listedOf, OFFERED, type PageState, pageState } from '../domain/page.ts';
import { NOTE_LENGTH } from '../domain/person-moves.ts';
import { type Standing, standingOf } from '../domain/standing.ts';
import { trippedBy } from '../domain/tripped.ts';
import { ADDRESS_LENGTH, clean, cleanLines, NAME_LENGTH } from '../process/text.ts';
import { toWall } from '../process/wall-clock.ts';
import type { DoneByPerson, RespondingDelivery, ToldMessage } from '../store/statements/responder.ts';
import { type Language, languageFor } from '../words/language.ts';
import { firedOf, named, titleOf, trippedOf } from '../words/names.ts';
import type { Fired, Words } from '../words/types.ts';

type Page = MessageInitShape<typeof PageSchema>;

/**
 * Builds the page of an incident for the contact of one delivery (DECISIONS.md "Acknowledge"): in their language and
 * zone, all texts cleaned. It shows names of the other contacts, and nobody's address but the numbers of those who let it.
 */
export function pageOf(
  delivery: RespondingDelivery,
  { told = [], done = [], numbers = new Map(), justDone = '' }: Around = {},
): Page {
  const contact = copiedContact(delivery.incident.copy, delivery.contactId, delivery.step);
  const language = languageFor(contact?.locale ?? 'en');
  const { words } = language;
  const { page: said } = words;
  const says = { words, delivery, ...timesFor(language, contact, delivery.now) };
  const state = pageState(delivery.incident);
  const isDrill = delivery.incident.environment === 'drill';
  const address = cleanLines(delivery.incident.copy.locationAddress, ADDRESS_LENGTH);
  const page: Page = {
    language: words.language,
    title: headingOf(says),
    environment: delivery.incident.environment,
    environmentLabel: said.environmentLabel[delivery.incident.environment],
    state,
    status: statusOf(says),
    facts: factsOf(says, address),
    mapUrl: address === '' ? '' : `https://www.openstreetmap.org/search?query=${encodeURIComponent(address)}`,
    mapLabel: address === '' ? '' : said.mapLabel,
    lookHere: lookHere(says),
    calls: callsOf(says, numbers),
    toldHeading: said.toldHeading[delivery.incident.closedAt === null ? 'open' : 'closed'],
    told: listedOf(inOrder(told)).map(message => toldLine(says, message)),
    acknowledgeLabel: OFFERED[state].includes('acknowledge') ? words.acknowledge : '',
    ...(OFFERED[state].includes('close') && !isDrill
      ? {
          closeLabel: said.closeLabel,
          closeQuestion: said.closeQuestion,
          closeConfirmLabel: said.closeConfirmLabel,
          // In test nothing was real.
          dispositions: delivery.incident.environment === 'live' ? dispositionsOf(words) : [],
        }
      : {}),
    ...(delivery.ring === 'asked'
      ? {
          ringQuestion: words.drill.ringQuestion,
          ringAloudLabel: words.drill.rangAloud,
          ringSilentLabel: words.drill.rangSilent,
        }
      : {}),
    ...actionsOf(says, state, told),
    ...(done.length === 0
      ? {}
      : { notesHeading: said.notesHeading, notes: done.slice(-NOTES_SHOWN).map(one => doneLine(says, one)) }),
    you: said.you(named(contact?.name ?? '', words, NAME_LENGTH)),
    offline: said.offline,
  };
  const print = createHash('sha256').update(JSON.stringify(page)).digest('base64url').slice(0, 22);
  // What is said of what was just done stays until anything else on the page differs.
  return { ...page, ...openFor(says), print, notice: Object.hasOwn(said.said, justDone) ? said.said[justDone]! : '' };
}

/** What else the page of a delivery shows. */
export interface Around {
  told?: readonly ToldMessage[];
  done?: readonly DoneByPerson[];
  /** The numbers of the other contacts who let themselves be called, by the ids of the contacts. */
  numbers?: ReadonlyMap<string, string>;
  /** The outcome of what was just done there. Empty, or unknown: nothing is said of it. */
  justDone?: string;
}

/** Returns whom this person can call: the emergency services of the place, then others who were alerted. */
function callsOf(
  { words: { page }, delivery }: Says,
  numbers: ReadonlyMap<string, string>,
): MessageInitShape<typeof PageCallSchema>[] {
  const { incident, emergencyNumber } = delivery;
  if (callsOffered(incident.environment, incident) === 'not_offered') return [];
  const people = othersOf(delivery).flatMap(({ id, name }) => {
    const number = numbers.get(id);
    return number === undefined ? [] : [{ label: page.callPerson(name), number, kind: 'person' }];
  });
  const help = { label: page.callNumber(emergencyNumber), number: emergencyNumber, kind: 'emergency' };
  return [...(emergencyNumber === '' ? [] : [help]), ...people.slice(0, CALLS_SHOWN)];
}

/** Counted by whoever shows it: it differs every second, and the page does not. */
function openFor({ words, delivery: { incident, now } }: Says): Pick<Page, 'openForS' | 'openForLabel'> {
  if (incident.closedAt !== null) return {};
  return { openForS: Math.max(0, Math.floor((now - incident.openedAt) / 1_000)), openForLabel: words.page.openFor };
}

function dispositionsOf({ page }: Words) {
  return DISPOSITIONS.map(disposition => ({ disposition, label: page.dispositions[disposition] }));
}

/** How many of the last notes are shown. The console shows them all. */
const NOTES_SHOWN = 20;

/** Returns what this person can do besides acknowledging and closing. */
function actionsOf({ words: { page }, delivery }: Says, state: PageState, told: readonly ToldMessage[]) {
  const offered = OFFERED[state];
  const next = offered.includes('next_step') ? nextStepOf(told, delivery.now) : null;
  const people = offered.includes('hand_over') ? othersOf(delivery) : [];
  return {
    ...(next === null ? {} : { nextLabel: page.nextLabel, nextStep: stepName(next) }),
    ...(offered.includes('note')
      ? { noteLabel: page.noteLabel, noteFieldLabel: page.noteField, noteConfirmLabel: page.noteConfirm }
      : {}),
    ...(offered.includes('decline') && delivery.incident.environment !== 'drill'
      ? { declineLabel: page.declineLabel }
      : {}),
    ...(people.length === 0 ? {} : { handOverLabel: page.handOverLabel, handOverText: page.handOverText, people }),
  };
}

/** Returns the step that is still to come and is planned first; null if there is none. */
function nextStepOf(told: readonly ToldMessage[], now: number): ToldMessage | null {
  const ahead = told.filter(({ status, plannedAt }) => status === 'scheduled' && plannedAt > now);
  const sorted = ahead.toSorted((a, b) => a.plannedAt - b.plannedAt || a.round - b.round || a.step - b.step);
  return sorted[0] ?? null;
}

/** Returns the other contacts of the incident's policy, each once, who could take over on the page of one of them. */
export function othersOf({ incident, contactId }: Pick<RespondingDelivery, 'incident' | 'contactId'>) {
  const all = incident.copy.policy?.steps.flatMap(({ contacts }) => contacts) ?? [];
  const others = new Map(all.filter(({ id }) => id !== contactId).map(({ id, name }) => [id, name]));
  return [...others].map(([id, name]) => ({ id, name: clean(name, NAME_LENGTH) }));
}

function doneLine({ words, short }: Says, { kind, by, detail, at }: DoneByPerson): string {
  const who = named(by, words, NAME_LENGTH);
  if (kind === 'noted') return words.page.noted(who, short(at), clean(detail, NOTE_LENGTH));
  if (kind === 'next_step') return words.page.steppedBy(who, short(at));
  if (kind === 'declined') return words.page.declinedBy(who, short(at));
  return words.page.handedOver(who, named(detail, words, NAME_LENGTH), short(at));
}

/** What all lines of a page need. */
interface Says {
  words: Words;
  delivery: RespondingDelivery;
  /** Writes a moment (milliseconds since 1970) as short as possible. */
  short(at: number): string;
  /** Writes a moment with its day and zone. */
  long(at: number): string;
}

/** Times in the contact's zone, and in their locale if the page is in their language. */
function timesFor({ locale }: Language, contact: ContactCopy | null, now: number): Pick<Says, 'short' | 'long'> {
  const timeZone = contact?.timeZone ?? 'UTC';
  return {
    short: at => shortTime(toWall(at), toWall(now), locale, timeZone),
    long: at => timeAndDay(toWall(at), locale, timeZone),
  };
}

function headingOf({ words, delivery }: Says): string {
  if (delivery.incident.environment === 'drill') return words.drill.title;
  const title = titleOf(firedBy(delivery.incident, words), words);
  return delivery.incident.environment === 'test' ? `${words.testPrefix} ${title}` : title;
}

/** What to add about an incident that nobody acknowledged, by its outcome. */
const UNANSWERED: Partial<Record<Standing, (words: Words) => string>> = {
  nobody_acknowledged: ({ page }) => page.nobodyAcknowledged,
  nobody_reached: ({ page }) => page.nobodyReached,
};

function statusOf({ words, delivery, short }: Says): string {
  const { acknowledgedAt, acknowledgedBy, acknowledgedContactId, closedAt, closeReason } = delivery.incident;
  const { page } = words;
  if (delivery.ring === 'aloud') return words.drill.toldAloud;
  if (delivery.ring === 'silent') return words.drill.toldSilent;
  if (closedAt !== null && delivery.closedBy !== null)
    return page.closedBy(named(delivery.closedBy, words, NAME_LENGTH), short(closedAt));
  if (closedAt !== null) return page.closed(short(closedAt), page.closeReasons[closeReason ?? 'console']);
  if (acknowledgedAt === null)
    return UNANSWERED[standingOf(delivery.incident, delivery.reached)]?.(words) ?? words.notAcknowledged;
  if (acknowledgedContactId === delivery.contactId) return page.youAcknowledged(short(acknowledgedAt));
  return page.acknowledgedBy(named(acknowledgedBy ?? '', words, NAME_LENGTH), short(acknowledgedAt));
}

function factsOf({ words, delivery, short, long }: Says, address: string): { label: string; value: string }[] {
  const { labels } = words;
  const { incident } = delivery;
  const { copy, triggerCount, silentSince } = incident;
  if (incident.environment === 'drill') {
    return [
      { label: labels.what, value: words.drill.what },
      { label: labels.todo, value: words.drill.todo },
      { label: labels.when, value: long(incident.openedAt) },
    ];
  }
  const place = named(copy.locationName, words, NAME_LENGTH);
  const [first, ...joined] = trippedOf(trippedIn(incident), NAME_LENGTH);
  const facts = [
    { label: labels.what, value: words.fired(firedBy(incident, words)) },
    ...(first === undefined
      ? []
      : [
          {
            label: labels.trippedBy,
            value: words.trippedBy(silentSince === null ? first : words.silentSince(first, long(silentSince)), joined),
          },
        ]),
    { label: labels.where, value: address === '' ? place : `${place}, ${address}` },
    { label: labels.when, value: long(incident.openedAt) },
  ];
  if (triggerCount > 1) {
    facts.push({ label: labels.triggers, value: words.page.triggers(triggerCount, short(incident.lastTriggerAt)) });
  }
  if (incident.acknowledgedAt !== null) {
    const by = named(incident.acknowledgedBy ?? '', words, NAME_LENGTH);
    const via = words.page.vias[incident.acknowledgedVia ?? 'console'];
    facts.push({ label: labels.acknowledged, value: words.page.acknowledged(by, short(incident.acknowledgedAt), via) });
  }
  // What was live is over.
  if (incident.environment === 'live' && incident.closedAt !== null) return facts;
  return [...facts, { label: labels.environment, value: words.environment[incident.environment] }];
}

/** Where to look at what tripped it: each by the label that it had then, wherever its page is now. */
function lookHere({ words, delivery: { incident, lookUrls } }: Says): { label: string; url: string }[] {
  return incident.trippedKeys.flatMap(key => {
    const url = lookUrls?.[key];
    if (url === undefined) return [];
    return [{ label: words.page.lookHere(named(incident.trippedLabels[key] ?? '', words, NAME_LENGTH)), url }];
  });
}

/** What fired, from the incident's copy, and what tripped it. */
function firedBy(incident: RespondingDelivery['incident'], words: Words): Fired {
  return firedOf({ ...incident.copy, ...trippedIn(incident) }, words, NAME_LENGTH);
}

function trippedIn({ trippedKeys, trippedLabels, silentSince }: RespondingDelivery['incident']) {
  return { trippedBy: trippedBy(trippedKeys, trippedLabels), silentSince };
}

function inOrder(told: readonly ToldMessage[]): ToldMessage[] {
  return told.toSorted((one, other) => standsAt(one) - standsAt(other));
}

function toldLine({ words, delivery, short }: Says, message: ToldMessage): string {
  const name = named(
    copiedContact(delivery.incident.copy, message.contactId, message.step)?.name ?? '',
    words,
    NAME_LENGTH,
  );
  return words.page.toldLine(name, words.page.channels[message.channel], becameOf(message, words, short));
}

function becameOf(message: ToldMessage, { page: { told, reasons } }: Words, short: Says['short']): string {
  const because = (message.reason ?? '').split(':', 1)[0]!;
  const why = Object.hasOwn(reasons, because) ? ` (${reasons[because]})` : '';
  switch (message.status) {
    case 'scheduled':
      return message.tries === 0 ? told.scheduled(short(message.dueAt)) : told.retried(why, short(message.dueAt));
    case 'suppressed':
      return message.reason === null ? told.suppressed(short(message.dueAt)) : told.passedOver(why);
    case 'sending':
      return told.sending;
    case 'sent':
      return told.sent(short(message.sentAt ?? message.dueAt));
    case 'delivered':
      return told.delivered(short(message.deliveredAt ?? message.dueAt));
    case 'failed':
      return told.failed(why);
    case 'cancelled':
      return told.cancelled;
    case 'no_carrier':
      return told.noCarrier;
  }
}
