import type { Alert, IncidentAlert, OwnerNotice } from '../domain/alert.ts';
import { localTime } from '../domain/local-time.ts';
import { noticeWords } from '../domain/notice.ts';
import { ADDRESS_LENGTH, NAME_LENGTH } from '../process/text.ts';
import { moreBefore } from './brief.ts';
import { htmlPage } from './html-page.ts';
import { type Language, languageFor } from './language.ts';
import { firedOf, named, placeOf } from './names.ts';
import type { Label } from './phrases.ts';

/** What one person is told, ready for a medium that has a subject. */
export interface Message {
  /** One line: what it is comes first, `[TEST]` before it in test. */
  subject: string;
  /** Plain text, lines separated by `\n`. */
  text: string;
  /** The same as an HTML page: no images, no scripts, nothing that is fetched from elsewhere. */
  html: string;
}

/** One line of a message. */
export interface Fact {
  label: string;
  value: string;
}

/**
 * Writes a message for the purpose that it has (domain/alert.ts): of an incident what fired, live or test, where, when (in
 * the person's zone and in UTC), who has it, and the link to its page; of a drill, that it is one; the code of a
 * verification and who asks; what the owner of an account must know and can do. In the language of the contact's locale,
 * else in English. Texts that owners wrote are cleaned here.
 */
export function writeMessage(alert: Alert): Message {
  const language = languageFor(alert.locale);
  const subject = subjectOf(alert, language);
  const facts = factsOf(alert, language);
  const page = pageOf(alert, language);
  const pageFact = page === null ? [] : [{ label: language.phrases.written.labels.page, value: page.url }];
  const text = [...facts, ...pageFact].map(({ label, value }) => `${label}: ${value}\n`).join('');
  return { subject, text, html: htmlPage({ language: language.phrases.language, subject, facts, page }) };
}

/** The message as one plain text, subject first: what the outbox keeps where it cannot be sent. */
export function writePlainText(alert: Alert): string {
  const { subject, text } = writeMessage(alert);
  return `${subject}\n\n${text}`;
}

/** Whether a person is still asked to take it: where nobody has it and an answer would be heard. */
export function canBeTaken(alert: Alert): alert is IncidentAlert {
  if (!('incidentId' in alert) || alert.purpose === 'notice') return false;
  return alert.wayBack !== null && alert.purpose !== 'taken' && alert.takenBy === '';
}

function subjectOf(alert: Alert, { phrases }: Language): string {
  const { written } = phrases;
  switch (alert.purpose) {
    case 'drill':
      return `${written.testPrefix} ${written.drill}`;
    case 'verification':
      return written.verification(alert.code);
    case 'notice':
      return noticeWords(alert.notice, alert.about, alert.place, alert).subject;
  }
  const fired = firedOf(alert, phrases, NAME_LENGTH);
  const subject = {
    alert: () => written.alert(fired),
    taken: () => written.taken(named(alert.takenBy, phrases, NAME_LENGTH), fired),
    still_happening: () => written.stillHappening(fired),
  }[alert.purpose]();
  return alert.environment === 'test' ? `${written.testPrefix} ${subject}` : subject;
}

function pageOf(alert: Alert, { phrases }: Language): { url: string; label: string } | null {
  if (!('wayBack' in alert) || alert.wayBack === null) return null;
  const { seeAndAnswer, see } = phrases.written;
  return { url: alert.wayBack.pageUrl, label: canBeTaken(alert) ? seeAndAnswer : see };
}

function factsOf(alert: Alert, language: Language): Fact[] {
  const { phrases } = language;
  const { written } = phrases;
  const { labels } = written;
  switch (alert.purpose) {
    case 'drill':
      return [{ label: labels.what, value: written.drilled }, ...timeFacts(alert.at, 'when', alert, language)];
    case 'verification': {
      const account = named(alert.accountName, phrases, NAME_LENGTH);
      return [
        { label: labels.code, value: alert.code },
        { label: labels.what, value: written.verificationAsked(account) },
        { label: labels.todo, value: written.verificationTodo },
        ...timeFacts(alert.at, 'when', alert, language),
      ];
    }
    case 'notice':
      return noticeFacts(alert, language);
    default:
      return incidentFacts(alert, language);
  }
}

function noticeFacts(alert: OwnerNotice, language: Language): Fact[] {
  const { labels } = language.phrases.written;
  const { explanation, todo } = noticeWords(alert.notice, alert.about, alert.place, alert);
  return [
    { label: labels.what, value: explanation },
    { label: labels.todo, value: todo },
    { label: labels.account, value: named(alert.accountName, language.phrases, NAME_LENGTH) },
    ...(alert.incidentId === '' ? [] : [{ label: labels.incident, value: alert.incidentId }]),
    ...timeFacts(alert.at, 'when', alert, language),
  ];
}

function incidentFacts(alert: IncidentAlert, language: Language): Fact[] {
  const { phrases, locale } = language;
  const { written } = phrases;
  const { labels } = written;
  const fact = (label: Label, value: string): Fact => ({ label: labels[label], value });
  const { purpose } = alert;
  const by = alert.takenBy === '' ? null : named(alert.takenBy, phrases, NAME_LENGTH);
  const last = localTime(alert.lastTriggerAt, locale, alert.timeZone).local;
  const step = { ...alert, policy: named(alert.policyName, phrases, NAME_LENGTH) };
  return [
    fact('what', written.fired(firedOf(alert, phrases, NAME_LENGTH))),
    ...(purpose === 'alert' ? [] : [fact('answered', by === null ? written.takenByNobody : written.takenBy(by))]),
    ...moreBefore(alert, written.moreBefore).map(more => fact('before', more)),
    ...(purpose === 'still_happening' ? [fact('triggers', written.triggers(alert.triggerCount, last))] : []),
    fact('environment', written.environment[alert.environment]),
    fact('where', placeOf(alert, phrases, { name: NAME_LENGTH, address: ADDRESS_LENGTH })),
    ...timeFacts(alert.openedAt, purpose === 'alert' ? 'when' : 'since', alert, language),
    ...(purpose === 'alert' ? [fact('step', written.step(step))] : []),
    ...(canBeTaken(alert) && alert.replyCode !== '' && alert.texts === 'gets_texts'
      ? [fact('replyCode', written.replyCode(alert.replyCode))]
      : []),
  ];
}

/** When, in the person's zone and in UTC, and for whom. */
function timeFacts(at: number, label: 'when' | 'since', alert: Alert, { phrases, locale }: Language): Fact[] {
  const { labels } = phrases.written;
  const { local, utc } = localTime(at, locale, alert.timeZone);
  return [
    { label: labels[label], value: local },
    { label: labels.utc, value: utc },
    { label: labels.who, value: named(alert.contactName, phrases, NAME_LENGTH) },
  ];
}
