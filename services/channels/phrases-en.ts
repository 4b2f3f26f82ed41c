import { COMMON_WORDS, type Fired } from '../domain/common-words.ts';
import type { Phrases } from './phrases.ts';

const common = COMMON_WORDS.en;

const ENVIRONMENT = { live: 'LIVE', test: 'TEST' };

/** English. */
export const en: Phrases = {
  language: 'en',
  regions: ['US', 'GB', 'AU', 'IE', 'IN', 'NZ', 'ZA'],
  responseKinds: common.responseKinds,
  nameless: common.nameless,

  written: {
    testPrefix: common.testPrefix,
    alert: common.title,
    taken: (by, fired) => `${by} has it: ${common.title(fired)}`,
    stillHappening: fired => `STILL HAPPENING: ${common.title(fired)}`,
    drill: 'Test message: nothing happened',
    verification: code => `Your code: ${code}`,
    fired: common.fired,
    labels: {
      who: 'For',
      what: 'What',
      answered: 'Answered',
      triggers: 'Triggered',
      before: 'Before that',
      when: 'When',
      since: 'Open since',
      utc: 'In UTC',
      where: 'Where',
      step: 'Step',
      environment: 'Live or test',
      replyCode: 'Reply code',
      page: 'Page',
      code: 'Code',
      todo: 'What to do',
      account: 'Account',
      incident: 'Incident',
    },
    environment: common.environment,
    takenBy: by => `${by} has it. Nobody else is alerted any more.`,
    takenByNobody: common.takenByNobody,
    triggers: (count, last) => `${count} ${count === 1 ? 'time' : 'times'}, most recently on ${last}`,
    moreBefore: count => `and ${count} more within ten minutes, of which you were not told`,
    step: ({ step, steps, round, rounds, policy }) =>
      `step ${step} of ${steps}, round ${round} of ${rounds} of the policy "${policy}"`,
    replyCode: code => `${code} (take it by replying with this code to a text message)`,
    drilled: 'This message only tries whether it reaches you. Nothing happened and nobody needs to come.',
    verificationAsked: account => `"${account}" wants to alert you at this address when something happens.`,
    verificationTodo:
      'Tell the code to whoever asked you for it. If you do not know what this is about, ignore this message: without the code you are not alerted.',
    seeAndAnswer: 'See and answer',
    see: 'See how it stands',
    acknowledge: common.acknowledge,
  },

  brief: {
    alert: headMarked,
    taken: (by, fired, environment) => `${by} has it: ${headMarked(fired, environment)}`,
    stillHappening: (fired, environment) => `STILL HAPPENING: ${headMarked(fired, environment)}`,
    triggers: (count, last) => `${count} triggers, last ${last}`,
    moreBefore: count => `and ${count} more within 10 min`,
    since: time => `Open since ${time}`,
    reply: code => `Reply ${code} to take it.`,
    drill: 'TEST message: it only tries whether texts reach you. Nothing happened.',
    verification: (code, account) =>
      `${code} is your code. "${account}" wants to alert you at this number: tell them the code. If you do not know them, ignore this.`,
    acknowledged: 'You have it now. The others are told.',
    alreadyAcknowledged: by => `${by} already has it.`,
    alreadyClosed: 'It is already over. Nobody needs to act.',
    unknownCode: code => `No alert of yours has the code ${code}. Reply with the code that stands in the message.`,
    notUnderstood: 'To take an alert, reply with nothing but the code that stands in the message.',
    tryAgain: 'Your reply could not be stored. Please send it again, or use the link in the message.',
  },

  spoken: {
    greeting: name => `Hello ${name}. This is Tocsin, your alarm service.`,
    environment: { live: 'This is a real alert.', test: 'This is only a rehearsal. Nobody needs to act.' },
    fired: ({ kind, source, what }) => {
      if (kind === 'panic') return `The panic button ${source} was pressed.`;
      return what === null
        ? `The alarm ${source} was triggered.`
        : `The alarm ${source} was triggered, in mode ${what}.`;
    },
    wanted: {
      medical: 'Medical help is needed.',
      fire: 'There is a fire.',
      intruder: 'There is an intruder.',
      duress: 'Somebody is being threatened.',
      other: 'Help is needed.',
    },
    wantedOther: text => `This is asked for: ${text}.`,
    place: place => `The place is: ${place}.`,
    time: time => `It was at ${time}.`,
    takenBy: by => `${by} has it. Nobody else is called any more.`,
    takenByNobody: common.takenByNobody,
    stillHappening: 'It is still happening.',
    triggers: (count, last) => `There were ${count} triggers, the last one at ${last}.`,
    moreBefore: count => `There ${count === 1 ? 'was' : 'were'} ${count} more within ten minutes before.`,
    drilled: 'This call only tries whether it reaches you. Nothing happened, and nobody needs to come.',
    verificationAsked: account => `${account} wants to call you at this number when something happens.`,
    verificationCode: code => `Your code is: ${code}.`,
    verificationAgain: code => `Once more: ${code}.`,
    verificationTodo: 'Tell the code to whoever asked you for it. If you do not know what this is about, just hang up.',
    menu: 'Press 1 to take it. Press 2 to hear it again.',
    menuHearAgain: 'Press 2 to hear it again.',
    notUnderstood: 'Sorry, that was not understood.',
    goodbye: 'Goodbye.',
    goodbyeWithLink: 'You can also answer with the link in your text message or email. Goodbye.',
    acknowledged: 'Thank you. You have it now, and the others are told. Goodbye.',
    alreadyAcknowledged: by => `${by} already has it. Thank you. Goodbye.`,
    alreadyClosed: 'It is already over. Nobody needs to act. Goodbye.',
    over: 'This alert is over. Nobody needs to act any more. Goodbye.',
    tryLink: 'Sorry, your answer could not be stored. Please use the link in your text message or email. Goodbye.',
  },
};

function headMarked({ kind, source, what }: Fired, environment: keyof typeof ENVIRONMENT): string {
  const mark = ENVIRONMENT[environment];
  if (kind === 'panic') return `PANIC (${mark}${what === null ? '' : `, ${what}`}): ${source}`;
  return `ALARM (${mark}): ${source}${what === null ? '' : ` - ${what}`}`;
}
