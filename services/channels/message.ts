import { ADDRESS_LENGTH, clean, cleanLines, escapeHtml, NAME_LENGTH } from '../domain/clean.ts';
import { localTime } from '../domain/local-time.ts';
import type { Alert } from './channel.ts';
import { type Phrases, phrasesFor } from './phrases.ts';

/** What one person is told, ready for a medium that has a subject. */
export interface Message {
  /** One line: what it is comes first, `[TEST]` before it in test. */
  subject: string;
  /** Plain text, lines separated by `\n`. */
  text: string;
  /** The same as an HTML page: no images, no scripts, nothing that is fetched from elsewhere. */
  html: string;
}

/**
 * Writes the message of an alert: who, what fired, when (in the person's zone and in UTC), where, which step, live or
 * test; of a drill, that it is one, when and to whom. In the language of the contact's locale, else in English. Texts that owners wrote are cleaned here.
 */
export function writeMessage(alert: Alert): Message {
  const phrases = phrasesFor(alert.locale);
  const subject = subjectOf(alert, phrases);
  const facts = factsOf(alert, phrases);
  return { subject, text: textOf(facts), html: htmlOf(subject, facts, phrases) };
}

/** The message as one plain text, subject first: what the outbox keeps where it cannot be sent. */
export function writePlainText(alert: Alert): string {
  const { subject, text } = writeMessage(alert);
  return `${subject}\n\n${text}`;
}

function subjectOf(alert: Alert, phrases: Phrases): string {
  if (alert.purpose === 'drill') return `${phrases.testPrefix} ${phrases.drillSubject}`;
  const fired = firedOf(alert, phrases);
  const subject = alert.sourceKind === 'panic' ? phrases.panicSubject(fired) : phrases.alarmSubject(fired);
  return alert.environment === 'test' ? `${phrases.testPrefix} ${subject}` : subject;
}

interface Fact {
  label: string;
  value: string;
}

function factsOf(alert: Alert, phrases: Phrases): Fact[] {
  const { labels } = phrases;
  const opened = localTime(alert.openedAt, alert.locale, alert.timeZone);
  const when = [
    { label: labels.when, value: opened.local },
    { label: labels.utc, value: opened.utc },
    { label: labels.who, value: named(alert.contactName, phrases) },
  ];
  if (alert.purpose === 'drill') return [{ label: labels.what, value: phrases.drilled }, ...when];
  const fired = firedOf(alert, phrases);
  return [
    { label: labels.what, value: alert.sourceKind === 'panic' ? phrases.panicFired(fired) : phrases.alarmFired(fired) },
    { label: labels.environment, value: phrases.environment[alert.environment] },
    { label: labels.where, value: whereOf(alert, phrases) },
    ...when,
    { label: labels.step, value: phrases.step({ ...alert, policy: named(alert.policyName, phrases) }) },
  ];
}

function firedOf(alert: Alert, phrases: Phrases) {
  return {
    source: named(alert.sourceName, phrases),
    mode: alert.modeName === null ? null : named(alert.modeName, phrases),
    response: alert.responseKind === null ? null : phrases.responseKinds[alert.responseKind],
  };
}

function whereOf(alert: Alert, phrases: Phrases): string {
  const address = cleanLines(alert.locationAddress, ADDRESS_LENGTH);
  const name = named(alert.locationName, phrases);
  return address === '' ? name : `${name}, ${address}`;
}

function named(text: string, phrases: Phrases): string {
  return clean(text, NAME_LENGTH) || phrases.nameless;
}

function textOf(facts: readonly Fact[]): string {
  return `${facts.map(({ label, value }) => `${label}: ${value}`).join('\n')}\n`;
}

function htmlOf(subject: string, facts: readonly Fact[], phrases: Phrases): string {
  const rows = facts.map(
    ({ label, value }) => `<dt><strong>${escapeHtml(label)}</strong></dt>\n<dd dir="auto">${escapeHtml(value)}</dd>`,
  );
  return `<!doctype html>
<html lang="${phrases.language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body>
<h1 dir="auto">${escapeHtml(subject)}</h1>
<dl>
${rows.join('\n')}
</dl>
</body>
</html>
`;
}
