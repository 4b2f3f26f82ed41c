import { DELIVERIES_MOST } from '../domain/escalation.ts';
import type { NoticeFacts, Words } from './types.ts';

const OPERATOR = 'the operator of this Tocsin server';

/** English. */
export const en: Words = {
  language: 'en',
  regions: ['US', 'GB', 'AU', 'IE', 'IN', 'NZ', 'ZA'],
  testPrefix: '[TEST]',
  nameless: '(no name)',
  responseKinds: { medical: 'medical', fire: 'fire', intruder: 'intruder', duress: 'duress', other: 'help' },
  heads: { alarm: 'ALARM', panic_button: 'PANIC' },
  marks: { live: 'LIVE', test: 'TEST' },
  acknowledgedTitle: (by, title) => `Acknowledged by ${by}: ${title}`,
  stillHappeningTitle: title => `STILL HAPPENING: ${title}`,
  fired: ({ kind, source, what }) =>
    kind === 'panic_button'
      ? `The panic button "${source}" was pressed${what === null ? '' : ` (${what})`}.`
      : `The alarm "${source}" was triggered${what === null ? '' : ` (mode: ${what})`}.`,
  environment: { live: 'LIVE: this is a real alert.', test: 'TEST: this is a rehearsal. No action needed.' },
  notAcknowledged: 'Nobody has acknowledged this yet.',
  acknowledge: 'Acknowledge',
  labels: {
    who: 'For',
    what: 'What',
    status: 'Status',
    acknowledged: 'Acknowledged',
    triggers: 'Triggered',
    before: 'Before that',
    when: 'When',
    since: 'Open since',
    where: 'Where',
    environment: 'Live or test',
    replyCode: 'Reply code',
    page: 'Page',
    code: 'Code',
    todo: 'What to do',
    account: 'Account',
    incident: 'Incident',
  },

  mail: {
    drill: 'Test message, no action needed',
    verification: code => `Your code: ${code}`,
    acknowledgedBy: by => `Acknowledged by ${by}. Nobody else will be alerted.`,
    triggers: (count, last) => `${count} ${count === 1 ? 'time' : 'times'}, last on ${last}`,
    moreBefore: count => `${count} more within ten minutes, which you were not told about`,
    replyCode: code => `${code} (to acknowledge, reply to a text message with this code)`,
    drilled: 'This is a test message. No action needed.',
    verificationAsked: account => `"${account}" wants to alert you at this address when something happens.`,
    verificationTodo:
      "Tell this code to the person who asked you for it. If you don't know what this is about, ignore this message: without the code, you will not be alerted.",
    seeAndAcknowledge: 'View and acknowledge',
    see: 'View status',
  },

  sms: {
    triggers: (count, last) => `${count} triggers, last ${last}`,
    moreBefore: count => `and ${count} more within 10 min`,
    since: time => `Open since ${time}`,
    reply: code => `Reply ${code} to acknowledge.`,
    drill: 'TEST: This is a test message. No action needed.',
    verification: (code, account) =>
      `${code} is your code. "${account}" wants to alert you at this number: tell them the code. If you don't know them, ignore this.`,
    youAcknowledged: 'You acknowledged this. The others are being told.',
    alreadyAcknowledged: by => `Already acknowledged by ${by}.`,
    alreadyClosed: 'This is already closed. No action needed.',
    unknownCode: code => `No alert for you has the code ${code}. Reply with the code from the message.`,
    notUnderstood: 'To acknowledge an alert, reply with just the code from the message.',
    tryAgain: 'Your reply could not be saved. Please send it again, or use the link in the message.',
  },

  voice: {
    greeting: name => `Hello ${name}. This is Tocsin, your alarm service.`,
    environment: { live: 'This is a real alert.', test: 'This is only a rehearsal. No action needed.' },
    fired: ({ kind, source, what }) => {
      if (kind === 'panic_button') return `The panic button ${source} was pressed.`;
      return `The alarm ${source} was triggered${what === null ? '' : `, in mode ${what}`}.`;
    },
    wanted: {
      medical: 'Medical help is needed.',
      fire: 'There is a fire.',
      intruder: 'There is an intruder.',
      duress: 'Someone is being threatened.',
      other: 'Help is needed.',
    },
    wantedOther: text => `The emergency is: ${text}.`,
    place: place => `The place is: ${place}.`,
    time: time => `It happened at ${time}.`,
    acknowledgedBy: by => `Acknowledged by ${by}. Nobody else will be called.`,
    stillHappening: 'It is still happening.',
    triggers: (count, last) => `There were ${count} triggers, the last one at ${last}.`,
    moreBefore: count => `There ${count === 1 ? 'was' : 'were'} ${count} more in the ten minutes before.`,
    drilled: 'This is a test call. No action needed.',
    verificationAsked: account => `${account} wants to call you at this number when something happens.`,
    verificationCode: code => `Your code is: ${code}. Once more: ${code}.`,
    verificationTodo:
      "Tell this code to the person who asked you for it. If you don't know what this is about, just hang up.",
    menu: 'Press 1 to acknowledge. Press 2 to hear this again.',
    menuHearAgain: 'Press 2 to hear this again.',
    notUnderstood: "Sorry, I didn't understand that.",
    goodbye: 'Goodbye.',
    goodbyeWithLink: 'You can also respond with the link in your text message or email. Goodbye.',
    youAcknowledged: 'Thank you. You acknowledged this alert, and the others are being told. Goodbye.',
    alreadyAcknowledged: by => `This alert was already acknowledged by ${by}. Thank you. Goodbye.`,
    alreadyClosed: 'This alert is already closed. No action needed. Goodbye.',
    over: 'This alert is over. No action needed. Goodbye.',
    tryLink: 'Sorry, your answer could not be saved. Please use the link in your text message or email. Goodbye.',
  },

  page: {
    channels: { text: 'text', call: 'call', email: 'email', push: 'push message', webhook: 'webhook' },
    environmentLabel: { live: 'LIVE', test: 'TEST' },
    triggers: (count, last) => `${count} times, last at ${last}`,
    acknowledged: (by, at, via) => `${by}, ${at}, ${via}`,
    vias: { link: 'using the link', key_press: 'on the phone', reply: 'by text', console: 'in the console' },
    nobodyReached: 'Nobody has been reached yet: no message could be delivered.',
    nobodyAcknowledged: 'Everyone was alerted, and nobody has responded.',
    acknowledgedBy: (by, at) => `Acknowledged by ${by} at ${at}.`,
    youAcknowledged: at => `Acknowledged by you at ${at}.`,
    closed: (at, reason) => `Closed at ${at}: ${reason}.`,
    closedBy: (by, at) => `Closed by ${by} at ${at}.`,
    closeReasons: {
      clear: 'the alarm was cleared',
      disarm: 'the alarm was disarmed',
      auto_close: 'it ended by itself',
      console: 'someone closed it',
      superseded: 'a live alarm replaced it',
      went_live: 'the alarm was switched to live',
      source_disabled: 'the alarm was disabled',
    },
    you: name => `This page is for ${name}.`,
    mapLabel: 'Show on a map',
    toldHeading: 'Who is alerted',
    closeLabel: 'Close the alarm',
    closeQuestion: 'This ends the alarm for everyone. Nobody else will be alerted.',
    closeConfirmLabel: 'Yes, close the alarm',
    offline: 'No connection: this page may be out of date.',
    toldLine: (name, channel, what) => `${name}, ${channel}: ${what}`,
    told: {
      scheduled: at => `due at ${at}`,
      retried: (why, at) => `not reached${why}, next try at ${at}`,
      sending: 'sending now',
      sent: at => `sent at ${at}`,
      delivered: at => `delivered at ${at}`,
      failed: why => `could not be reached${why}`,
      cancelled: 'not sent: no longer needed',
      noCarrier: 'not sent: no carrier is set up for this',
      suppressed: at => `would be sent at ${at}`,
    },
    reasons: {
      plan_required: 'not covered by the plan',
      spend_ceiling: 'daily SMS and call limit reached',
      no_address: 'no address',
      not_verified: 'address not verified',
      busy: 'busy',
      'no answer': 'no answer',
      'invalid number': 'the number does not exist',
      'unknown number': 'the number does not exist',
      'the number cannot be reached': 'the number cannot be reached',
      'unreachable handset': 'the phone is off or has no reception',
      'not delivered': 'not delivered',
      'mailbox full': 'the mailbox is full',
      'mailbox switched off': 'the mailbox is disabled',
      'no such mailbox': 'the mailbox does not exist',
    },
    noSuchPage: 'This page does not exist. Is the link complete? Links stop working a day after their alarm has ended.',
    tryAgain: 'This does not work right now. Go back and try again: doing it twice does no harm.',
    ourFault: 'Something went wrong on our side. Try again, or call the others yourself.',
  },

  notices: {
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
      explanation: `"${about.source}" was triggered${opened(about)}, but ${about.because === 'all_failed' ? 'every message so far failed or had no carrier' : 'its escalation could not be scheduled'}: nobody was alerted.`,
      todo:
        about.because === 'all_failed'
          ? "Contact these people yourself. The incident's timeline shows why each message failed: fix that, then rehearse."
          : `Save its policy and the contacts in it again, rehearse it, and tell ${OPERATOR}.`,
    }),
    exhausted: about => ({
      subject: `NOBODY RESPONDED: ${about.source}`,
      explanation: `The policy of "${about.source}", triggered${opened(about)}, ran to its end and nobody responded.`,
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
    sources_deactivated: ({ sources }) => ({
      subject: 'Your plan switched off alarms',
      explanation: `Your plan covers fewer alarms and panic buttons than you have. Switched off: ${sources || 'some'}. Calls to them get a 404.`,
      todo: 'Choose a larger plan, or delete others: they are then switched on again automatically.',
    }),
  },
  lastMail: most => `That makes ${most} such mails in an hour. More are only listed for now (tocsin notices list).`,
};

function opened({ opened: at }: NoticeFacts): string {
  return at === null ? '' : ` on ${at.day} at ${at.time} ${at.zone}`;
}

function step({ step, round }: NoticeFacts): string {
  return step === null ? 'A step of the policy' : `Step ${step}${round > 1 ? ` of round ${round}` : ''} of the policy`;
}

function ofCap({ cap }: NoticeFacts): string {
  return cap === '' ? '' : ` of the ${cap} allowed per day`;
}
