import { createHash } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PageSchema } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import { copiedContact } from '../domain/alert.ts';
import { ADDRESS_LENGTH, clean, cleanLines, NAME_LENGTH } from '../domain/clean.ts';
import { type Fired, responseOf } from '../domain/common-words.ts';
import { standsAt } from '../domain/delivery.ts';
import type { ContactCopy } from '../domain/escalation.ts';
import { shortTime, timeAndDay } from '../domain/local-time.ts';
import { listedOf, OFFERED, pageState } from '../domain/page.ts';
import type { RespondingDelivery, ToldMessage } from '../store/statements/responder.ts';
import { pageWordsFor } from './languages.ts';
import type { PageWords } from './words.ts';

type Page = MessageInitShape<typeof PageSchema>;

/**
 * The page of an incident for the contact of one delivery (DECISIONS.md "Acknowledge"): in their language and zone, all
 * texts clean. Names of the other contacts are on it, and no address of anybody.
 */
export function pageOf(delivery: RespondingDelivery, told: readonly ToldMessage[]): Page {
  const contact = copiedContact(delivery.copy, delivery.contact_id);
  const words = pageWordsFor(contact?.locale ?? 'en');
  const says = { words, delivery, ...timesFor(words, contact, delivery.now) };
  const state = pageState({
    acknowledgedAt: delivery.acknowledged_at?.getTime() ?? null,
    closedAt: delivery.closed_at?.getTime() ?? null,
  });
  const address = cleanLines(delivery.copy.locationAddress, ADDRESS_LENGTH);
  const page: Page = {
    language: words.language,
    title: titleOf(says),
    environment: delivery.environment,
    environmentLabel: words.environmentLabel[delivery.environment],
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
  /** A moment, as short as it can be. */
  short(at: Date): string;
  /** A moment with its day and zone. */
  long(at: Date): string;
}

/** Times in the contact's zone, and in their own way of writing them where the page speaks their language. */
function timesFor(words: PageWords, contact: ContactCopy | null, now: Date): Pick<Says, 'short' | 'long'> {
  const { locale = 'en', timeZone = 'UTC' } = contact ?? {};
  const written = pageWordsFor(locale).language === locale.split('-', 1)[0]!.toLowerCase() ? locale : words.language;
  return {
    short: at => shortTime(at.getTime(), now.getTime(), written, timeZone),
    long: at => timeAndDay(at.getTime(), written, timeZone),
  };
}

function titleOf({ words, delivery }: Says): string {
  const said = words.title(firedOf(delivery, words));
  return delivery.environment === 'test' ? `${words.testPrefix} ${said}` : said;
}

/** What is said of an incident that nobody has, where there is more to say. */
const UNANSWERED: Partial<Record<RespondingDelivery['outcome'], (words: PageWords) => string>> = {
  exhausted: words => words.nobodyAtAll,
  nobody_reached: words => words.nobodyReached,
};

function statusOf({ words, delivery, short }: Says): string {
  const { acknowledged_at, acknowledged_by, acknowledged_contact_id, closed_at, close_reason, outcome } = delivery;
  if (closed_at !== null) return words.closed(short(closed_at), words.closeReasons[close_reason ?? 'console']);
  if (acknowledged_at === null) return UNANSWERED[outcome]?.(words) ?? words.takenByNobody;
  if (acknowledged_contact_id === delivery.contact_id) return words.takenByYou(short(acknowledged_at));
  return words.taken(named(acknowledged_by ?? '', words), short(acknowledged_at));
}

function factsOf({ words, delivery, short, long }: Says, address: string): { label: string; value: string }[] {
  const { labels } = words;
  const { copy, acknowledged_at, acknowledged_by, acknowledged_via, trigger_count, last_trigger_at } = delivery;
  const place = named(copy.locationName, words);
  const facts = [
    { label: labels.what, value: words.fired(firedOf(delivery, words)) },
    { label: labels.where, value: address === '' ? place : `${place}, ${address}` },
    { label: labels.when, value: long(delivery.opened_at) },
  ];
  if (trigger_count > 1) {
    facts.push({ label: labels.triggers, value: words.triggers(trigger_count, short(last_trigger_at)) });
  }
  if (acknowledged_at !== null) {
    const by = named(acknowledged_by ?? '', words);
    const via = words.vias[acknowledged_via ?? 'console'];
    facts.push({ label: labels.answered, value: words.answered(by, short(acknowledged_at), via) });
  }
  return [...facts, { label: labels.environment, value: words.environment[delivery.environment] }];
}

function firedOf({ copy }: RespondingDelivery, words: PageWords): Fired {
  const mode = copy.modeName === null ? null : named(copy.modeName, words);
  const response = responseOf(copy, words, NAME_LENGTH);
  const kind = copy.sourceKind;
  return { kind, source: named(copy.sourceName, words), what: kind === 'panic' ? response : mode };
}

function inOrder(told: readonly ToldMessage[]): ToldMessage[] {
  const at = ({ status, planned_at, due_at, first_attempt_at }: ToldMessage) =>
    standsAt({
      status,
      plannedAt: planned_at.getTime(),
      dueAt: due_at.getTime(),
      firstAttemptAt: first_attempt_at?.getTime() ?? null,
    });
  return told.toSorted((one, other) => at(one) - at(other));
}

function toldLine({ words, delivery, short }: Says, message: ToldMessage): string {
  const name = named(copiedContact(delivery.copy, message.contact_id)?.name ?? '', words);
  return words.toldLine(name, words.channels[message.channel], becameOf(message, words, short));
}

function becameOf(message: ToldMessage, { told, reasons }: PageWords, short: Says['short']): string {
  const because = (message.reason ?? '').split(':', 1)[0]!;
  const why = Object.hasOwn(reasons, because) ? ` (${reasons[because]})` : '';
  switch (message.status) {
    case 'scheduled':
      return message.tries === 0 ? told.scheduled(short(message.due_at)) : told.retried(why, short(message.due_at));
    case 'suppressed':
      return told.suppressed(short(message.due_at));
    case 'sending':
      return told.sending;
    case 'sent':
      return told.sent(short(message.sent_at ?? message.due_at));
    case 'delivered':
      return told.delivered(short(message.delivered_at ?? message.due_at));
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
