import { createHash } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PageSchema } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import { copiedContact } from '../domain/alert.ts';
import { type Fired, responseOf } from '../domain/common-words.ts';
import { standsAt } from '../domain/delivery.ts';
import type { ContactCopy } from '../domain/escalation.ts';
import { shortTime, timeAndDay } from '../domain/local-time.ts';
import { listedOf, OFFERED, pageState } from '../domain/page.ts';
import { ADDRESS_LENGTH, clean, cleanLines, NAME_LENGTH } from '../process/text.ts';
import type { RespondingDelivery, ToldMessage } from '../store/statements/responder.ts';
import { pageWordsFor } from './languages.ts';
import type { PageWords } from './words.ts';

type Page = MessageInitShape<typeof PageSchema>;

/**
 * The page of an incident for the contact of one delivery (DECISIONS.md "Acknowledge"): in their language and zone, all
 * texts clean. Names of the other contacts are on it, and no address of anybody.
 */
export function pageOf(delivery: RespondingDelivery, told: readonly ToldMessage[]): Page {
  const contact = copiedContact(delivery.incident.copy, delivery.contactId);
  const words = pageWordsFor(contact?.locale ?? 'en');
  const says = { words, delivery, ...timesFor(words, contact, delivery.now) };
  const state = pageState(delivery.incident);
  const address = cleanLines(delivery.incident.copy.locationAddress, ADDRESS_LENGTH);
  const page: Page = {
    language: words.language,
    title: titleOf(says),
    environment: delivery.incident.environment,
    environmentLabel: words.environmentLabel[delivery.incident.environment],
    state,
    status: statusOf(says),
    facts: factsOf(says, address),
    mapUrl: address === '' ? '' : `https://www.openstreetmap.org/search?query=${encodeURIComponent(address)}`,
    mapLabel: address === '' ? '' : words.mapLabel,
    toldHeading: words.toldHeading,
    told: listedOf(inOrder(told)).map(message => toldLine(says, message)),
    acknowledgeLabel: OFFERED[state].includes('acknowledge') ? words.acknowledge : '',
    closeLabel: OFFERED[state].includes('close') ? words.closeLabel : '',
    you: words.you(named(contact?.name ?? '', words)),
    offline: words.offline,
  };
  return { ...page, print: createHash('sha256').update(JSON.stringify(page)).digest('base64url').slice(0, 22) };
}

/** What all lines of a page are said with. */
interface Says {
  words: PageWords;
  delivery: RespondingDelivery;
  /** A moment (milliseconds since 1970), as short as it can be. */
  short(at: number): string;
  /** A moment with its day and zone. */
  long(at: number): string;
}

/** Times in the contact's zone, and in their own way of writing them where the page speaks their language. */
function timesFor(words: PageWords, contact: ContactCopy | null, now: number): Pick<Says, 'short' | 'long'> {
  const { locale = 'en', timeZone = 'UTC' } = contact ?? {};
  const written = pageWordsFor(locale).language === locale.split('-', 1)[0]!.toLowerCase() ? locale : words.language;
  return {
    short: at => shortTime(at, now, written, timeZone),
    long: at => timeAndDay(at, written, timeZone),
  };
}

function titleOf({ words, delivery }: Says): string {
  const said = words.title(firedOf(delivery, words));
  return delivery.incident.environment === 'test' ? `${words.testPrefix} ${said}` : said;
}

/** What is said of an incident that nobody has, where there is more to say. */
const UNANSWERED: Partial<Record<RespondingDelivery['shownOutcome'], (words: PageWords) => string>> = {
  exhausted: words => words.nobodyAtAll,
  nobody_reached: words => words.nobodyReached,
};

function statusOf({ words, delivery, short }: Says): string {
  const { acknowledgedAt, acknowledgedBy, acknowledgedContactId, closedAt, closeReason } = delivery.incident;
  if (closedAt !== null) return words.closed(short(closedAt), words.closeReasons[closeReason ?? 'console']);
  if (acknowledgedAt === null) return UNANSWERED[delivery.shownOutcome]?.(words) ?? words.takenByNobody;
  if (acknowledgedContactId === delivery.contactId) return words.takenByYou(short(acknowledgedAt));
  return words.taken(named(acknowledgedBy ?? '', words), short(acknowledgedAt));
}

function factsOf({ words, delivery, short, long }: Says, address: string): { label: string; value: string }[] {
  const { labels } = words;
  const { incident } = delivery;
  const { copy, triggerCount } = incident;
  const place = named(copy.locationName, words);
  const facts = [
    { label: labels.what, value: words.fired(firedOf(delivery, words)) },
    { label: labels.where, value: address === '' ? place : `${place}, ${address}` },
    { label: labels.when, value: long(incident.openedAt) },
  ];
  if (triggerCount > 1) {
    facts.push({ label: labels.triggers, value: words.triggers(triggerCount, short(incident.lastTriggerAt)) });
  }
  if (incident.acknowledgedAt !== null) {
    const by = named(incident.acknowledgedBy ?? '', words);
    const via = words.vias[incident.acknowledgedVia ?? 'console'];
    facts.push({ label: labels.answered, value: words.answered(by, short(incident.acknowledgedAt), via) });
  }
  return [...facts, { label: labels.environment, value: words.environment[incident.environment] }];
}

function firedOf({ incident: { copy } }: RespondingDelivery, words: PageWords): Fired {
  const mode = copy.modeName === null ? null : named(copy.modeName, words);
  const response = responseOf(copy, words, NAME_LENGTH);
  const kind = copy.sourceKind;
  return { kind, source: named(copy.sourceName, words), what: kind === 'panic' ? response : mode };
}

function inOrder(told: readonly ToldMessage[]): ToldMessage[] {
  return told.toSorted((one, other) => standsAt(one) - standsAt(other));
}

function toldLine({ words, delivery, short }: Says, message: ToldMessage): string {
  const name = named(copiedContact(delivery.incident.copy, message.contactId)?.name ?? '', words);
  return words.toldLine(name, words.channels[message.channel], becameOf(message, words, short));
}

function becameOf(message: ToldMessage, { told, reasons }: PageWords, short: Says['short']): string {
  const because = (message.reason ?? '').split(':', 1)[0]!;
  const why = Object.hasOwn(reasons, because) ? ` (${reasons[because]})` : '';
  switch (message.status) {
    case 'scheduled':
      return message.tries === 0 ? told.scheduled(short(message.dueAt)) : told.retried(why, short(message.dueAt));
    case 'suppressed':
      return told.suppressed(short(message.dueAt));
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
    case 'outbox':
      return told.outbox;
  }
}

function named(text: string, words: PageWords): string {
  return clean(text, NAME_LENGTH) || words.nameless;
}
