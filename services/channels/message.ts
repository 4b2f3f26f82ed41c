import type { Alert, IncidentAlert, MemberMail, OwnerNotice } from '../domain/alert.ts';
import { localTime } from '../domain/local-time.ts';
import { STRANGERS_NAME_LENGTH } from '../domain/verification.ts';
import { ADDRESS_LENGTH, NAME_LENGTH } from '../process/text.ts';
import { type Language, languageFor } from '../words/language.ts';
import { firedOf, named, placeOf, titleOf, trippedOf } from '../words/names.ts';
import { noticeWords } from '../words/notice.ts';
import type { Label } from '../words/types.ts';
import { type Fact, mailPage } from './mail-page.ts';
import { moreBefore } from './sms.ts';

/** A message to one person, for a medium with a subject. */
export interface Message {
  /** One line: what it is comes first, after `[TEST]` in test. */
  subject: string;
  /** Plain text, lines separated by `\n`. */
  text: string;
  /** The same as an HTML page (mail-page.ts): no images, no scripts, nothing fetched from elsewhere. */
  html: string;
}

/**
 * Writes a message for its purpose (domain/alert.ts): for an incident what fired and what tripped it, live or test, where, when (in the
 * person's zone), who acknowledged it, and the link to its page; for a drill, that it is one; the code of a
 * verification and who asks; what the owner of an account must know and can do; a sign-in code or an invitation to the
 * console. In the language of the contact's locale, otherwise in English. Texts that owners wrote are cleaned here.
 */
export function writeMessage(alert: Alert | MemberMail): Message {
  const language = languageFor(alert.locale);
  const subject = subjectOf(alert, language);
  const facts = factsOf(alert, language);
  const page = pageOf(alert, language);
  const pageFact = page === null ? [] : [{ label: language.words.labels.page, value: page.url }];
  const text = [...facts, ...pageFact].map(({ label, value }) => `${label}: ${value}\n`).join('');
  const band = bandOf(alert, language);
  return { subject, text, html: mailPage({ language: language.words.language, subject, band, facts, page }) };
}

/**
 * Writes a message that is not sent, as it is kept: one plain text, subject first, without link and reply code, because
 * others read it than the person alerted (DECISIONS.md "Link and reply code").
 */
export function writeKept(alert: Alert | MemberMail): string {
  const { subject, text } = writeMessage(withoutLinks(alert));
  return `${subject}\n\n${text}`;
}

function withoutLinks(alert: Alert | MemberMail): Alert | MemberMail {
  if ('wayBack' in alert) return { ...alert, wayBack: null, replyCode: '' };
  return alert.purpose === 'verification' ? { ...alert, confirmUrl: null } : alert;
}

/** Tells whether to ask a person to acknowledge it: nobody has, and a reply would reach us. */
export function canBeAcknowledged(alert: Alert | MemberMail): alert is IncidentAlert {
  if (!('incidentId' in alert) || alert.purpose === 'notice') return false;
  return alert.wayBack !== null && alert.purpose !== 'acknowledged' && alert.acknowledgedBy === '';
}

function subjectOf(alert: Alert | MemberMail, { words }: Language): string {
  const { mail } = words;
  switch (alert.purpose) {
    case 'drill':
      return `${words.testPrefix} ${mail.drill}`;
    case 'verification':
      return mail.verification(alert.code);
    case 'sign_in':
      return words.owner.members.signIn.subject(alert.code);
    case 'invitation':
      // They never confirmed the address: no account puts its own words before their eyes.
      return words.owner.members.invitation.subject;
    case 'notice':
      return noticeWords(alert.notice, alert.about, alert.place, alert).subject;
  }
  if (alert.environment === 'drill') return words.drill.title;
  const title = titleOf(firedOf(alert, words, NAME_LENGTH), words);
  const subject = {
    alert: () => (alert.asked === 'again' ? words.askedAgainTitle(title) : title),
    acknowledged: () => words.acknowledgedTitle(named(alert.acknowledgedBy, words, NAME_LENGTH), title),
    still_happening: () => words.stillHappeningTitle(title),
  }[alert.purpose]();
  return alert.environment === 'test' ? `${words.testPrefix} ${subject}` : subject;
}

/** Live or test as on the page; nothing to hurry for once somebody acknowledged. */
function bandOf(alert: Alert | MemberMail, { words }: Language): Parameters<typeof mailPage>[0]['band'] {
  const { environmentLabel } = words.page;
  if (alert.purpose === 'drill') return { tone: 'test', label: environmentLabel.test };
  if (!('environment' in alert)) return null;
  if (alert.environment !== 'live') return { tone: 'test', label: environmentLabel[alert.environment] };
  return alert.acknowledgedBy === ''
    ? { tone: 'live', label: environmentLabel.live }
    : { tone: 'good', label: words.labels.acknowledged };
}

/** Returns where a message leads, and what its button says; null: nowhere. */
export function pageOf(alert: Alert | MemberMail, { words }: Language): { url: string; label: string } | null {
  if (alert.purpose === 'invitation') {
    const { confirm, button } = words.owner.members.invitation;
    if (alert.confirmUrl !== null) return { url: alert.confirmUrl, label: confirm };
    return alert.signInUrl === null ? null : { url: alert.signInUrl, label: button };
  }
  if (alert.purpose === 'verification') {
    return alert.confirmUrl === null ? null : { url: alert.confirmUrl, label: words.verification.yes };
  }
  if (!('wayBack' in alert) || alert.wayBack === null) return null;
  const { seeAndAcknowledge, see } = words.mail;
  return { url: alert.wayBack.pageUrl, label: canBeAcknowledged(alert) ? seeAndAcknowledge : see };
}

