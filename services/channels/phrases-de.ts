import { COMMON_WORDS, type Fired } from '../domain/common-words.ts';
import type { Phrases } from './phrases.ts';

const common = COMMON_WORDS.de;

const ENVIRONMENT = { live: 'ECHT', test: 'TEST' };

/** German, polite and without a gender where the person is not known. */
export const de: Phrases = {
  language: 'de',
  regions: ['DE', 'AT'],
  responseKinds: common.responseKinds,
  nameless: common.nameless,

  written: {
    testPrefix: common.testPrefix,
    alert: common.title,
    taken: (by, fired) => `${by} kümmert sich darum: ${common.title(fired)}`,
    stillHappening: fired => `DAUERT AN: ${common.title(fired)}`,
    drill: 'Testnachricht: Es ist nichts passiert',
    verification: code => `Ihr Code: ${code}`,
    fired: common.fired,
    labels: {
      who: 'Für',
      what: 'Was',
      answered: 'Übernommen',
      triggers: 'Ausgelöst',
      before: 'Davor',
      when: 'Wann',
      since: 'Offen seit',
      utc: 'In UTC',
      where: 'Wo',
      step: 'Schritt',
      environment: 'Echt oder Test',
      replyCode: 'Antwortcode',
      page: 'Seite',
      code: 'Code',
      todo: 'Was zu tun ist',
      account: 'Konto',
      incident: 'Vorfall',
    },
    environment: common.environment,
    takenBy: by => `${by} kümmert sich darum. Sonst wird niemand mehr verständigt.`,
    takenByNobody: common.takenByNobody,
    triggers: (count, last) => `${count}-mal, zuletzt am ${last}`,
    moreBefore: count => `und ${count} weitere innerhalb von zehn Minuten, von denen Sie nichts erfahren haben`,
    step: ({ step, steps, round, rounds, policy }) =>
      `Schritt ${step} von ${steps}, Runde ${round} von ${rounds} des Alarmplans „${policy}“`,
    replyCode: code => `${code} (wer mit diesem Code auf eine SMS antwortet, kümmert sich darum)`,
    drilled: 'Diese Nachricht prüft nur, ob sie bei Ihnen ankommt. Es ist nichts passiert, niemand muss kommen.',
    verificationAsked: account => `„${account}“ möchte Sie unter dieser Adresse verständigen, wenn etwas passiert.`,
    verificationTodo:
      'Nennen Sie den Code der Person, die Sie darum gebeten hat. Wenn Ihnen das nichts sagt, ignorieren Sie diese Nachricht: Ohne den Code werden Sie nicht verständigt.',
    seeAndAnswer: 'Ansehen und antworten',
    see: 'Stand ansehen',
    acknowledge: common.acknowledge,
  },

  brief: {
    alert: headMarked,
    taken: (by, fired, environment) => `${by} kümmert sich darum: ${headMarked(fired, environment)}`,
    stillHappening: (fired, environment) => `DAUERT AN: ${headMarked(fired, environment)}`,
    triggers: (count, last) => `${count}-mal ausgelöst, zuletzt ${last}`,
    moreBefore: count => `und ${count} weitere in 10 Min.`,
    since: time => `Offen seit ${time}`,
    reply: code => `Mit ${code} antworten heißt: Ich kümmere mich.`,
    drill: 'TESTNACHRICHT: Sie prüft nur, ob SMS bei Ihnen ankommen. Es ist nichts passiert.',
    verification: (code, account) =>
      `${code} ist Ihr Code. "${account}" möchte Sie hier verständigen: Nennen Sie dort den Code. Sagt Ihnen das nichts, ignorieren Sie diese SMS.`,
    acknowledged: 'Sie kümmern sich darum. Die anderen erfahren es.',
    alreadyAcknowledged: by => `${by} kümmert sich bereits darum.`,
    alreadyClosed: 'Es ist schon vorbei. Niemand muss etwas tun.',
    unknownCode: code =>
      `Kein Alarm für Sie hat den Code ${code}. Bitte mit dem Code antworten, der in der Nachricht steht.`,
    notUnderstood: 'Wenn Sie sich darum kümmern, antworten Sie bitte nur mit dem Code, der in der Nachricht steht.',
    tryAgain:
      'Ihre Antwort konnte nicht gespeichert werden. Bitte noch einmal senden oder den Link in der Nachricht öffnen.',
  },

  spoken: {
    greeting: name => `Hallo ${name}. Hier ist Tocsin, Ihr Alarmdienst.`,
    environment: {
      live: 'Das ist ein echter Alarm.',
      test: 'Das ist nur eine Probe. Niemand muss etwas tun.',
    },
    fired: ({ kind, source, what }) => {
      if (kind === 'panic') return `Der Notrufknopf ${source} wurde gedrückt.`;
      return what === null
        ? `Der Alarm ${source} wurde ausgelöst.`
        : `Der Alarm ${source} wurde ausgelöst, im Modus ${what}.`;
    },
    wanted: {
      medical: 'Medizinische Hilfe wird gebraucht.',
      fire: 'Es brennt.',
      intruder: 'Es ist jemand eingedrungen.',
      duress: 'Jemand wird bedroht.',
      other: 'Hilfe wird gebraucht.',
    },
    wantedOther: text => `Es geht um: ${text}.`,
    place: place => `Der Ort ist: ${place}.`,
    time: time => `Das war um ${time} Uhr.`,
    takenBy: by => `${by} kümmert sich darum. Sonst wird niemand mehr angerufen.`,
    takenByNobody: common.takenByNobody,
    stillHappening: 'Es dauert noch an.',
    triggers: (count, last) => `Es wurde ${count}-mal ausgelöst, zuletzt um ${last} Uhr.`,
    moreBefore: count => `In den zehn Minuten davor ${count === 1 ? 'war es einer' : `waren es ${count}`} mehr.`,
    drilled: 'Dieser Anruf prüft nur, ob er Sie erreicht. Es ist nichts passiert, niemand muss kommen.',
    verificationAsked: account => `${account} möchte Sie unter dieser Nummer anrufen, wenn etwas passiert.`,
    verificationCode: code => `Ihr Code lautet: ${code}.`,
    verificationAgain: code => `Noch einmal: ${code}.`,
    verificationTodo:
      'Nennen Sie den Code der Person, die Sie darum gebeten hat. Wenn Ihnen das nichts sagt, legen Sie einfach auf.',
    menu: 'Drücken Sie die 1, wenn Sie sich darum kümmern. Drücken Sie die 2, um alles noch einmal zu hören.',
    menuHearAgain: 'Drücken Sie die 2, um alles noch einmal zu hören.',
    notUnderstood: 'Das wurde leider nicht verstanden.',
    goodbye: 'Auf Wiederhören.',
    goodbyeWithLink: 'Sie können auch über den Link in Ihrer SMS oder E-Mail antworten. Auf Wiederhören.',
    acknowledged: 'Danke. Sie kümmern sich darum, und die anderen erfahren es. Auf Wiederhören.',
    alreadyAcknowledged: by => `${by} kümmert sich bereits darum. Danke. Auf Wiederhören.`,
    alreadyClosed: 'Es ist schon vorbei. Niemand muss etwas tun. Auf Wiederhören.',
    over: 'Dieser Alarm ist vorbei. Niemand muss mehr etwas tun. Auf Wiederhören.',
    tryLink:
      'Ihre Antwort konnte leider nicht gespeichert werden. Bitte öffnen Sie den Link in Ihrer SMS oder E-Mail. Auf Wiederhören.',
  },
};

function headMarked({ kind, source, what }: Fired, environment: keyof typeof ENVIRONMENT): string {
  const mark = ENVIRONMENT[environment];
  if (kind === 'panic') return `NOTRUF (${mark}${what === null ? '' : `, ${what}`}): ${source}`;
  return `ALARM (${mark}): ${source}${what === null ? '' : ` - ${what}`}`;
}
