import type { PageWords } from './words.ts';

/** The page in German. */
export const de: PageWords = {
  language: 'de',
  testPrefix: '[TEST]',
  nameless: '(ohne Namen)',
  responseKinds: { medical: 'medizinischer Notfall', fire: 'Feuer', intruder: 'Einbruch', duress: 'Bedrohung' },
  channels: { text: 'SMS', call: 'Anruf', email: 'E-Mail', push: 'Push-Nachricht', webhook: 'Webhook' },
  alarmTitle: ({ source, mode }) => (mode === null ? `ALARM: ${source}` : `ALARM: ${source} - ${mode}`),
  panicTitle: ({ source, response }) => (response === null ? `NOTRUF: ${source}` : `NOTRUF (${response}): ${source}`),
  alarmFired: ({ source, mode }) =>
    mode === null
      ? `Der Alarm „${source}“ wurde ausgelöst.`
      : `Der Alarm „${source}“ wurde ausgelöst (Modus: ${mode}).`,
  panicFired: ({ source, response }) =>
    response === null
      ? `Der Notrufknopf „${source}“ wurde gedrückt.`
      : `Der Notrufknopf „${source}“ wurde gedrückt. Es geht um: ${response}.`,
  labels: {
    what: 'Was',
    where: 'Wo',
    when: 'Wann',
    environment: 'Echt oder Test',
    triggers: 'Ausgelöst',
    answered: 'Übernommen',
  },
  environment: {
    live: 'Echt: das ist ein wirklicher Alarm.',
    test: 'Test: das ist eine Probe, niemand muss etwas tun.',
  },
  environmentLabel: { live: 'ECHTER ALARM', test: 'TEST' },
  triggers: (count, last) => `${count}-mal, zuletzt um ${last}`,
  answered: (by, at, via) => `${by}, ${at}, ${via}`,
  vias: { link: 'über den Link', key_press: 'am Telefon', reply: 'per SMS', console: 'in der Konsole' },
  nobodyYet: 'Noch hat niemand geantwortet.',
  nobodyAtAll: 'Alle wurden verständigt, niemand hat geantwortet.',
  taken: (by, at) => `${by} kümmert sich darum, seit ${at}.`,
  takenByYou: at => `Sie kümmern sich darum, seit ${at}.`,
  closed: (at, reason) => `Es ist vorbei, seit ${at}: ${reason}.`,
  closeReasons: {
    clear: 'der Alarm wurde aufgehoben',
    disarm: 'die Anlage wurde unscharf geschaltet',
    auto_close: 'der Alarm endete von selbst',
    console: 'jemand hat den Alarm beendet',
    superseded: 'ein echter Alarm trat an seine Stelle',
    went_live: 'die Anlage wurde auf echten Betrieb umgestellt',
    source_disabled: 'die Anlage wurde abgeschaltet',
  },
  you: name => `Diese Seite ist für ${name}.`,
  mapLabel: 'Auf der Karte zeigen',
  toldHeading: 'Wer verständigt wird',
  acknowledgeLabel: 'Ich kümmere mich',
  closeLabel: 'Alarm beenden',
  offline: 'Keine Verbindung: das Gezeigte kann veraltet sein.',
  toldLine: (name, channel, what) => `${name}, ${channel}: ${what}`,
  told: {
    scheduled: at => `wird um ${at} verständigt`,
    retried: (why, at) => `nicht erreicht${why}, neuer Versuch um ${at}`,
    sending: 'wird gerade verständigt',
    sent: at => `gesendet um ${at}`,
    delivered: at => `angekommen um ${at}`,
    failed: why => `nicht zu erreichen${why}`,
    cancelled: 'nicht verständigt: es war schon vorbei',
    outbox: 'nicht gesendet: dafür ist hier nichts eingerichtet',
    suppressed: at => `würde um ${at} verständigt`,
  },
  reasons: {
    plan_required: 'der Tarif deckt das nicht',
    no_address: 'dafür gibt es keine Adresse',
    not_verified: 'die Adresse wurde nie bestätigt',
    busy: 'besetzt',
    'no answer': 'keine Antwort',
    'invalid number': 'die Nummer gibt es nicht',
    'unknown number': 'die Nummer gibt es nicht',
    'the number cannot be reached': 'die Nummer ist nicht zu erreichen',
    'unreachable handset': 'das Telefon ist aus oder hat keinen Empfang',
    'not delivered': 'nicht zugestellt',
    'mailbox full': 'das Postfach ist voll',
    'mailbox switched off': 'das Postfach ist abgeschaltet',
    'no such mailbox': 'das Postfach gibt es nicht',
  },
};