function factsOf(alert: Alert | MemberMail, language: Language): Fact[] {
  const { words } = language;
  const { mail } = words;
  const { labels } = words;
  switch (alert.purpose) {
    case 'drill':
      return [{ label: labels.what, value: mail.drilled }, ...timeFacts(alert.at, 'when', alert, language)];
    case 'verification': {
      const account = named(alert.accountName, words, STRANGERS_NAME_LENGTH);
      return [
        { label: labels.code, value: alert.code, shape: 'code' },
        { label: labels.what, value: mail.verificationAsked(account) },
        {
          label: labels.todo,
          value: alert.confirmUrl === null ? mail.verificationTodo : mail.verificationTodoByLink,
        },
        ...timeFacts(alert.at, 'when', alert, language),
      ];
    }
    case 'sign_in':
      return [
        { label: labels.code, value: alert.code, shape: 'code' },
        { label: labels.what, value: words.owner.members.signIn.what },
        { label: labels.todo, value: words.owner.members.signIn.todo },
        ...timeFacts(alert.at, 'when', alert, language),
      ];
    case 'invitation': {
      const { invitation, roles } = words.owner.members;
      const account = named(alert.accountName, words, STRANGERS_NAME_LENGTH);
      const by = alert.by === null ? null : named(alert.by, words, STRANGERS_NAME_LENGTH);
      const signIn = alert.signInUrl === null ? '' : ` ${alert.signInUrl}`;
      const todo = `${invitation.todo}${signIn}`;
      return [
        { label: labels.what, value: invitation.what({ account, by, role: roles[alert.role] }) },
        { label: labels.todo, value: alert.role === 'owner' ? `${invitation.listen} ${todo}` : todo },
        ...timeFacts(alert.at, 'when', alert, language),
      ];
    }
    case 'notice':
      return noticeFacts(alert, language);
    default:
      return alert.environment === 'drill' ? drillFacts(alert, language) : incidentFacts(alert, language);
  }
}

function noticeFacts(alert: OwnerNotice, language: Language): Fact[] {
  const { labels } = language.words;
  const { explanation, todo } = noticeWords(alert.notice, alert.about, alert.place, alert);
  return [
    { label: labels.what, value: explanation },
    { label: labels.todo, value: todo },
    { label: labels.account, value: named(alert.accountName, language.words, NAME_LENGTH) },
    ...(alert.incidentId === '' ? [] : [{ label: labels.incident, value: alert.incidentId }]),
    ...timeFacts(alert.at, 'when', alert, language),
  ];
}

/** A drill asks for the same gesture as an alarm, and says that nothing has happened. */
function drillFacts(alert: IncidentAlert, language: Language): Fact[] {
  const { labels, drill, mail } = language.words;
  return [
    { label: labels.what, value: drill.what },
    { label: labels.todo, value: drill.todo },
    ...timeFacts(alert.openedAt, 'when', alert, language),
    ...(canBeAcknowledged(alert) && alert.replyCode !== '' && alert.texts === 'gets_texts'
      ? [{ label: labels.replyCode, value: mail.replyCode(alert.replyCode) }]
      : []),
  ];
}

function incidentFacts(alert: IncidentAlert, language: Language): Fact[] {
  const { words, locale } = language;
  const { mail } = words;
  const { labels } = words;
  const fact = (label: Label, value: string): Fact => ({ label: labels[label], value });
  const { purpose } = alert;
  const by = alert.acknowledgedBy === '' ? null : named(alert.acknowledgedBy, words, NAME_LENGTH);
  const last = localTime(alert.lastTriggerAt, locale, alert.timeZone);
  const [first, ...joined] = trippedOf(alert, NAME_LENGTH);
  return [
    fact('what', words.fired(firedOf(alert, words, NAME_LENGTH))),
    ...(first === undefined ? [] : [fact('trippedBy', words.trippedBy(firstOf(first, alert, language), joined))]),
    ...(alert.asked === 'again' && purpose === 'alert' ? [fact('todo', words.askedAgain)] : []),
    ...(purpose === 'alert' ? [] : [fact('status', by === null ? words.notAcknowledged : mail.acknowledgedBy(by))]),
    ...moreBefore(alert, mail.moreBefore).map(more => fact('before', more)),
    ...(purpose === 'still_happening' ? [fact('triggers', mail.triggers(alert.triggerCount, last))] : []),
    fact('environment', words.environment[alert.environment]),
    fact('where', placeOf(alert, words, { name: NAME_LENGTH, address: ADDRESS_LENGTH })),
    ...timeFacts(alert.openedAt, purpose === 'alert' ? 'when' : 'since', alert, language),
    ...(canBeAcknowledged(alert) && alert.replyCode !== '' && alert.texts === 'gets_texts'
      ? [fact('replyCode', mail.replyCode(alert.replyCode))]
      : []),
  ];
}

/** When, in the person's zone, and for whom, if they have a name. */
/** What tripped it first; or since when it is silent, if it did no more. */
function firstOf(label: string, { silentSince, timeZone }: IncidentAlert, { words, locale }: Language): string {
  return silentSince === null ? label : words.silentSince(label, localTime(silentSince, locale, timeZone));
}

function timeFacts(
  at: number,
  label: 'when' | 'since',
  alert: Alert | MemberMail,
  { words, locale }: Language,
): Fact[] {
  const { labels } = words;
  const isToStranger = alert.purpose === 'verification' || alert.purpose === 'invitation';
  const who = named(alert.contactName, words, isToStranger ? STRANGERS_NAME_LENGTH : NAME_LENGTH);
  return [
    { label: labels[label], value: localTime(at, locale, alert.timeZone) },
    ...(alert.contactName === '' ? [] : [{ label: labels.who, value: who }]),
  ];
}
