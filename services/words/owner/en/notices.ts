import { DELIVERIES_MOST } from '../../../domain/escalation.ts';
import type { NoticeKind } from '../../../domain/notice.ts';
import type { NoticeFacts, NoticeWords } from '../types.ts';
import { triedWords } from './changes.ts';

const OPERATOR = 'the operator of this Tocsin server';

const of: Record<NoticeKind, (about: NoticeFacts) => NoticeWords> = {
  call_failed: about => ({
    subject: `CALL FAILED: ${about.source}`,
    explanation: `A call to "${about.source}" was accepted, but could not be applied for ten minutes and was given up.`,
    todo: `Check the state of the alarm or panic button, send the call again, and tell ${OPERATOR}.`,
  }),
  nobody_to_alert: about => ({
    subject: `NOBODY WAS ALERTED: ${about.source}`,
    explanation: `"${about.source}" was triggered${opened(about)}, and there was nobody to alert.`,
    todo: 'Give the mode or panic button a policy with at least one contact, then rehearse it.',
  }),
  escalation_capped: about => ({
    subject: `NOT ALL MESSAGES SCHEDULED: ${about.source}`,
    explanation: `The policy of "${about.source}", triggered${opened(about)}, asks for more than ${DELIVERIES_MOST} messages: only the first ${DELIVERIES_MOST} are scheduled.`,
    todo: "Use fewer rounds, steps, contacts or channels in the policy. The incident's timeline shows how many messages were left out.",
  }),
  nobody_reached: about => ({
    subject: `NOBODY WAS ALERTED: ${about.source}`,
    explanation: `"${about.source}" was triggered${opened(about)}, but ${about.because === 'all_failed' ? 'every message so far failed or had no carrier' : 'its escalation could not be scheduled'}: nobody was alerted.${goesNow(about)}`,
    todo:
      about.because === 'all_failed'
        ? "Contact these people yourself. The incident's timeline shows why each message failed: fix that, then rehearse."
        : `Save its policy and the contacts in it again, rehearse it, and tell ${OPERATOR}.`,
  }),
  exhausted: about => ({
    subject: `NOBODY RESPONDED: ${about.source}`,
    explanation: `The policy of "${about.source}", triggered${opened(about)}, ran to its end and nobody responded.${tried(about)}`,
    todo: "Check the incident's timeline for what arrived where. Add contacts, channels or rounds to the policy.",
  }),
  step_late: about => ({
    subject: `LATE: ${about.source}`,
    explanation: `${step(about)} for "${about.source}", triggered${opened(about)}, ran ${about.late || 'too'} late.`,
    todo: `Tell ${OPERATOR}: its log and load at that time show why.`,
  }),
  step_missed: about => ({
    subject: `NOT SENT IN TIME: ${about.source}`,
    explanation: `${step(about)} for "${about.source}", triggered${opened(about)}, did not run: none of its messages was tried.`,
    todo: `Tell ${OPERATOR}: its log at that time shows why. If it still matters, contact these people yourself.`,
  }),
  spend_warning: about => ({
    subject: 'Daily SMS and call limit almost reached',
    explanation: `SMS and calls have cost ${about.spent} today${ofCap(about)}.`,
    todo: `Live alerts go out in any case. If drills and codes should too, ask ${OPERATOR} to raise the limit.`,
  }),
  spend_capped: about => ({
    subject: 'Daily SMS and call limit reached',
    explanation: `SMS and calls have cost ${about.spent} today${ofCap(about)}. Drills and codes are refused until midnight UTC.`,
    todo: `Live alerts still go out. Ask ${OPERATOR} to raise the limit, or find out who sends so many.`,
  }),
  spend_ceiling: about => ({
    subject: `NO MORE SMS AND CALLS TODAY${about.about === 'source' ? `: ${about.source}` : ''}`,
    explanation: `SMS and calls${about.about === 'source' ? ` about "${about.source}"` : ''} have cost ${about.spent} today, and ${about.about === 'source' ? 'one source' : 'an account'} may use ${about.ceiling} a day. Until midnight UTC, live alerts use the other channels, except for the first SMS and call to each person.`,
    todo: `Find out what was triggered so often, and add email, push or webhook to the policies. To raise the limit, ask ${OPERATOR}.`,
  }),
  clock_stepped: about => ({
    subject: 'Keys end at another time',
    explanation: `The clock of the Tocsin server was set ${about.clock.direction === 'back' ? 'back' : 'forward'} by ${about.clock.by}. What waited goes on waiting for as long as it had to, so ${about.names} will end that much ${about.clock.direction === 'back' ? 'earlier' : 'later'} than you chose, by the clock of today.`,
    todo: 'Check when they end, and choose another end where that is too early or too late.',
  }),
  calls_stored_again: ({ calls, late }) => ({
    subject: 'Calls came late: the database had lost them',
    explanation: `${calls === 1 ? 'A call of this account that was' : `${calls} calls of this account that were`} answered 202 had got lost when another server took over the database. ${calls === 1 ? 'It was' : 'They were'} stored again up to ${late} later, in order, and done then.`,
    todo: `Calls shows which. What they alert may come twice, and what you changed or acknowledged in that time may be undone: look at it again.`,
  }),
  sources_deactivated: ({ sources }) => ({
    subject: 'Your plan switched off alarms',
    explanation: `Your plan covers fewer alarms and panic buttons than you have. Switched off: ${sources || 'some'}. Calls to them get a 404.`,
    todo: 'Choose a larger plan, or delete ones that you do not need: those switched off are then switched on again automatically.',
  }),
  calls_limited: () => ({
    subject: 'CALLS WERE REFUSED: too many',
    explanation:
      'A key or this account made more calls than one may: some actions were answered 429 and not done. This is said once a day.',
    todo: 'See in Calls which source it is and how often. Find the device that calls so often, or give each device a key of its own.',
  }),
  calls_shed: () => ({
    subject: 'CALLS WERE REFUSED: server overloaded',
    explanation:
      'More calls came at once than the server takes: some actions of this account were answered 503 and not done. This is said once a day.',
    todo: `See in Calls which source it is and how often, check whether the device sent them again, and tell ${OPERATOR}.`,
  }),
};

function opened({ opened: at }: NoticeFacts): string {
  return at === null ? '' : ` on ${at.day} at ${at.time} ${at.zone}`;
}

function step({ step, round }: NoticeFacts): string {
  return step === null ? 'A step of the policy' : `Step ${step}${round > 1 ? ` of round ${round}` : ''} of the policy`;
}

/** Of `nobody_reached`: what is done about it at once. */
function goesNow({ step }: NoticeFacts): string {
  return step === null ? '' : ` Step ${step} goes now.`;
}

function tried({ tried }: NoticeFacts): string {
  return tried === null ? '' : ` ${triedWords(tried)}`;
}

function ofCap({ cap }: NoticeFacts): string {
  return cap === '' ? '' : ` of the ${cap} allowed per day`;
}

/** What owners are told about their account. */
export const notices = {
  of,
  /** Ends the last mail of its kind for now: so many went out within an hour. */
  lastMail: (most: number) =>
    `You have been sent ${most} mails like this within an hour. Further ones are only listed for now (tocsin notices list).`,
};
