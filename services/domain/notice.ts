import { clean, dollars, NAME_LENGTH } from '../process/text.ts';
import { DELIVERIES_MOST } from './escalation.ts';
import { localDay } from './local-time.ts';
import { ENOUGH_MAILS, type Mailing } from './mailing.ts';
import { GENUG_MAILS, GERMAN } from './notice-de.ts';

/** What the owner of an account is told by email about the account itself. */
export const NOTICE_KINDS = [
  'nobody_to_alert',
  'nobody_reached',
  'escalation_capped',
  'exhausted',
  'step_late',
  'step_missed',
  'spend_warning',
  'spend_capped',
  'spend_ceiling',
  'sources_deactivated',
  'call_failed',
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];

/**
 * What a notice is about, by name: `sourceName`, `openedAt` (ISO), `round` and `step` (from 0), `lateS`, `cents`, `capCents`,
 * `ceilingCents`, `sources` (how many, or their names), `because` (of `nobody_reached`: `all_failed`; absent: nothing was planned). Texts are as owners wrote them; what is not known is left out of the words.
 */
export type NoticeAbout = Readonly<Record<string, string | number>>;

/** Who reads a notice: locale (BCP 47) and time zone (IANA). */
export interface NoticeReader {
  locale: string;
  timeZone: string;
}

/** The console speaks English, and its times are in UTC. */
const CONSOLE: NoticeReader = { locale: 'en', timeZone: 'UTC' };

/** The words of a notice. Safe on one line. */
export interface NoticeWords {
  /** What it is first, as the subject of a mail. */
  subject: string;
  /** One sentence: what happened. */
  explanation: string;
  /** What the owner can do about it. */
  todo: string;
}

/** The explanation of a notice alone: one sentence for a person. */
export function explainNotice(kind: NoticeKind, about: NoticeAbout, reader = CONSOLE): string {
  return noticeWords(kind, about, 'goes', reader).explanation;
}

/** What a notice says, in the language of its reader where there are words of it, else in English; the `last` mail of its kind for now says so. */
export function noticeWords(
  kind: NoticeKind,
  about: NoticeAbout,
  place: Mailing = 'goes',
  reader = CONSOLE,
): NoticeWords {
  const german = /^de\b/i.test(reader.locale);
  const table: typeof WORDS = german ? GERMAN : WORDS;
  const words = table[kind]({ ...about, timeZone: reader.timeZone });
  return place === 'last' ? { ...words, todo: `${words.todo} ${german ? GENUG_MAILS : ENOUGH_MAILS}` } : words;
}

const ASK_FOR_MORE = 'Ask whoever runs this deployment to raise the cap';

