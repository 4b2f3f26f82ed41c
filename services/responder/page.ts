import { createHash } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PageSchema } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import { copiedContact, type IncidentCopy } from '../domain/alert.ts';
import { standsAt } from '../domain/delivery.ts';
import type { ContactCopy } from '../domain/escalation.ts';
import { shortTime, timeAndDay } from '../domain/local-time.ts';
import { listedOf, OFFERED, pageState } from '../domain/page.ts';
import { ADDRESS_LENGTH, cleanLines, NAME_LENGTH } from '../process/text.ts';
import { toWall } from '../process/wall-clock.ts';
import type { RespondingDelivery, ToldMessage } from '../store/statements/responder.ts';
import { type Language, languageFor } from '../words/language.ts';
import { firedOf, named, titleOf } from '../words/names.ts';
import type { Fired, Words } from '../words/types.ts';

type Page = MessageInitShape<typeof PageSchema>;

/**
 * Builds the page of an incident for the contact of one delivery (DECISIONS.md "Acknowledge"): in their language and
 * zone, all texts cleaned. It shows names of the other contacts and nobody's address.
 */
export function pageOf(delivery: RespondingDelivery, told: readonly ToldMessage[]): Page {
  const contact = copiedContact(delivery.incident.copy, delivery.contactId);
  const language = languageFor(contact?.locale ?? 'en');
  const { words } = language;
  const { page: said } = words;
  const says = { words, delivery, ...timesFor(language, contact, delivery.now) };
  const state = pageState(delivery.incident);
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
    toldHeading: said.toldHeading,
    told: listedOf(inOrder(told)).map(message => toldLine(says, message)),
    acknowledgeLabel: OFFERED[state].includes('acknowledge') ? words.acknowledge : '',
    ...(OFFERED[state].includes('close')
      ? { closeLabel: said.closeLabel, closeQuestion: said.closeQuestion, closeConfirmLabel: said.closeConfirmLabel }
      : {}),
    you: said.you(named(contact?.name ?? '', words, NAME_LENGTH)),
    offline: said.offline,
  };
  return { ...page, print: createHash('sha256').update(JSON.stringify(page)).digest('base64url').slice(0, 22) };
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
  const title = titleOf(firedBy(delivery.incident.copy, words), words);
  return delivery.incident.environment === 'test' ? `${words.testPrefix} ${title}` : title;
}

/** What to add about an incident that nobody acknowledged, by its outcome. */
const UNANSWERED: Partial<Record<RespondingDelivery['shownOutcome'], (words: Words) => string>> = {
  exhausted: ({ page }) => page.nobodyAcknowledged,
  nobody_reached: ({ page }) => page.nobodyReached,
};

function statusOf({ words, delivery, short }: Says): string {
  const { acknowledgedAt, acknowledgedBy, acknowledgedContactId, closedAt, closeReason } = delivery.incident;
  const { page } = words;
  if (closedAt !== null && delivery.closedBy !== null)
    return page.closedBy(named(delivery.closedBy, words, NAME_LENGTH), short(closedAt));
  if (closedAt !== null) return page.closed(short(closedAt), page.closeReasons[closeReason ?? 'console']);
  if (acknowledgedAt === null) return UNANSWERED[delivery.shownOutcome]?.(words) ?? words.notAcknowledged;
  if (acknowledgedContactId === delivery.contactId) return page.youAcknowledged(short(acknowledgedAt));
  return page.acknowledgedBy(named(acknowledgedBy ?? '', words, NAME_LENGTH), short(acknowledgedAt));
}

function factsOf({ words, delivery, short, long }: Says, address: string): { label: string; value: string }[] {
  const { labels } = words;
  const { incident } = delivery;
  const { copy, triggerCount } = incident;
  const place = named(copy.locationName, words, NAME_LENGTH);
  const facts = [
    { label: labels.what, value: words.fired(firedBy(copy, words)) },
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

/** What fired, from the incident's copy. */
function firedBy(copy: IncidentCopy, words: Words): Fired {
  return firedOf(copy, words, NAME_LENGTH);
}

function inOrder(told: readonly ToldMessage[]): ToldMessage[] {
  return told.toSorted((one, other) => standsAt(one) - standsAt(other));
}

function toldLine({ words, delivery, short }: Says, message: ToldMessage): string {
  const name = named(copiedContact(delivery.incident.copy, message.contactId)?.name ?? '', words, NAME_LENGTH);
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
