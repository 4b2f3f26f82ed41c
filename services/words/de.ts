import { DELIVERIES_MOST } from '../domain/escalation.ts';
import type { NoticeFacts, Words } from './types.ts';

const OPERATOR = 'dem Betreiber dieses Tocsin-Servers';

/** German, polite and without a gender where the person is not known. */
export const de: Words = {
  language: 'de',
  regions: ['DE', 'AT'],
  testPrefix: '[TEST]',
  nameless: '(ohne Namen)',
  responseKinds: { medical: 'Erste Hilfe', fire: 'Feuer', intruder: 'Einbruch', duress: 'Bedrohung', other: 'Hilfe' },
  heads: { alarm: 'ALARM', panic_button: 'NOTRUF' },
  marks: { live: 'ECHT', test: 'TEST' },
  acknowledgedTitle: (by, title) => `Übernommen von ${by}: ${title}`,
  stillHappeningTitle: title => `DAUERT AN: ${title}`,
  fired: ({ kind, source, what }) =>
    kind === 'panic_button'
      ? `Der Notrufknopf „${source}“ wurde gedrückt${what === null ? '' : ` (${what})`}.`
      : `Der Alarm „${source}“ wurde ausgelöst${what === null ? '' : ` (Modus: ${what})`}.`,
  environment: { live: 'ECHT: Das ist ein echter Alarm.', test: 'TEST: Nur eine Probe. Sie müssen nichts tun.' },
  notAcknowledged: 'Noch hat niemand übernommen.',
  acknowledge: 'Ich kümmere mich',
  labels: {
    who: 'Für',
    what: 'Was',
    status: 'Stand',
    acknowledged: 'Übernommen',
    triggers: 'Ausgelöst',
    before: 'Davor',
    when: 'Wann',
    since: 'Offen seit',
    where: 'Wo',
    environment: 'Echt oder Test',
    replyCode: 'Antwortcode',
    page: 'Seite',
    code: 'Code',
    todo: 'Was zu tun ist',
    account: 'Konto',
    incident: 'Vorfall',
  },

  mail: {
    drill: 'Testnachricht, Sie müssen nichts tun',
    verification: code => `Ihr Code: ${code}`,
    acknowledgedBy: by => `Übernommen von ${by}. Sonst wird niemand mehr verständigt.`,
    triggers: (count, last) => `${count}-mal, zuletzt am ${last}`,
    moreBefore: count => `${count} weitere innerhalb von zehn Minuten, von denen Sie nichts erfahren haben`,
    replyCode: code => `${code} (zum Übernehmen mit diesem Code auf eine SMS antworten)`,
    drilled: 'Das ist eine Testnachricht. Sie müssen nichts tun.',
    verificationAsked: account => `„${account}“ möchte Sie unter dieser Adresse verständigen, wenn etwas passiert.`,
    verificationTodo:
      'Nennen Sie den Code der Person, die Sie darum gebeten hat. Wenn Ihnen das nichts sagt, ignorieren Sie diese Nachricht: Ohne den Code werden Sie nicht verständigt.',
    seeAndAcknowledge: 'Ansehen und antworten',
    see: 'Stand ansehen',
  },

  sms: {
    triggers: (count, last) => `${count}-mal ausgelöst, zuletzt ${last}`,
    moreBefore: count => `und ${count} weitere in 10 Min.`,
    since: time => `Offen seit ${time}`,
    reply: code => `Zum Übernehmen mit ${code} antworten.`,
    drill: 'TEST: Das ist eine Testnachricht. Sie müssen nichts tun.',
    verification: (code, account) =>
      `${code} ist Ihr Code. "${account}" möchte Sie hier verständigen: Nennen Sie dort den Code. Sagt Ihnen das nichts, ignorieren Sie diese SMS.`,
    youAcknowledged: 'Sie haben übernommen. Die anderen erfahren es.',
    alreadyAcknowledged: by => `${by} hat schon übernommen.`,
    alreadyClosed: 'Es ist schon vorbei. Sie müssen nichts tun.',
    unknownCode: code => `Kein Alarm für Sie hat den Code ${code}. Bitte mit dem Code aus der Nachricht antworten.`,
    notUnderstood: 'Zum Übernehmen antworten Sie bitte nur mit dem Code aus der Nachricht.',
    tryAgain: 'Ihre Antwort kam nicht an. Bitte noch einmal senden oder den Link in der Nachricht öffnen.',
  },

  voice: {
    greeting: name => `Hallo ${name}. Hier ist Tocsin, Ihr Alarmdienst.`,
    environment: { live: 'Das ist ein echter Alarm.', test: 'Das ist nur eine Probe. Sie müssen nichts tun.' },
    fired: ({ kind, source, what }) => {
      if (kind === 'panic_button') return `Der Notrufknopf ${source} wurde gedrückt.`;
      return `Der Alarm ${source} wurde ausgelöst${what === null ? '' : `, im Modus ${what}`}.`;
    },
    wanted: {
      medical: 'Medizinische Hilfe wird gebraucht.',
      fire: 'Es brennt.',
      intruder: 'Jemand ist eingedrungen.',
      duress: 'Jemand wird bedroht.',
      other: 'Hilfe wird gebraucht.',
    },
    wantedOther: text => `Es geht um: ${text}.`,
    place: place => `Der Ort ist: ${place}.`,
    time: time => `Das war um ${time} Uhr.`,
    acknowledgedBy: by => `${by} hat übernommen. Sonst wird niemand mehr angerufen.`,
    stillHappening: 'Es dauert noch an.',
    triggers: (count, last) => `Es wurde ${count}-mal ausgelöst, zuletzt um ${last} Uhr.`,
    moreBefore: count => `In den zehn Minuten davor gab es ${count === 1 ? 'einen weiteren' : `${count} weitere`}.`,
    drilled: 'Das ist ein Testanruf. Sie müssen nichts tun.',
    verificationAsked: account => `${account} möchte Sie unter dieser Nummer anrufen, wenn etwas passiert.`,
    verificationCode: code => `Ihr Code lautet: ${code}. Noch einmal: ${code}.`,
    verificationTodo:
      'Nennen Sie den Code der Person, die Sie darum gebeten hat. Wenn Ihnen das nichts sagt, legen Sie einfach auf.',
    menu: 'Drücken Sie die 1, um zu übernehmen. Drücken Sie die 2, um alles noch einmal zu hören.',
    menuHearAgain: 'Drücken Sie die 2, um alles noch einmal zu hören.',
    notUnderstood: 'Das habe ich leider nicht verstanden.',
    goodbye: 'Auf Wiederhören.',
    goodbyeWithLink: 'Sie können auch über den Link in Ihrer SMS oder E-Mail antworten. Auf Wiederhören.',
    youAcknowledged: 'Danke. Sie haben übernommen, und die anderen erfahren es. Auf Wiederhören.',
    alreadyAcknowledged: by => `${by} hat schon übernommen. Danke. Auf Wiederhören.`,
    alreadyClosed: 'Es ist schon vorbei. Sie müssen nichts tun. Auf Wiederhören.',
    over: 'Dieser Alarm ist vorbei. Sie müssen nichts mehr tun. Auf Wiederhören.',
    tryLink:
      'Ihre Antwort konnte leider nicht gespeichert werden. Bitte öffnen Sie den Link in Ihrer SMS oder E-Mail. Auf Wiederhören.',
  },

  page: {
    channels: { text: 'SMS', call: 'Anruf', email: 'E-Mail', push: 'Push-Nachricht', webhook: 'Webhook' },
    environmentLabel: { live: 'ECHTER ALARM', test: 'TEST' },
    triggers: (count, last) => `${count}-mal, zuletzt um ${last}`,
    acknowledged: (by, at, via) => `${by}, ${at}, ${via}`,
    vias: { link: 'über den Link', key_press: 'am Telefon', reply: 'per SMS', console: 'in der Konsole' },
    nobodyReached: 'Bisher wurde niemand erreicht: Keine Nachricht konnte zugestellt werden.',
    nobodyAcknowledged: 'Alle wurden verständigt, niemand hat geantwortet.',
    acknowledgedBy: (by, at) => `Übernommen von ${by} um ${at}.`,
    youAcknowledged: at => `Von Ihnen übernommen um ${at}.`,
    closed: (at, reason) => `Beendet um ${at}: ${reason}.`,
    closedBy: (by, at) => `Von ${by} beendet um ${at}.`,
    closeReasons: {
      clear: 'Der Alarm wurde aufgehoben',
      disarm: 'Die Anlage wurde unscharf geschaltet',
      auto_close: 'Der Alarm endete von selbst',
      console: 'Jemand hat den Alarm beendet',
      superseded: 'Ein echter Alarm trat an seine Stelle',
      went_live: 'Die Anlage wurde auf echten Betrieb umgestellt',
      source_disabled: 'Die Anlage wurde abgeschaltet',
    },
    you: name => `Diese Seite ist für ${name}.`,
    mapLabel: 'Auf der Karte zeigen',
    toldHeading: 'Wer verständigt wird',
    closeLabel: 'Alarm beenden',
    closeQuestion: 'Damit ist der Alarm für alle beendet. Sonst wird niemand mehr verständigt.',
    closeConfirmLabel: 'Ja, Alarm beenden',
    offline: 'Keine Verbindung: Diese Seite ist vielleicht nicht aktuell.',
    toldLine: (name, channel, what) => `${name}, ${channel}: ${what}`,
    told: {
      scheduled: at => `geplant um ${at}`,
      retried: (why, at) => `nicht erreicht${why}, neuer Versuch um ${at}`,
      sending: 'wird gerade gesendet',
      sent: at => `gesendet um ${at}`,
      delivered: at => `angekommen um ${at}`,
      failed: why => `nicht zu erreichen${why}`,
      cancelled: 'nicht gesendet: nicht mehr nötig',
      noCarrier: 'nicht gesendet: dafür ist hier nichts eingerichtet',
      suppressed: at => `würde um ${at} gesendet`,
    },
    reasons: {
      plan_required: 'der Tarif deckt das nicht ab',
      spend_ceiling: 'Tagesgrenze für SMS und Anrufe erreicht',
      no_address: 'keine Adresse',
      not_verified: 'Adresse nicht bestätigt',
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
    noSuchPage: 'Diese Seite gibt es nicht. Ist der Link vollständig? Er gilt bis einen Tag nach dem Alarm.',
    tryAgain: 'Das geht gerade nicht. Gehen Sie zurück und versuchen Sie es noch einmal: zweimal schadet nicht.',
    ourFault: 'Bei uns ist etwas schiefgegangen. Versuchen Sie es noch einmal, oder rufen Sie die anderen selbst an.',
  },

  notices: {
    call_failed: about => ({
      subject: `EIN AUFRUF IST GESCHEITERT: ${about.source}`,
      explanation: `Ein Aufruf von „${about.source}“ wurde angenommen, ließ sich aber zehn Minuten lang nicht ausführen und wurde aufgegeben.`,
      todo: `Prüfen Sie den Zustand der Alarmanlage oder des Notrufknopfs, senden Sie den Aufruf noch einmal, und sagen Sie es ${OPERATOR}.`,
    }),
    nobody_to_alert: about => ({
      subject: `NIEMAND WURDE VERSTÄNDIGT: ${about.source}`,
      explanation: `„${about.source}“ wurde ausgelöst${opened(about)}, und es gab niemanden, den man hätte verständigen können.`,
      todo: 'Geben Sie dem Modus oder dem Notrufknopf einen Alarmplan mit mindestens einer Person, und proben Sie ihn.',
    }),
    escalation_capped: about => ({
      subject: `NICHT ALLE NACHRICHTEN GEPLANT: ${about.source}`,
      explanation: `Der Alarmplan von „${about.source}“, ausgelöst${opened(about)}, verlangt mehr als ${DELIVERIES_MOST} Nachrichten: Nur die ersten ${DELIVERIES_MOST} sind geplant.`,
      todo: 'Verwenden Sie im Alarmplan weniger Runden, Schritte, Personen oder Kanäle. Der Verlauf des Vorfalls zeigt, wie viele Nachrichten entfielen.',
    }),
    nobody_reached: about => ({
      subject: `NIEMAND WURDE VERSTÄNDIGT: ${about.source}`,
      explanation: `„${about.source}“ wurde ausgelöst${opened(about)}, ${about.because === 'all_failed' ? 'aber jede Nachricht ist bisher gescheitert oder hatte keinen Weg' : 'aber die Verständigung ließ sich nicht planen'}: Niemand wurde verständigt.`,
      todo:
        about.because === 'all_failed'
          ? 'Verständigen Sie diese Personen selbst. Der Verlauf des Vorfalls zeigt, woran jede Nachricht gescheitert ist: Beheben Sie es, und proben Sie.'
          : `Speichern Sie den Alarmplan und seine Personen noch einmal, proben Sie ihn, und sagen Sie es ${OPERATOR}.`,
    }),
    exhausted: about => ({
      subject: `NIEMAND HAT GEANTWORTET: ${about.source}`,
      explanation: `Der Alarmplan von „${about.source}“, ausgelöst${opened(about)}, ist zu Ende, und niemand hat geantwortet.`,
      todo: 'Der Verlauf des Vorfalls zeigt, was wo ankam. Nehmen Sie Personen, Kanäle oder Runden in den Alarmplan auf.',
    }),
    step_late: about => ({
      subject: `VERSPÄTET: ${about.source}`,
      explanation: `${step(about)} für „${about.source}“, ausgelöst${opened(about)}, kam ${about.late} zu spät.`,
      todo: `Sagen Sie es ${OPERATOR}: Protokoll und Last zu dieser Zeit zeigen den Grund.`,
    }),
    step_missed: about => ({
      subject: `NICHT RECHTZEITIG GESENDET: ${about.source}`,
      explanation: `${step(about)} für „${about.source}“, ausgelöst${opened(about)}, entfiel: Keine seiner Nachrichten wurde versucht.`,
      todo: `Sagen Sie es ${OPERATOR}: Das Protokoll zu dieser Zeit zeigt den Grund. Wenn es noch wichtig ist, verständigen Sie diese Personen selbst.`,
    }),
    spend_warning: about => ({
      subject: 'Tagesgrenze für SMS und Anrufe fast erreicht',
      explanation: `SMS und Anrufe haben heute ${about.spent} gekostet${ofCap(about)}.`,
      todo: `Echte Alarme gehen in jedem Fall hinaus. Sollen es auch Proben und Codes, bitten Sie den Betreiber dieses Tocsin-Servers, die Grenze anzuheben.`,
    }),
    spend_capped: about => ({
      subject: 'Tagesgrenze für SMS und Anrufe erreicht',
      explanation: `SMS und Anrufe haben heute ${about.spent} gekostet${ofCap(about)}. Proben und Codes werden bis Mitternacht UTC abgelehnt.`,
      todo: `Echte Alarme gehen weiter hinaus. Bitten Sie den Betreiber dieses Tocsin-Servers, die Grenze anzuheben, oder sehen Sie nach, wer so viele sendet.`,
    }),
    spend_ceiling: about => ({
      subject: `HEUTE KEINE SMS UND ANRUFE MEHR${about.about === 'source' ? `: ${about.source}` : ''}`,
      explanation: `SMS und Anrufe${about.about === 'source' ? ` zu „${about.source}“` : ''} haben heute ${about.spent} gekostet, und ${about.about === 'source' ? 'eine Quelle' : 'ein Konto'} darf am Tag ${about.ceiling} verbrauchen. Bis Mitternacht UTC gehen echte Alarme über die anderen Kanäle, bis auf die erste SMS und den ersten Anruf an jede Person.`,
      todo: `Sehen Sie nach, was so oft ausgelöst wurde, und nehmen Sie E-Mail, Push oder Webhook in die Alarmpläne auf. Für eine höhere Grenze fragen Sie den Betreiber dieses Tocsin-Servers.`,
    }),
    sources_deactivated: ({ sources }) => ({
      subject: 'Ihr Tarif hat Alarmanlagen ausgeschaltet',
      explanation: `Ihr Tarif deckt weniger Alarmanlagen und Notrufknöpfe ab, als es gibt. Ausgeschaltet: ${sources || 'einige'}. Wer sie aufruft, bekommt 404.`,
      todo: 'Wählen Sie einen größeren Tarif, oder löschen Sie andere: Dann werden sie von selbst wieder eingeschaltet.',
    }),
  },
  lastMail: most => `In einer Stunde waren es ${most} solche E-Mails. Weitere nennt nur: tocsin notices list.`,
};

function opened({ opened: at }: NoticeFacts): string {
  return at === null ? '' : ` am ${at.day.split('-').toReversed().join('.')} um ${at.time} ${at.zone}`;
}

function step({ step, round }: NoticeFacts): string {
  return step === null
    ? 'Ein Schritt des Alarmplans'
    : `Schritt ${step}${round > 1 ? ` der Runde ${round}` : ''} des Alarmplans`;
}

function ofCap({ cap }: NoticeFacts): string {
  return cap === '' ? '' : ` von ${cap}, die am Tag erlaubt sind`;
}