const WORDS: Record<NoticeKind, (about: NoticeAbout) => NoticeWords> = {
  call_failed: about => ({
    subject: `A CALL FAILED: ${source(about)}`,
    explanation: `A call of "${source(about)}" was accepted and could not be applied for ten minutes; it is given up.`,
    todo: 'Look at the state of the alarm or panic button, send the call again, and tell whoever runs this deployment.',
  }),
  nobody_to_alert: about => ({
    subject: `NOBODY WAS ALERTED: ${source(about)}`,
    explanation: `"${source(about)}" was triggered${opened(about)} and there was nobody to alert.`,
    todo: 'Give the mode or panic button a policy that names at least one contact, then rehearse it.',
  }),
  escalation_capped: about => ({
    subject: `NOT ALL MESSAGES PLANNED: ${source(about)}`,
    explanation: `The policy of "${source(about)}", triggered${opened(about)}, asks for more than ${DELIVERIES_MOST} messages: the first ${DELIVERIES_MOST} are planned, the rest is left out.`,
    todo: 'Let the policy use fewer rounds, steps, contacts or channels; the timeline of the incident says how many were left out.',
  }),
  nobody_reached: about => ({
    subject: `NOBODY WAS ALERTED: ${source(about)}`,
    explanation:
      about.because === undefined
        ? `"${source(about)}" was triggered${opened(about)}, and its escalation could not be planned: nobody was alerted.`
        : `"${source(about)}" was triggered${opened(about)}, and every message so far has failed or had no carrier: nobody was alerted.`,
    todo:
      about.because === undefined
        ? 'Save its policy and the contacts that it names again, rehearse it, and tell whoever runs this deployment.'
        : 'Reach these people yourself. The timeline of the incident says why each message failed; then correct it and rehearse it.',
  }),
  exhausted: about => ({
    subject: `NOBODY ANSWERED: ${source(about)}`,
    explanation: `The policy of "${source(about)}", triggered${opened(about)}, came to its end and nobody answered.`,
    todo: 'Look at the timeline of the incident for what arrived where; add contacts, channels or rounds to the policy.',
  }),
  step_late: about => ({
    subject: `LATE: ${source(about)}`,
    explanation: `${step(about)} for "${source(about)}", triggered${opened(about)}, ran ${late(about)} late.`,
    todo: 'Tell whoever runs this deployment: its log and its load at that time show why.',
  }),
  step_missed: about => ({
    subject: `NOT SENT IN TIME: ${source(about)}`,
    explanation: `${step(about)} for "${source(about)}", triggered${opened(about)}, did not run: none of its messages was tried.`,
    todo: 'Tell whoever runs this deployment: its log at that time shows why. Reach these people yourself if it matters still.',
  }),
  spend_warning: about => ({
    subject: 'Most of what may be spent today is spent',
    explanation: `Texts and calls of today came to ${dollars(Number(about.cents ?? 0))}${cap(about)}.`,
    todo: `Messages of live incidents go out all the same. ${ASK_FOR_MORE} if drills and codes shall go out too.`,
  }),
  spend_capped: about => ({
    subject: 'What may be spent today is spent',
    explanation: `Texts and calls of today came to ${dollars(Number(about.cents ?? 0))}${cap(about)}: drills and codes are refused until midnight UTC.`,
    todo: `Messages of live incidents still go out. ${ASK_FOR_MORE} if this was meant, else look at who sends so many.`,
  }),
  spend_ceiling: about => ({
    subject: `NO MORE TEXTS AND CALLS TODAY${ofOneSource(about, ': ')}`,
    explanation: `Texts and calls of today${ofOneSource(about, ' about ')} came to ${dollars(Number(about.cents ?? 0))} of the ${dollars(Number(about.ceilingCents ?? 0))} that ${about.sourceName === undefined ? 'an account' : 'one source'} may use a day: until midnight UTC live alerts go over the other channels, but for the first text and call to each person.`,
    todo: 'Look at what was triggered so often, and let policies use email, push or webhook too. Whoever runs this deployment can raise the ceiling.',
  }),
  sources_deactivated: about => ({
    subject: 'Alarms were switched off by the plan',
    explanation: `The plan allows fewer alarms and panic buttons than there are: ${counted(about.sources)} switched off, and what calls them gets a 404.`,
    todo: 'Choose a plan with room for them, or delete others: they are switched on again by themselves.',
  }),
};

function source({ sourceName }: NoticeAbout): string {
  return clean(String(sourceName ?? ''), NAME_LENGTH) || '(no name)';
}

/** What is about the whole account names no source. */
function ofOneSource(about: NoticeAbout, before: string): string {
  return about.sourceName === undefined ? '' : `${before}"${source(about)}"`;
}

function opened({ openedAt, timeZone }: NoticeAbout): string {
  const at = localDay(String(openedAt ?? ''), String(timeZone ?? 'UTC'));
  return at === null ? '' : ` on ${at.day} at ${at.time} ${at.zone}`;
}

/** People count from 1. */
function step({ step, round }: NoticeAbout): string {
  if (step === undefined) return 'A step of the policy';
  const ofRound = Number(round ?? 0) === 0 ? '' : ` of round ${Number(round) + 1}`;
  return `Step ${Number(step) + 1}${ofRound} of the policy`;
}

function late({ lateS }: NoticeAbout): string {
  return lateS === undefined ? '' : `${Math.round(Number(lateS))} s`;
}

function cap({ capCents }: NoticeAbout): string {
  return capCents === undefined ? '' : ` of the ${dollars(Number(capCents))} that are allowed a day`;
}

function counted(sources: string | number | undefined): string {
  if (typeof sources === 'string') return `${clean(sources, 300)} ${sources.includes(',') ? 'were' : 'was'}`;
  return sources === 1 ? '1 was' : `${sources ?? 'some'} were`;
}
