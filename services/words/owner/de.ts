import type { Tried } from '../../domain/chances.ts';
import { type ChannelKind, FAILING_AFTER } from '../../domain/delivery.ts';
import { DELIVERIES_MOST } from '../../domain/escalation.ts';
import { MODES, type ModeId } from '../../domain/mode.ts';
import type { ProofAge } from '../../domain/proof.ts';
import type { Finding, Instead, InTest } from '../../domain/readiness.ts';
import type { SourceKind } from '../../domain/source.ts';
import { reachedIn } from '../../domain/standing.ts';
import type { TonightPerson, TonightSummary } from '../../domain/tonight.ts';
import {
  CODE_GOOD_MS,
  CODES_OF_ACCOUNT,
  type GuessVerdict,
  MOST_GUESSES,
  UNVERIFIED_A_DAY,
} from '../../domain/verification.ts';
import { dollars } from '../../process/text.ts';
import { inZone, MOST_NAMES, MOST_SOURCES, minute, moments, say, update } from './finding-parts.ts';
import type {
  CallWords,
  DrillSituation,
  DutyChangeNotice,
  ExplainedDelivery,
  FindingSource,
  FindingWords,
  NoticeFacts,
  OperatorAct,
  RehearsedMessage,
  SyntaxFault,
  Thing,
} from './types.ts';
import type { OwnerWords } from './words.ts';

/** A thing as a sentence takes it: as what there is not, as the subject, as whom something belongs to, as whose it is. */
interface Cases {
  no: string;
  this: string;
  another: string;
  one: string;
}

/** The names of things within a sentence. */
const THINGS: Readonly<Record<Thing, Cases>> = {
  account: { no: 'Dieses Konto', this: 'Dieses Konto', another: 'einem anderen Konto', one: 'eines Kontos' },
  alarm: { no: 'Diesen Alarm', this: 'Dieser Alarm', another: 'einem anderen Alarm', one: 'eines Alarms' },
  api_key: {
    no: 'Diesen API-Schlüssel',
    this: 'Dieser API-Schlüssel',
    another: 'einem anderen API-Schlüssel',
    one: 'eines API-Schlüssels',
  },
  contact: { no: 'Diese Person', this: 'Diese Person', another: 'einer anderen Person', one: 'einer Person' },
  duty: {
    no: 'Diese Bereitschaft',
    this: 'Diese Bereitschaft',
    another: 'einer anderen Bereitschaft',
    one: 'einer Bereitschaft',
  },
  incident: { no: 'Diesen Vorfall', this: 'Dieser Vorfall', another: 'einem anderen Vorfall', one: 'eines Vorfalls' },
  location: { no: 'Diesen Ort', this: 'Dieser Ort', another: 'einem anderen Ort', one: 'eines Ortes' },
  member: { no: 'Dieses Mitglied', this: 'Dieses Mitglied', another: 'einem anderen Mitglied', one: 'eines Mitglieds' },
  panic_button: {
    no: 'Diesen Notrufknopf',
    this: 'Dieser Notrufknopf',
    another: 'einem anderen Notrufknopf',
    one: 'eines Notrufknopfs',
  },
  policy: {
    no: 'Diesen Alarmplan',
    this: 'Dieser Alarmplan',
    another: 'einem anderen Alarmplan',
    one: 'eines Alarmplans',
  },
  source: {
    no: 'Diesen Alarm oder Notrufknopf',
    this: 'Dieser Alarm oder Notrufknopf',
    another: 'einem anderen Alarm oder Notrufknopf',
    one: 'eines Alarms oder Notrufknopfs',
  },
  token: { no: 'Dieses Token', this: 'Dieses Token', another: 'einem anderen Token', one: 'eines Tokens' },
};

/** How things that use another one are called in a list. */
const KINDS: Readonly<Record<string, string>> = {
  alarm: 'Alarm',
  api_key: 'API-Schlüssel',
  contact: 'Person',
  duty: 'Bereitschaft',
  location: 'Ort',
  panic_button: 'Notrufknopf',
  policy: 'Alarmplan',
  token: 'Konsolen-Token',
};

const CHANNELS: Readonly<Record<ChannelKind, string>> = {
  text: 'SMS',
  call: 'Anruf',
  email: 'E-Mail',
  push: 'Push',
  chat: 'Chat',
  webhook: 'Webhook',
};

/** Names a channel, by its word. */
function channelName(channel: string): string {
  return CHANNELS[channel as ChannelKind] ?? channel;
}

/** What modes are called in German that nobody renamed. */
export const MODE_NAMES: Readonly<Record<ModeId, string>> = {
  home: 'Zuhause',
  away: 'Abwesend',
  night: 'Nacht',
  vacation: 'Urlaub',
};

/** Names a mode, by its word. */
function modeName(mode: string): string {
  return MODES.find(one => one === mode) === undefined ? mode : MODE_NAMES[mode as ModeId];
}

/** Joins words as a sentence lists them. */
function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} und ${words.at(-1)}`;
}

const UNITS = { cents: ' Cent', changes: ' Tagen oder Wochen', rounds: ' weiteren Runden', seconds: ' Sekunden' };
const LISTED = {
  channels: 'Kanäle',
  contacts: 'Personen',
  exceptions: 'Ausnahmen',
  hours: 'Zeiten',
  modes: 'Modi',
  steps: 'Schritte',
  turns: 'Personen, die sich abwechseln',
};
const PHONE = 'eine Telefonnummer mit Landesvorwahl wie +436601234567: ein Plus und 8 bis 15 Ziffern, ohne Leerzeichen';
const EMAIL = 'eine E-Mail-Adresse wie jemand@example.com';

const GOT = ', angegeben ist ';

/** Why a folder takes no backups, in German. */
const FOLDER_REASONS: Readonly<Record<string, string>> = {
  'it is not there': 'Es gibt ihn nicht',
  'it is a file, or lies in one': 'Er ist eine Datei oder liegt in einer',
  'the disk is full': 'Der Datenträger ist voll',
  "this user's share of the disk is used up": 'Der Anteil dieses Benutzers am Datenträger ist aufgebraucht',
  'the disk is read-only': 'Der Datenträger lässt sich nur lesen',
  'this user may not use it': 'Der Benutzer, unter dem Tocsin läuft, darf ihn nicht verwenden',
  'the disk fails': 'Der Datenträger versagt',
  'it does not answer within 5 s': 'Er antwortet nicht innerhalb von 5 s',
  'other folders do not answer, and until one does no further one is tried':
    'Andere Ordner antworten nicht, und bis einer es tut, wird kein weiterer geprüft',
  'it is DATA_DIR or lies in it, and what takes that away takes the backups along':
    'Er ist DATA_DIR oder liegt darin, und was das verloren gehen lässt, nimmt die Sicherungen mit',
};

/** German: what is accepted is the object of "erwartet". */
const accepts: OwnerWords['accepts'] = {
  mismatch: (accepted, got, todo = '') => `erwartet ${accepted}${GOT}${got}${todo && `: ${todo}`}.`,
  gotInstead: (said, got) => `${said.split(GOT)[0]}${GOT}${got}.`,

  nothing: 'nichts',
  aSecondTime: what => `${what} ein zweites Mal`,
  anotherUrl: 'eine andere URL',

  name: '1 bis 100 Zeichen in einer Zeile, ohne Steuerzeichen',
  oneLine: most => `höchstens ${most} Zeichen in einer Zeile, ohne Steuerzeichen`,
  lines: most => `höchstens ${most} Zeichen, auch in mehreren Zeilen, ohne Steuerzeichen`,
  key: most => `1 bis ${most} Kleinbuchstaben, Ziffern und Bindestriche, vorn ein Buchstabe oder eine Ziffer`,
  trueOrFalse: 'true oder false',
  whole: (least, most, unit) => `eine ganze Zahl von ${least} bis ${most}${UNITS[unit]}`,
  list: (least, most, of) => (least === 0 ? `höchstens ${most} ${LISTED[of]}` : `${least} bis ${most} ${LISTED[of]}`),
  reference: 'die Id oder den Schlüssel von etwas, das es gibt',
  referenceOrNone: 'die Id oder den Schlüssel von etwas, das es gibt, oder nichts',
  referenceTo: thing => `die Id oder den Schlüssel ${THINGS[thing].one} in diesem Konto`,
  didYouMean: near => ` Meinten Sie ${near}?`,
  testUntil: 'eine Zeit, die noch kommt, höchstens 7 Tage von jetzt an',
  timeOrNever: 'eine Zeit wie "2027-01-31T12:00:00Z", oder nichts für nie',
  timeToCome: 'eine Zeit in der Zukunft, oder nichts für nie',
  timeOfYears: 'eine Zeit der Jahre 1 bis 9999',
  month: 'einen Monat der Jahre 1970 bis 2999 wie 2026-11, oder nichts für diesen',
  oneOf: words => `eines von ${words.join(', ')}`,
  oneOfOrNothing: words => `${words.map(one => `"${one}"`).join(', ')} oder nichts`,
  eachOnce: 'jedes nur einmal',
  mostAddresses: (channel, most) => `höchstens ${most} Adressen je Person für ${channelName(channel)}`,
  oneMore: 'eine mehr',
  locale: 'eine Sprache wie "de" oder "de-AT" (BCP 47)',
  timeZone: 'eine Zeitzone der IANA wie "Europe/Vienna"',
  weekdays: 'Tage wie "mon-fri" oder "sat,sun", oder nichts für jeden Tag',
  clock: 'eine Uhrzeit wie "08:00"',
  clockToEnd: 'eine Uhrzeit wie "18:00", bis "24:00"',
  changeOf: { daily: 'eine Uhrzeit wie "08:00"', weekly: 'einen Tag und eine Uhrzeit wie "sat 08:00"' },
  aDate: 'einen Tag wie "2026-11-28"',
  dayOrTime: 'einen Tag wie "2026-12-24" oder eine Zeit wie "2026-12-24T18:00"',
  aTimeToCome: 'eine Zeit in der Zukunft',
  afterFrom: 'etwas, das nach from kommt',
  who: 'Personen wie [anna] oder einen Wechsel wie { turns: [noah, mia], change: weekly, at: "sat 08:00", since: 2026-11-28 }',
  contactOrDuty: 'entweder eine Person oder eine Bereitschaft',
  voice: 'den Namen einer Stimme wie "Polly.Vicki": Buchstaben, Ziffern, Punkte, Binde- und Unterstriche, höchstens 60',
  emergencyNumber: 'eine Nummer für den Notruf wie "112": 2 bis 15 Ziffern, oder nichts für keine',
  anAddress: 'eine Adresse',
  address: {
    text: PHONE,
    call: PHONE,
    email: EMAIL,
    push: 'ein Thema aus Buchstaben, Ziffern, Binde- und Unterstrichen, oder die https-Adresse eines Themas',
    chat: 'telegram: und die Nummer einer Person bei Telegram wie telegram:123456789, die der Bot jedem nennt, der ihm schreibt; signal: und eine Telefonnummer in E.164 wie signal:+12025550111; oder apprise: und einen Schlüssel, den der Betreiber dort eingerichtet hat',
    webhook: 'eine https-Adresse mit höchstens 500 Zeichen',
  },
  chatHint: (typed, meant) =>
    ({
      id: ` Meinten Sie ${meant}?`,
      name: ' Telegram nennt einem Bot keine @Namen: Lassen Sie die Person den Link von „Telegram verbinden“ öffnen oder dem Bot schreiben, der mit ihrer Adresse antwortet.',
      group: ' Eine Gruppe ist niemand: Jeder darin könnte drücken.',
      other: '',
    })[typed],
  lookUrlOrNone: 'eine https-Adresse ohne Anmeldung mit höchstens 500 Zeichen, oder nichts für keine',
  emailOrNone: `${EMAIL}, oder nichts für keine`,
  onSilence: 'notify (die Inhaber erfahren es) oder alert (sie erfahren es, und sein Alarm wird ausgelöst)',
  alertNeedsAlarm:
    'kann nur alert sein, wenn der Schlüssel einen einzigen Alarm erreicht: Der wird dann ausgelöst. Erstellen Sie einen Schlüssel für diesen Alarm, oder wählen Sie notify.',
  secondsOrOff: (least, most) => `0 für aus, oder ${least} bis ${most} Sekunden`,
  pause: (least, most) => `0 für nie, oder ${least} bis ${most} Sekunden`,
  seconds: (least, most) => `${least} bis ${most} Sekunden`,
  range: (least, most) => `${least} bis ${most}`,
  days: (most, usual) => `1 bis ${most}, oder 0 für ${usual}`,
  aMessage: 'einen Inhalt',
  id: 'eine Id aus 32 Kleinbuchstaben und Ziffern',
  search: most => `einen Teil eines Namens: höchstens ${most} Zeichen, keine Steuerzeichen`,
  fieldsOf: (thing, known) => `die Felder ${THINGS[thing].one}, die sich ändern lassen (${known.join(', ')})`,
  fieldsOnly: known => `${known.join(', ')}, sonst nichts`,
  nameAndRole: 'name und role',
  noKnownField: 'ist kein bekanntes Feld.',
  settingOf: (title, known) => `gehört nicht zu ${title}; dort gibt es ${known.join(', ')}.`,
  settingShort: most => `höchstens ${most} Zeichen in einer Zeile`,
  secretAgain: because => `muss noch einmal eingegeben werden, weil ${because} jetzt anderswohin führt.`,
  addressToTry: 'eine Adresse oder Nummer von Ihnen',
  channelOf: (name, has) => `einen Kanal von ${name} (${listed(has.map(channelName)) || 'noch keiner'})`,
  addressOf: (name, channel) => `eine Adresse, die ${name} für ${channelName(channel)} hat, oder nichts für die erste`,
  notThere: 'eine andere',
  verifiableChannel: 'SMS, Anruf, E-Mail, Push oder Chat',
  webhookNeedsNone: 'Ein Webhook braucht keinen Code',
  code: 'die sechs Ziffern des Codes',
  url: 'eine URL',
  publicUrl: 'eine Adresse mit http oder https ohne Benutzer, Abfrage und Fragment, wie https://alarm.example.com',
  absolutePath: most =>
    `einen vollständigen Pfad wie /backups: höchstens ${most} Zeichen in einer Zeile, ohne Steuerzeichen`,
  writableFolder: 'einen Ordner, in den Tocsin schreiben darf',
  folderReason: reason => FOLDER_REASONS[reason] ?? reason,
  wholeMinutes: (least, most) => `ganze Minuten von ${least} bis ${most} Sekunden`,
  passphrase: (least, most) =>
    `${least} bis ${most} Zeichen in einer Zeile, ohne Steuerzeichen und ohne Leerzeichen am Anfang oder Ende`,
  charactersGot: count => `${count} Zeichen`,
  traceId: 'die traceId einer Antwort (eine UUID) oder einen traceparent',
  note: most => `eine Notiz mit 1 bis ${most} Zeichen in einer Zeile`,
  nameOrNothing: most => `einen Namen mit höchstens ${most} Zeichen in einer Zeile, oder nichts`,
  tokenOfPageBefore: field => `${field} der Seite davor`,
  tokenOfIncident: field => `${field} dieses Vorfalls`,
  timeAhead: days => `ein Zeitpunkt von jetzt bis in ${days} Tagen, oder keiner für jetzt`,
  modeOrNothing: modes => `${modes.join(', ')}, oder nichts`,
  noModeOfButton: 'nichts bei einem Notrufknopf, denn der hat keine Modi',
  responseText: most => `1 bis ${most} Zeichen, wenn um etwas anderes gebeten wird`,
  noResponseText: response => `erwartet nichts bei ${response}: Eigene Worte hat nur other.`,
  messages: most => `höchstens ${most} Nachrichten in einem Vorfall`,
  people: most => `höchstens ${most} Personen in einer Bereitschaft, alle Stunden, Reihen und Ausnahmen zusammen`,
  messagesGot: (all, rounds, each) => `${all} (${rounds === 1 ? '1 Runde' : `${rounds} Runden`} mit je ${each})`,
  messagesFewer: 'Verwenden Sie weniger Runden, Schritte, Personen oder Kanäle',
  accountOfCall: 'erwartet die Id des Kontos, das der Aufruf meint: das des Tokens oder von x-tocsin-account.',
  reachIsFixed:
    'lässt sich nicht ändern: Was ein Schlüssel erreicht, steht fest. Erstellen Sie einen anderen, und widerrufen Sie diesen.',
};

const calls: OwnerWords['calls'] = {
  accepted: sayCall(
    'Der Aufruf ist gespeichert und wird gleich ausgeführt.',
    'Sehen Sie gleich noch einmal nach; wartet er nach einer Minute noch, hilft das Protokoll des Servers weiter.',
  ),
  armed: sayCall('Der Alarm wurde in dem Modus scharf geschaltet, den der Aufruf nennt.'),
  disarmed: call => {
    const cancelled =
      call.pending === 'touched' ? ', und das Auslösen in seiner Fehlalarm-Frist wurde abgebrochen' : '';
    const closed = call.incident === null ? '' : ', und der offene Vorfall wurde beendet';
    return sayCall(`Der Alarm wurde unscharf geschaltet${cancelled}${closed}.`);
  },
  pending: sayCall(
    'Das Auslösen wartet in seiner Fehlalarm-Frist, und noch wurde niemand verständigt.',
    'Wer vor ihrem Ende unscharf schaltet, bricht es ab; sonst beginnt der Vorfall.',
  ),
  opened: ({ incident, by, kind }) => {
    if (incident?.outcome === 'nobody_to_alert') {
      return sayCall(
        'Das Auslösen öffnete einen Vorfall, aber es gab niemanden zu verständigen: Es fehlt ein Alarmplan, oder er nennt niemanden.',
        'Wählen Sie einen Alarmplan, der mindestens eine Person mit einem Kanal nennt.',
      );
    }
    if (incident?.outcome === 'nobody_reached') {
      return sayCall(
        'Das Auslösen öffnete einen Vorfall, aber niemand wurde verständigt: Die Nachrichten scheiterten, für ihre Kanäle ist nichts eingerichtet, oder sie ließen sich nicht planen.',
        'Verständigen Sie diese Personen selbst, sehen Sie im Verlauf des Vorfalls nach, woran es lag, und proben Sie, wenn es behoben ist.',
      );
    }
    if (incident?.outcome === 'exhausted') {
      return sayCall(
        'Das Auslösen öffnete einen Vorfall, alle, die zu erreichen waren, wurden verständigt, und niemand hat geantwortet.',
        'Übernehmen oder beenden Sie den Vorfall, und nehmen Sie Runden oder Personen in den Alarmplan auf.',
      );
    }
    if (incident?.environment === 'test' && by === 'person' && kind === 'panic_button') {
      return sayCall(
        'In der Konsole gedrückt oder geprobt, während er im Test war: Das öffnete einen Vorfall, der festhält, wer verständigt worden wäre. Verständigt wurde niemand.',
        'Soll das nächste Auslösen jemanden verständigen, schalten Sie dort und an seinem Ort den Test aus.',
      );
    }
    if (incident?.environment === 'test' && by === 'person') {
      return sayCall(
        'Die Probe öffnete einen Vorfall im Test: Er hält fest, wer verständigt worden wäre. Verständigt wurde niemand.',
      );
    }
    if (incident?.environment === 'test') {
      return sayCall(
        `Der ${kind === 'panic_button' ? 'Notrufknopf' : 'Alarm'} ist im Test: Das Auslösen öffnete einen Vorfall, der festhält, wer verständigt worden wäre. Verständigt wurde niemand.`,
        'Soll das nächste Auslösen jemanden verständigen, schalten Sie dort und an seinem Ort den Test aus.',
      );
    }
    const what = by === 'person' ? 'Jemand hat in der Konsole gedrückt: Das' : 'Das Auslösen';
    return sayCall(`${what} öffnete einen Vorfall, und die Personen im Alarmplan werden der Reihe nach verständigt.`);
  },
  cancelled: ({ verb }) =>
    sayCall(
      verb === 'call_off'
        ? 'Jemand hat in der Fehlalarm-Frist Entwarnung gegeben: Es gab keinen Vorfall, und niemand wurde verständigt.'
        : 'Das Auslösen wurde in seiner Fehlalarm-Frist abgebrochen: Es gab keinen Vorfall, und niemand wurde verständigt.',
    ),
  folded: ({ incident }) =>
    incident === null
      ? sayCall(
          'Das Auslösen kam zu einem dazu, das schon in seiner Fehlalarm-Frist wartete; noch wurde niemand verständigt.',
          'Wer vor ihrem Ende unscharf schaltet, bricht beide ab.',
        )
      : incident.outcome === 'nobody_reached'
        ? sayCall(
            'Das Auslösen kam zu dem Vorfall dazu, der schon offen war: Es wurde gezählt, und bisher wurde niemand verständigt.',
            'Verständigen Sie diese Personen selbst, und sehen Sie im Verlauf des Vorfalls nach, woran es lag.',
          )
        : sayCall(
            'Das Auslösen kam zu dem Vorfall dazu, der schon offen war: Es wurde gezählt, und niemand wurde erneut verständigt.',
            'Soll das nächste Auslösen jemanden verständigen, heben Sie den Alarm auf, oder beenden Sie den Vorfall.',
          ),
  closed: ({ verb }) =>
    verb === 'close'
      ? sayCall('Jemand hat den Vorfall beendet; was noch nicht gesendet war, entfiel.')
      : verb === 'call_off'
        ? sayCall(
            'Jemand hat rechtzeitig Entwarnung gegeben: Der Vorfall, der inzwischen begonnen hatte, wurde beendet.',
          )
        : sayCall('Das Aufheben beendete den offenen Vorfall; was noch nicht gesendet war, entfiel.'),
  nothing_waits: sayCall('Dieses Auslösen wartete nicht mehr in seiner Fehlalarm-Frist; nichts hat sich geändert.'),
  more_came: sayCall(
    'Was in der Fehlalarm-Frist zu sehen war, hat inzwischen noch ein Gerät ausgelöst: Entwarnt wurde nichts.',
    'Sehen Sie nach, was jetzt wartet, und entwarnen Sie noch einmal, solange die Frist läuft.',
  ),
  another_waits: sayCall(
    'In der Fehlalarm-Frist wartete inzwischen ein anderes Auslösen als das, das zu sehen war: Entwarnt wurde nichts.',
    'Sehen Sie nach, was jetzt wartet, und entwarnen Sie noch einmal, solange die Frist läuft.',
  ),
  nothing_open: sayCall(
    'Es gab keinen offenen Vorfall zum Aufheben; ein Auslösen, das in seiner Frist wartet, bleibt.',
  ),
  held_by_gate: ({ answer }) =>
    sayCall(
      answer === 'refused'
        ? 'Das Auslösen wurde abgelehnt (404): Der Alarm alarmiert nur, wenn scharf, und er war unscharf.'
        : 'Das Auslösen wurde zurückgehalten: Der Alarm alarmiert nur, wenn scharf, und ein gleichzeitiges Unscharfschalten kam zuerst.',
      'Schalten Sie den Alarm zuerst scharf, oder schalten Sie „Nur alarmieren, wenn scharf“ aus.',
    ),
  source_disabled: ({ answer }) =>
    sayCall(
      answer === 'refused'
        ? 'Der Aufruf wurde abgelehnt (404): Der Alarm oder Notrufknopf ist abgeschaltet, oder der Tarif umfasst ihn nicht.'
        : 'Das Auslösen blieb ohne Wirkung: Der Alarm oder Notrufknopf wurde vorher abgeschaltet.',
      'Schalten Sie ihn ein, oder sehen Sie sich den Tarif des Kontos an.',
    ),
  mode_missing: sayCall(
    'Der Aufruf wurde abgelehnt (404): Der Alarm hat den Modus nicht, den der Aufruf nennt oder braucht.',
    'Fügen Sie dem Alarm den Modus hinzu, oder nennen Sie einen, den er hat; ein Auslösen ohne Modus braucht, solange unscharf, den Modus Abwesend (away).',
  ),
  unknown_mode: sayCall(
    'Der Aufruf wurde abgelehnt (404): Das Wort hinter dem Verb ist keiner der vier Modi.',
    'Verwenden Sie home, away, night oder vacation in Kleinbuchstaben, oder lassen Sie den Modus weg.',
  ),
  not_found: sayCall(
    'Der Aufruf wurde abgelehnt (404): Dieser Schlüssel erreicht keinen Alarm oder Notrufknopf mit der Id im Pfad.',
    'Kopieren Sie die Id aus describe, und prüfen Sie, ob im Pfad alarm oder panic steht und für welchen Alarm der Schlüssel ist.',
  ),
  unknown_path: sayCall(
    'Der Aufruf wurde abgelehnt (404): Diesen Pfad gibt es unter /v1 nicht.',
    'Vergleichen Sie den Pfad Buchstabe für Buchstabe mit der Anleitung: Gibt es das Verb, steht ein Wort zu viel da?',
  ),
  wrong_method: sayCall(
    'Der Aufruf wurde abgelehnt (405): Erlaubt ist nur GET, und nichts ist geschehen.',
    'Senden Sie denselben Aufruf als GET.',
  ),
  limited: ({ times }) =>
    sayCall(
      `${times === 1 ? 'Der Aufruf wurde' : `${times} Aufrufe wurden`} abgelehnt (429) und nicht ausgeführt: Dieser Schlüssel oder sein Konto hat zu viele Aufrufe gemacht.`,
      'Suchen Sie das Gerät, das so oft aufruft, oder geben Sie jedem Gerät einen eigenen Schlüssel.',
    ),
  shed: ({ times }) =>
    sayCall(
      `${times === 1 ? 'Der Aufruf wurde' : `${times} Aufrufe wurden`} abgelehnt (503) und nicht ausgeführt: Es kamen mehr auf einmal, als der Server annimmt.`,
      'Prüfen Sie, ob das Gerät ihn wiederholt hat, und sagen Sie es dem Betreiber dieses Tocsin-Servers.',
    ),
  key_unknown: sayCall(
    'Der Aufruf wurde abgelehnt (401): Kein API-Schlüssel hat dieses Geheimnis.',
    'Prüfen Sie den Kopf X-API-Key, oder erstellen Sie einen neuen Schlüssel.',
  ),
  key_revoked: sayCall(
    'Der Aufruf wurde abgelehnt (401): Sein API-Schlüssel ist widerrufen.',
    'Geben Sie dem Gerät einen neuen Schlüssel; kennen Sie es nicht, ist der alte in fremden Händen und zu Recht widerrufen.',
  ),
  key_expired: sayCall(
    'Der Aufruf wurde abgelehnt (401): Sein API-Schlüssel ist abgelaufen, oder das alte Geheimnis eines erneuerten gilt nicht mehr.',
    'Geben Sie dem Gerät das jetzige Geheimnis, oder erstellen Sie einen neuen Schlüssel.',
  ),
  acknowledged: sayCall(
    'Der Vorfall wurde übernommen: Niemand sonst wird verständigt, und er bleibt offen, bis er beendet wird.',
  ),
  already_acknowledged: sayCall('Jemand hatte den Vorfall schon übernommen; nichts hat sich geändert.'),
  already_closed: sayCall('Der Vorfall war schon beendet; nichts hat sich geändert.'),
  stepped: sayCall('Der nächste Schritt des Alarmplans ging sofort hinaus.'),
  no_next_step: sayCall('Nichts ging hinaus: Dieser Schritt war schon dran, oder es gibt keinen mehr.'),
  noted: sayCall('Die Notiz steht im Verlauf des Vorfalls.'),
  too_many_notes: sayCall('Die Notiz wurde nicht aufbewahrt: Der Vorfall hat so viele, wie einer haben darf.'),
  too_many_hand_overs: sayCall(
    'Der Vorfall wurde nicht weitergegeben: Das geschah schon so oft, wie einer weitergegeben werden darf.',
  ),
  handed_over: sayCall('Die Person wurde sofort verständigt, um zu übernehmen: Bis jemand übernimmt, hat es niemand.'),
  already_handed_over: sayCall('Diese Person weiß es schon und hat noch nicht übernommen; nichts hat sich geändert.'),
  declined: sayCall(
    'Die Person kann nicht: Andere, die verständigt wurden, können noch übernehmen, und nichts wurde abgesagt.',
  ),
  declined_next: sayCall(
    'Die Person kann nicht, und von den bisher Verständigten ist niemand übrig: Der nächste Schritt ging sofort hinaus.',
  ),
  declined_last: sayCall('Die Person kann nicht, und kein Schritt ist übrig, der jemand anderen verständigt.'),
  not_reachable: sayCall(
    'Nichts hat sich geändert: Keine Nachricht würde diese Person erreichen.',
    'Übergeben Sie an jemand anderen, oder geben Sie dieser Person eine bestätigte Adresse.',
  ),
  failed: sayCall(
    'Der Aufruf wurde angenommen, ließ sich aber zehn Minuten lang nicht ausführen: Er wurde aufgegeben, und der Inhaber wurde verständigt.',
    'Senden Sie ihn noch einmal; scheitert auch das, hilft das Protokoll des Servers weiter.',
  ),
  went_live: call => {
    const closed = call.incident === null ? '' : ', und sein offener Vorfall im Test wurde beendet';
    const cancelled = call.pending === 'touched' ? ', und sein wartendes Auslösen im Test wurde abgebrochen' : '';
    return sayCall(`Der Alarm oder Notrufknopf wurde vom Test live geschaltet${closed}${cancelled}.`);
  },
  disabled: call => {
    const closed = call.incident === null ? '' : ', und sein offener Vorfall wurde beendet';
    const cancelled = call.pending === 'touched' ? ', und sein wartendes Auslösen wurde abgebrochen' : '';
    return sayCall(`Der Alarm oder Notrufknopf wurde abgeschaltet${closed}${cancelled}.`);
  },
};

function sayCall(explanation: string, advice = ''): CallWords {
  return { explanation, advice };
}

const changes: OwnerWords['changes'] = change => {
  switch (change.kind) {
    case 'opened':
      if (change.by === '') return '';
      return change.silentS === null
        ? `Ausgelöst durch ${change.by}.`
        : `Von ${change.by} war ${duration(change.silentS)} lang nichts zu hören.`;
    case 'exhausted':
      return change.tried === null ? '' : triedWords(change.tried);
    case 'step_brought_forward':
      return `Vorher war niemand übrig: Nachrichten sind gescheitert, oder Leute können nicht. Deshalb ging er ${duration(change.earlierS)} früher als geplant.`;
  }
};

/** Says what was tried. */
function triedWords({ messages, taken, failed, channels }: Tried): string {
  const over = channels.length === 0 ? '' : ` (${channels.map(channelName).join(', ')})`;
  const all = messages === 1 ? 'eine Nachricht' : `${messages} Nachrichten`;
  return `Versucht: ${all}${over}. Angenommen: ${taken}, gescheitert: ${failed}.`;
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

const PER = { minute: 'in der Minute', hour: 'in der Stunde', day: 'am Tag' };

const codes: OwnerWords['codes'] = {
  noBot:
    'Es gibt keinen Bot, dem man schreiben könnte: Setzen Sie TELEGRAM_TOKEN, wo Tocsin läuft, oder fragen Sie den Betreiber.',
  noDevice: (why, name) =>
    ({
      no_carrier:
        'Web-Push ist nicht eingerichtet: Setzen Sie WEB_PUSH_CONTACT, wo Tocsin läuft, oder fragen Sie den Betreiber.',
      not_https:
        'Browser klingeln nur für Adressen, die mit https:// beginnen: Setzen Sie PUBLIC_URL auf eine solche, oder fragen Sie den Betreiber.',
      other_address: `Push-Nachrichten an ${name} gehen an vier andere Adressen: Entfernen Sie zuerst eine davon.`,
    })[why],
  notYourself: name =>
    `Das kann nur ${name} selbst: Melden Sie sich mit der bestätigten E-Mail-Adresse von ${name} an, oder lassen Sie einen Link für das Telefon erstellen.`,
  tooManyDevices: most => `Es klingeln schon ${most} Geräte, mehr geht nicht: Entfernen Sie zuerst eines.`,
  deviceGone: 'der Browser will keine Nachrichten mehr',
  noSuchDevice: name => `Ein solches Gerät klingelt nicht für ${name}: Es wurde schon entfernt.`,
  botUnknown: problem => `Der Link lässt sich gerade nicht erstellen: ${problem}. Versuchen Sie es noch einmal.`,
  tooMany({ most, per, retryAfterS }) {
    const minutes = Math.ceil(retryAfterS / 60);
    const wait =
      minutes > 120 ? `${Math.ceil(minutes / 60)} Stunden` : minutes > 2 ? `${minutes} Minuten` : `${retryAfterS} s`;
    return `Zu viele Codes: An eine Adresse gehen höchstens ${most} ${PER[per]}. Den nächsten gibt es in ${wait}.`;
  },
  tooManyOfAccount: retryAfterS =>
    `Zu viele Codes: Ein Konto sendet höchstens ${CODES_OF_ACCOUNT.most} in der Minute. Versuchen Sie es in ${retryAfterS} s noch einmal.`,
  addressLimit({ name, channel, resetsAt }) {
    const { most, ofAccount } = UNVERIFIED_A_DAY;
    const until = `${resetsAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    return (
      `address_limit: ${channelName(channel)} von ${name} ist nicht bestätigt, und an eine unbestätigte Adresse gehen ${most} Proben und ` +
      `Codes am Tag, ${ofAccount} davon von einem Konto. Weiter geht es ab ${until}. Geben Sie einen Code ein, der ankam.`
    );
  },
  notVerified(verdict, { name, channel, left }) {
    const whose = `${channelName(channel)} von ${name}`;
    const sentences: Record<Exclude<GuessVerdict, 'right'>, string> = {
      wrong: `Das ist nicht der Code, der an ${whose} ging. Noch ${left} von ${MOST_GUESSES} Versuchen: Sehen Sie in der neuesten Nachricht nach.`,
      expired: `Der Code an ${whose} ist nach ${CODE_GOOD_MS / 60_000} Minuten abgelaufen: Senden Sie einen neuen.`,
      none_sent: `An ${whose} ging noch kein Code, seit die Adresse gespeichert ist: Senden Sie zuerst einen.`,
      too_many_guesses: `Der Code an ${whose} gilt nach ${MOST_GUESSES} falschen Versuchen nicht mehr: Senden Sie einen neuen.`,
    };
    return `${verdict}: ${sentences[verdict]}`;
  },
};

/** What carriers' faults are called as they are stored, up to their colon (services/channels), in German. */
const FAULTS: Readonly<Record<string, string>> = {
  'this version of Tocsin has no such carrier': 'diese Version von Tocsin kennt diesen Dienst nicht',
  'what is stored cannot be opened with this DATA_KEY':
    'was gespeichert ist, lässt sich mit diesem DATA_KEY nicht öffnen',
  'BACKUP_DIR is missing': 'BACKUP_DIR fehlt',
  blocked: 'das Telefon oder sein Anbieter lässt solche Nachrichten nicht durch',
  busy: 'es war besetzt',
  'cancelled at the carrier': 'beim Dienst abgebrochen',
  'carrier refused': 'der Dienst hat es abgelehnt',
  'country not allowed': 'in dieses Land darf der Dienst nicht senden',
  'filtered by the carrier': 'der Dienst hat es herausgefiltert',
  'invalid number': 'die Telefonnummer gibt es nicht',
  'it has not been reached yet': 'noch nicht erreicht',
  'landline or unreachable carrier': 'ein Festnetzanschluss, oder ihr Anbieter ist nicht zu erreichen',
  'mailbox full': 'das Postfach ist voll',
  'mailbox switched off': 'das Postfach ist abgeschaltet',
  'no answer': 'niemand hat abgehoben',
  'no encrypted connection to the mail server came about':
    'zum Mailserver kam keine verschlüsselte Verbindung zustande',
  'no such mail domain': 'die Domain der Adresse gibt es nicht',
  'no such mailbox': 'das Postfach gibt es nicht',
  'not delivered': 'nicht zugestellt',
  'not delivered while it was of use': 'nicht rechtzeitig zugestellt',
  'Pushover knows no such user key, or their account is closed':
    'diesen Benutzerschlüssel kennt Pushover nicht, oder das Konto ist geschlossen',
  'Pushover refused the token': 'Pushover hat PUSHOVER_TOKEN abgelehnt',
  'no device of this person rings any more': 'für diese Person klingelt kein Gerät mehr',
  'the key of web push cannot be opened with this DATA_KEY':
    'der Schlüssel für Web-Push lässt sich mit diesem DATA_KEY nicht öffnen',
  'the push service asked to wait': 'der Push-Dienst bittet um Geduld',
  'the push service led elsewhere, where no message of ours goes':
    'der Push-Dienst verweist an eine andere Adresse, an die wir nichts senden',
  'the push service refused our signature': 'der Push-Dienst hat unsere Unterschrift abgelehnt',
  'the push service says that the message is too long': 'der Push-Dienst sagt, dass die Nachricht zu lang ist',
  'the push service takes no more messages for now': 'der Push-Dienst nimmt gerade keine Nachrichten mehr an',
  'refused as spam or by policy': 'als Spam oder nach den Regeln des Servers abgelehnt',
  'the account at the carrier has no credit left': 'das Konto beim Dienst hat kein Guthaben mehr',
  'the account at the carrier is not active': 'das Konto beim Dienst ist nicht aktiv',
  'the account at the carrier is not verified': 'das Konto beim Dienst ist nicht bestätigt',
  'the address is not allowed': 'diese Adresse ist nicht erlaubt',
  'the call failed': 'der Anruf kam nicht zustande',
  'the carrier answered something that cannot be read': 'die Antwort des Dienstes ist nicht zu lesen',
  'the carrier closed the connection without an answer': 'der Dienst hat die Verbindung ohne Antwort beendet',
  'the carrier could not be reached': 'der Dienst war nicht zu erreichen',
  'the carrier could not send it': 'der Dienst konnte es nicht senden',
  'the carrier does not accept PUBLIC_URL': 'der Dienst nimmt PUBLIC_URL nicht an',
  'the carrier does not accept this text': 'der Dienst nimmt diesen Text nicht an',
  'the carrier does not call this number': 'diese Nummer ruft der Dienst nicht an',
  'the carrier does not let TELNYX_API_KEY do this': 'der Dienst lässt das mit TELNYX_API_KEY nicht zu',
  'the carrier does not let TELNYX_FROM be used for this': 'der Dienst lässt TELNYX_FROM dafür nicht zu',
  'the carrier does not let TWILIO_FROM be used for this': 'der Dienst lässt TWILIO_FROM dafür nicht zu',
  'the carrier has no way from TELNYX_FROM to this number':
    'von TELNYX_FROM hat der Dienst keinen Weg zu dieser Nummer',
  'the carrier has no way from TWILIO_FROM to this number':
    'von TWILIO_FROM hat der Dienst keinen Weg zu dieser Nummer',
  'the carrier does not let TWILIO_WHATSAPP_FROM be used for this':
    'der Dienst lässt TWILIO_WHATSAPP_FROM dafür nicht zu',
  'the carrier has no way from TWILIO_WHATSAPP_FROM to this number':
    'von TWILIO_WHATSAPP_FROM hat der Dienst keinen Weg zu dieser Nummer',
  'the account at the carrier has sent all that it may in a day':
    'das Konto beim Dienst hat alles gesendet, was es an einem Tag darf',
  'WhatsApp does not let the account at the carrier in': 'WhatsApp lässt das Konto beim Dienst nicht zu',
  'WhatsApp does not take the template': 'WhatsApp nimmt die Vorlage nicht an',
  'the template of WhatsApp does not take one variable': 'die Vorlage für WhatsApp hat nicht genau eine Variable',
  'WhatsApp takes nothing but templates': 'WhatsApp nimmt nur Vorlagen an',
  'WhatsApp does not accept this message': 'WhatsApp nimmt diese Nachricht nicht an',
  'WhatsApp does not deliver to this number for now': 'WhatsApp stellt dieser Nummer vorerst nichts zu',
  'this number has no WhatsApp': 'diese Nummer hat kein WhatsApp',
  'they have blocked the sender at WhatsApp': 'die Person hat den Absender bei WhatsApp gesperrt',
  'the sandbox of WhatsApp reaches numbers only that have joined it':
    'die Sandbox von WhatsApp erreicht nur Nummern, die ihr beigetreten sind',
  'Meta chose not to deliver it': 'Meta hat es nicht zugestellt',
  'the WhatsApp Business account of the sender is locked': 'das WhatsApp-Business-Konto des Absenders ist gesperrt',
  'the carrier is busy': 'der Dienst ist überlastet',
  'the carrier knows no TeXML application TELNYX_TEXML_APP': 'der Dienst kennt keine TeXML-Anwendung TELNYX_TEXML_APP',
  'the carrier needs TELNYX_FROM registered for this country':
    'für dieses Land muss TELNYX_FROM beim Dienst angemeldet sein',
  'the carrier refused the login': 'der Dienst hat die Anmeldung abgelehnt',
  'the contact has a URL that names no topic': 'die Adresse der Person nennt kein Thema',
  'the contact has an address that is no email address': 'die Adresse der Person ist keine E-Mail-Adresse',
  'the contact has an address that is no phone number': 'die Adresse der Person ist keine Telefonnummer',
  'the mail came back': 'die E-Mail kam zurück',
  'the mail server asked to come back later': 'der Mailserver bittet um einen späteren Versuch',
  'the mail server closed the connection': 'der Mailserver hat die Verbindung beendet',
  'the mail server could not be reached': 'der Mailserver war nicht zu erreichen',
  'the mail server did not answer in time': 'der Mailserver hat nicht rechtzeitig geantwortet',
  'the mail server did not take it for now': 'der Mailserver hat es vorerst nicht angenommen',
  'the mail server had a fault of its own': 'beim Mailserver ging etwas schief',
  'the mail server has no room': 'der Mailserver hat keinen Platz',
  'the mail server is not available': 'der Mailserver ist nicht verfügbar',
  'the mail server refused it': 'der Mailserver hat es abgelehnt',
  'the mail server refused the login of SMTP_URL': 'der Mailserver hat die Anmeldung aus SMTP_URL abgelehnt',
  'the mail server wants a login': 'der Mailserver verlangt eine Anmeldung in SMTP_URL',
  'the message is too big for the mail server': 'die Nachricht ist dem Mailserver zu groß',
  'the message was not sent': 'die Nachricht wurde nicht gesendet',
  'the name of the mail server could not be looked up': 'der Name des Mailservers ließ sich nicht auflösen',
  'the messaging profile of TELNYX_FROM has reached its spend limit':
    'das Messaging Profile von TELNYX_FROM hat seine Ausgabengrenze erreicht',
  'the messaging profile of TELNYX_FROM is disabled at the carrier':
    'das Messaging Profile von TELNYX_FROM ist beim Dienst ausgeschaltet',
  'the number cannot be reached': 'die Nummer ist nicht zu erreichen',
  'the number has opted out (STOP)': 'die Nummer hat Nachrichten abbestellt (STOP)',
  'the text is too long for the carrier': 'der Text ist dem Dienst zu lang',
  'Telegram refused the token': 'Telegram hat TELEGRAM_TOKEN abgelehnt',
  'Telegram knows no such chat': 'Telegram kennt diesen Chat nicht',
  'another program reads what is said to the bot of TELEGRAM_TOKEN, so that nobody can acknowledge in its chat':
    'ein anderes Programm liest, was dem Bot aus TELEGRAM_TOKEN gesagt wird, sodass niemand in seinem Chat übernehmen kann',
  'the bot of TELEGRAM_TOKEN has a webhook, so that nobody can acknowledge in its chat':
    'der Bot aus TELEGRAM_TOKEN hat einen Webhook, sodass niemand in seinem Chat übernehmen kann',
  'Signal did not take it': 'Signal hat es nicht angenommen',
  'Signal took it, and what came of it cannot be read':
    'Signal hat es angenommen, und was daraus wurde, ist nicht zu lesen',
  'Signal takes no more messages for now': 'Signal hat vorerst genug Nachrichten',
  'Signal refuses this version of signal-cli': 'Signal nimmt diese Version von signal-cli nicht mehr an',
  'Signal does not trust the key of this person': 'Signal vertraut dem Schlüssel dieser Person nicht',
  'Signal wants a captcha before it takes messages to new people':
    'Signal verlangt ein Captcha, bevor es Nachrichten an neue Personen annimmt',
  'this number has no Signal': 'diese Nummer hat kein Signal',
  'SIGNAL_NUMBER is not registered at the server of SIGNAL_URL':
    'SIGNAL_NUMBER ist beim Server von SIGNAL_URL nicht angemeldet',
  'what answers at SIGNAL_URL is no server of Signal': 'unter SIGNAL_URL antwortet kein Server von Signal',
  'the server of SIGNAL_URL refused the login': 'der Server von SIGNAL_URL hat die Anmeldung abgelehnt',
  'the server of SIGNAL_URL runs in a mode that loses replies, so that nobody can acknowledge by one':
    'der Server von SIGNAL_URL läuft in einem Modus, der Antworten verliert, sodass niemand mit einer übernehmen kann',
  'too many messages to Signal are under way': 'an Signal sind gerade zu viele Nachrichten unterwegs',
  'Telegram asked to wait': 'Telegram hat um Geduld gebeten',
  'Telegram says that the message is too long': 'Telegram sagt, dass die Nachricht zu lang ist',
  'Telegram takes no more messages for now': 'Telegram hat vorerst genug Nachrichten',
  'they have blocked the bot at Telegram, or their account is closed':
    'die Person hat den Bot bei Telegram gesperrt, oder ihr Konto dort ist geschlossen',
  'the chat is a group at Telegram, which has become another one':
    'der Chat ist eine Gruppe bei Telegram, die zu einer anderen wurde',
  'the webhook asked to wait': 'der Webhook bittet um Geduld',
  'the webhook is gone': 'den Webhook gibt es nicht mehr',
  "this month's messages of PUSHOVER_TOKEN are used up":
    'die Nachrichten dieses Monats für PUSHOVER_TOKEN sind aufgebraucht',
  'too many messages to Pushover are under way': 'an Pushover sind gerade zu viele Nachrichten unterwegs',
  'too many messages to this host are under way': 'zu diesem Server sind gerade zu viele Nachrichten unterwegs',
  'unknown error': 'der Dienst nennt keinen Grund',
  'unknown number': 'die Telefonnummer ist nicht in Betrieb',
  'unreachable handset': 'das Telefon war aus oder hatte keinen Empfang',
  'a trial account reaches numbers only that were verified at the carrier':
    'ein Probekonto erreicht nur Nummern, die beim Dienst bestätigt sind',
};

/** Who did not answer, and how. */
const SERVERS: readonly [RegExp, string][] = [
  [/^the carrier /, 'der Dienst '],
  [/^the gateway /, 'das Gateway '],
  [/^the mail server /, 'der Mailserver '],
  [/^the push server /, 'der Push-Server '],
  [/^the push service /, 'der Push-Dienst '],
  [/^Pushover /, 'Pushover '],
  [/^Telegram /, 'Telegram '],
  [/^Signal /, 'Signal '],
  [/^the webhook /, 'der Webhook '],
];
const ENDS: readonly [RegExp, string][] = [
  [/^did not answer in time$/, 'hat nicht rechtzeitig geantwortet'],
  [/^could not be reached$/, 'war nicht zu erreichen'],
  [/^broke off$/, 'hat die Verbindung abgebrochen'],
  [/^answered something that cannot be read$/, 'hat etwas geantwortet, das nicht zu lesen ist'],
  [/^refused$/, 'hat es abgelehnt'],
  [/^has a fault of its own$/, 'hat selbst einen Fehler'],
  [/^has a certificate that nobody known vouches for$/, 'hat ein Zertifikat, für das niemand Bekanntes bürgt'],
  [/^has a certificate that has expired$/, 'hat ein abgelaufenes Zertifikat'],
  [/^has a certificate that is not valid yet$/, 'hat ein Zertifikat, das noch nicht gilt'],
  [/^has a certificate for another name$/, 'hat ein Zertifikat für einen anderen Namen'],
  [/^has a certificate that was revoked$/, 'hat ein widerrufenes Zertifikat'],
];

const TRUST =
  'wer Tocsin betreibt, kann ihm mit NODE_EXTRA_CA_CERTS vertrauen (eine Datei mit dem Zertifikat seiner Zertifizierungsstelle)';

/** What can be done, which stands behind the colon. */
const REMEDIES: Readonly<Record<string, string>> = {
  'whoever runs Tocsin can trust it by NODE_EXTRA_CA_CERTS (a file with the certificate of its authority)': TRUST,
  'let it send its whole chain of certificates, or whoever runs Tocsin can trust it by NODE_EXTRA_CA_CERTS (a file with the certificate of its authority)': `er muss seine ganze Zertifikatskette senden, oder ${TRUST}`,
  'renew it': 'erneuern Sie es',
  'update the server of SIGNAL_URL': 'aktualisieren Sie den Server von SIGNAL_URL',
  'if they have a new phone, trust it at the server of SIGNAL_URL':
    'hat sie ein neues Telefon, vertrauen Sie ihm beim Server von SIGNAL_URL',
  'solve it, or let them write first': 'lösen Sie es, oder lassen Sie die Person zuerst schreiben',
  'it must take messages without one': 'er muss Nachrichten ohne eine annehmen',
  'set its MODE to native': 'setzen Sie seinen MODE auf native',
  'check TWILIO_WHATSAPP_TEMPLATES': 'prüfen Sie TWILIO_WHATSAPP_TEMPLATES',
  'let the template be of the category Utility': 'lassen Sie die Vorlage von der Kategorie Utility sein',
  'give Tocsin a bot of its own': 'geben Sie Tocsin einen eigenen Bot',
  'delete it (deleteWebhook), or give Tocsin a bot of its own':
    'löschen Sie ihn (deleteWebhook), oder geben Sie Tocsin einen eigenen Bot',
  'they have not pressed Start in the chat of the bot': 'die Person hat im Chat des Bots nicht „Start“ gedrückt',
  'check the clocks of both machines': 'prüfen Sie die Uhren beider Rechner',
  'use the name that it is for, or give it one for this name':
    'verwenden Sie den Namen, für den es gilt, oder stellen Sie eines für diesen Namen aus',
  'give it a new one': 'stellen Sie ein neues aus',
};

/**
 * Says a carrier's fault in German: what stands behind its colon is what can be done, or what a server said, which stays. A fault that is not known
 * here stays as it is.
 */
const faults: OwnerWords['faults'] = stored => {
  // Of the second mail server the same is said as of the first.
  if (stored.includes('SMTP_URL_2'))
    return faults(stored.replaceAll('SMTP_URL_2', 'SMTP_URL')).replaceAll('SMTP_URL', 'SMTP_URL_2');
  const [known = '', ...said] = stored.split(': ');
  if (known.startsWith(NO_CARRIER)) return ['dafür ist nichts eingerichtet', ...said.map(toSet)].join(': ');
  return [faultOf(known), ...said.map(toDo)].join(': ');
};

const ANY_CERTIFICATE = ', or SMTP_URL can end in ?tls.rejectUnauthorized=false (any certificate)';

/** What can be done; of a mail server one thing more. What a server said stays. */
function toDo(said: string): string {
  const known = REMEDIES[said.replace(ANY_CERTIFICATE, '')];
  if (known === undefined) return said;
  return said.endsWith(ANY_CERTIFICATE)
    ? `${known}, oder SMTP_URL kann auf ?tls.rejectUnauthorized=false enden (jedes Zertifikat)`
    : known;
}

const NO_CARRIER = 'no carrier is configured for ';

/** Which settings are missing: their names stay. */
function toSet(said: string): string {
  const [, names] = /^set (.+?),? to send it$/.exec(said) ?? [];
  return names === undefined ? said : `es fehlt ${names.replaceAll(' and ', ' und ').replace(/,? or /g, ' oder ')}`;
}

function faultOf(known: string): string {
  if (Object.hasOwn(FAULTS, known)) return FAULTS[known]!;
  if (known.startsWith('the carrier did not answer within ')) return 'der Dienst hat nicht rechtzeitig geantwortet';
  const server = SERVERS.find(([begins]) => begins.test(known));
  const end = server && ENDS.find(([ends]) => ends.test(known.replace(server[0], '')));
  return server === undefined || end === undefined ? known : `${server[1]}${end[1]}`;
}

/** What stands in the way here, by its code. Whatever else is stored is a carrier's fault. */
const DELIVERY_OBSTACLES: Readonly<Record<string, string>> = {
  plan_required: 'der Tarif umfasst diesen Kanal nicht',
  no_address: 'die Person hat keine Adresse für diesen Kanal',
  spend_ceiling: 'die Tagesobergrenze für SMS und Anrufe war erreicht',
  not_verified: 'die Adresse ist nicht bestätigt',
  disabled: 'die Adresse ist abgeschaltet',
  throttled: 'die Person hatte über diesen Kanal gerade schon viele Nachrichten bekommen',
};

const ENDINGS: Readonly<Record<string, string>> = {
  acknowledged: 'der Vorfall wurde übernommen',
  clear: 'der Vorfall wurde aufgehoben',
  disarm: 'der Alarm wurde unscharf geschaltet',
  auto_close: 'der Vorfall endete von selbst',
  console: 'jemand hat den Vorfall beendet',
  superseded: 'ein echter Vorfall trat an seine Stelle',
  went_live: 'der Alarm oder Notrufknopf wurde live geschaltet',
  source_disabled: 'der Alarm oder Notrufknopf wurde abgeschaltet',
};

const deliveries: OwnerWords['deliveries'] = on =>
  `${became(on)}${on.insteadOf === null ? '' : ` Ersatz für ${channelName(on.insteadOf)}.`}${askedBefore(on.carrierTries ?? [])}`;

/** Of each carrier that did not take it, the last try. */
function askedBefore(tries: NonNullable<ExplainedDelivery['carrierTries']>): string {
  if (tries.length === 0) return '';
  const named = tries.map(
    ({ carrier, nth, reason }) => [nth === undefined ? carrier : `${carrier}, Adresse ${nth}`, reason] as const,
  );
  const last = new Map(named.map(([who, reason]) => [who, `${who} (${faults(reason)})`]));
  const twice = tries.some(({ taken }) => taken === 'maybe') ? ' Die Nachricht kann zweimal ankommen.' : '';
  return ` Zuvor gefragt: ${[...last.values()].join(', ')}.${twice}`;
}

function became({ channel, status, reason, cancelledBy, attempts = 0, instead = null }: ExplainedDelivery): string {
  const because =
    reason === 'no_carrier'
      ? `für ${channelName(channel)} ist nichts eingerichtet`
      : (DELIVERY_OBSTACLES[reason] ?? faults(reason));
  switch (status) {
    case 'scheduled':
      if (reason === 'throttled') return `Verschoben: ${because}.`;
      if (because === '') return 'Geplant.';
      if (attempts < FAILING_AFTER) return `Wird noch einmal versucht: ${because}.`;
      return `Noch nicht angenommen, ${attempts} Mal versucht, weitere Versuche folgen: ${because}.${wentInstead(instead, 'Daneben')}`;
    case 'suppressed':
      return because === ''
        ? 'Im Test nicht gesendet; im Ernst wäre es gesendet worden.'
        : `Im Test nicht gesendet; im Ernst wäre es nicht gegangen: ${because}.`;
    case 'sending':
      return 'Wird gerade gesendet.';
    case 'sent':
      return 'Der Dienst hat es angenommen; ob es ankam, ist nicht bekannt.';
    case 'delivered':
      return 'Der Dienst meldet, dass es ankam.';
    case 'failed':
      return `Gescheitert${attempts > 1 ? ` nach ${attempts} Versuchen` : ''}: ${because || 'der Dienst nennt keinen Grund'}.${wentInstead(instead, 'Stattdessen')}`;
    case 'cancelled':
      if (reason === 'restored') return 'Nicht gesendet: Es war fällig, bevor eine Sicherung eingespielt wurde.';
      if (attempts < FAILING_AFTER) return `Nicht gesendet: ${ENDINGS[cancelledBy] ?? 'der Vorfall war vorbei'}.`;
      return `Überholt: ${attempts} Mal versucht (${because}), dann ${ENDINGS[cancelledBy] ?? 'ging eine spätere Nachricht über diesen Kanal hinaus'}.`;
    case 'no_carrier':
      return `Nicht gesendet: ${because || 'dafür ist nichts eingerichtet'}.`;
  }
}

function wentInstead(channel: ChannelKind | null, how: string): string {
  return channel === null ? '' : ` ${how} ging eine Nachricht über ${channelName(channel)} hinaus.`;
}

const drills: OwnerWords['drills'] = (outcome, situation) => {
  const { contactName, tried } = situation;
  const channel = channelName(situation.channel);
  switch (outcome.kind) {
    case 'sent':
    case 'delivered':
      return whyLeftOut(situation);
    case 'kept':
      return tried === 'no_carrier'
        ? `Richten Sie einen Dienst für ${channel} ein, oder lassen Sie die Alarmpläne ${contactName} über einen anderen Kanal verständigen.`
        : `Geben Sie ${contactName} eine echte Adresse für ${channel}, und versuchen Sie es dann noch einmal.`;
    case 'put_off':
    case 'asked_to_wait':
    case 'temporary_fault':
      return 'Versuchen Sie es in einer Minute noch einmal. Bei Alarmen geschieht das von selbst.';
    case 'obstacle':
    case 'permanent_fault':
      return outcome.reason === 'plan_required'
        ? `Wechseln Sie in den bezahlten Tarif, oder lassen Sie die Alarmpläne ${contactName} per E-Mail verständigen.`
        : `Prüfen Sie die Adresse von ${contactName} für ${channel}: Ein weiterer Versuch würde wieder abgelehnt.`;
  }
};

function whyLeftOut(on: DrillSituation): string {
  const whose = `${channelName(on.channel)} von ${on.contactName}`;
  if (on.live === 'disabled') {
    return `${whose} ist abgeschaltet (${on.disabledReason}), Alarme lassen es aus: Schalten Sie es wieder ein.`;
  }
  if (on.live !== 'not_verified') return '';
  return `${whose} ist nicht bestätigt, echte Alarme lassen es aus: tocsin contacts verify ${on.contactKey} ${on.channel}.`;
}

const { mismatch } = accepts;
const A_REFERENCE = 'einen Verweis auf ein Geheimnis, { env: NAME } oder { file: Pfad }';
const NO_TAG = 'erwartet einfache Werte ohne Tag.';

const SYNTAX: Readonly<Record<SyntaxFault, string>> = {
  ALIAS_PROPS: 'Ein Alias (*) kann weder Anker noch Tag haben.',
  BAD_ALIAS: 'Der Name eines Alias (*) oder Ankers (&) ist unvollständig.',
  BAD_COLLECTION_TYPE: NO_TAG,
  BAD_DIRECTIVE: 'Zeilen, die mit % beginnen, sind hier nicht erlaubt.',
  BAD_DQ_ESCAPE: 'In den Anführungszeichen steht hinter \\ etwas, das es nicht gibt.',
  BAD_INDENT: 'Die Einrückung passt nicht zu den Zeilen davor.',
  BAD_PROP_ORDER: 'Anker und Tags gehören vor den Wert.',
  BAD_SCALAR_START: 'Ein Wert kann so nicht beginnen: Setzen Sie ihn in Anführungszeichen.',
  BLOCK_AS_IMPLICIT_KEY: 'Vor dem Doppelpunkt steht etwas, das mehrere Zeilen hat.',
  BLOCK_IN_FLOW: 'In Klammern gehört alles in Klammern oder in eine Zeile.',
  DUPLICATE_KEY: 'Ein Feld steht zweimal da.',
  IMPOSSIBLE: 'Das lässt sich nicht lesen.',
  KEY_OVER_1024_CHARS: 'Ein Feldname ist länger als 1024 Zeichen.',
  MISSING_CHAR: 'Es fehlt ein Zeichen: eine Klammer, ein Komma, ein Doppelpunkt oder Anführungszeichen.',
  MULTILINE_IMPLICIT_KEY: 'Ein Feldname gehört in eine Zeile.',
  MULTIPLE_ANCHORS: 'Ein Wert kann nur einen Anker (&) haben.',
  MULTIPLE_DOCS: mismatch('ein Dokument', 'ein zweites hinter ---'),
  MULTIPLE_TAGS: 'Ein Wert kann nur ein Tag haben.',
  NON_STRING_KEY: 'Ein Feldname muss Text sein.',
  RESOURCE_EXHAUSTION: 'Die Datei ist zu verschachtelt, um gelesen zu werden.',
  TAB_AS_INDENT: 'Eingerückt wird mit Leerzeichen, nicht mit Tabulatoren.',
  TAG_RESOLVE_FAILED: NO_TAG,
  UNEXPECTED_TOKEN: 'Hier steht etwas, das nicht hierher gehört.',
};

const file: OwnerWords['file'] = {
  head: `# Die Konfiguration eines Kontos. \`tocsin config check\` prüft sie, \`tocsin config apply\` wendet sie an.
# Sie enthält Adressen von Menschen. Geheimnisse von API-Schlüsseln stehen nicht darin: Ein Schlüssel, der daraus entsteht,
# bekommt ein neues, außer er nennt { env: NAME } oder { file: Pfad } als sein Geheimnis.
`,
  kinds: { map: 'eine Gruppe von Feldern', list: 'eine Liste', single: 'ein einzelner Wert' },
  aMap: fields => (fields.length === 0 ? 'eine Gruppe von Feldern' : `eine Gruppe der Felder ${fields.join(', ')}`),
  somethingElse: 'etwas anderes',
  elseFrom: reference => `etwas anderes aus ${reference}`,
  aText: 'einen Text',
  aWholeNumber: 'eine ganze Zahl',
  version: 'die Version dieses Formats',
  unknownSection: known => `ist kein bekanntes Feld: Es gibt ${known.join(', ')}.`,
  unknownField: (known, name) => `ist kein bekanntes Feld: ${mismatch(known.join(', '), name)}`,
  keyOnce: (key, line) =>
    mismatch('jeden Schlüssel einmal', accepts.aSecondTime(key), `Der erste steht in Zeile ${line}`),
  fieldOnce: mismatch('jedes Feld einmal', 'es ein zweites Mal'),
  nameBeforeColon: mismatch('einen Namen vor dem Doppelpunkt', 'etwas anderes'),
  noMergeKeys: 'erwartet kein <<, das YAML 1.2 nicht kennt: Schreiben Sie die Felder aus.',
  keyOf: (thing, prune) =>
    `den Schlüssel ${THINGS[thing].one} ${prune === 'keep' ? 'aus dieser Datei oder diesem Konto' : 'aus dieser Datei (was sie nicht nennt, wird gelöscht)'}`,

  aReference: A_REFERENCE,
  neverTheSecret: `erwartet ${A_REFERENCE}, nie das Geheimnis selbst.`,
  fields: count => (count === 1 ? '1 Feld' : `${count} Felder`),
  sources: { env: 'den Namen einer Umgebungsvariablen', file: 'den Pfad einer Datei' },
  secretNamed: reference => `das Geheimnis, das ${reference} nennt`,
  apiKeySecret: 'einen API-Schlüssel, wie Tocsin sie macht: „toc_“ und 36 Buchstaben und Ziffern mit ihrer Prüfsumme',
  secretHad: reference =>
    mismatch(
      'ein Geheimnis, das noch kein API-Schlüssel hatte',
      `eines aus ${reference}, das schon einer hat oder hatte`,
    ),
  secretGuessable: reference =>
    `${mismatch('einen API-Schlüssel, dessen 30 Zeichen hinter „toc_“ zufällig sind: große und kleine Buchstaben und Ziffern', `einer aus ${reference}, der sich erraten lässt`)} Lassen Sie das Geheimnis weg: Dann wird ein zufälliges gemacht und einmal gezeigt.`,
  reachIsFixed:
    'lässt sich nicht ändern: Was ein Schlüssel erreicht, steht fest. Erstellen Sie hier einen anderen, unter anderem Namen.',

  tooLarge: (most, got) => `Eine Datei darf höchstens ${most} MB haben, diese hat ${got} MB: Teilen Sie sie.`,
  tooSlow: s => unreadable(`in ${s} Sekunden`),
  tooMuchMemory: megabytes => unreadable(`in ${megabytes} MB Speicher`),
  tooDeep: most => mismatch(`Listen und Gruppen höchstens ${most}-mal ineinander`, 'mehr'),
  empty: mismatch('eine Konfiguration, die mit version: 1 beginnt', 'nichts'),
  noDirectives: mismatch('keine Anweisungen', 'eine Zeile, die mit % beginnt'),
  controlCharacter: code => mismatch('Text ohne Steuerzeichen', code),
  noTag: NO_TAG,
  unknownAlias: name => `Den Alias *${name} gibt es nicht: Weiter oben steht kein &${name}.`,
  ownAlias: name => mismatch('keinen Alias von etwas, in dem er selbst steht', `*${name}`),
  tooManyAliased: most => mismatch(`Aliase, die zusammen für höchstens ${most} Werte stehen`, 'mehr'),
  syntax: fault => SYNTAX[fault],
};

function unreadable(within: string): string {
  return mismatch(
    `eine Datei, die sich ${within} lesen lässt`,
    'eine andere',
    'Teilen Sie sie, oder kürzen Sie, was sich wiederholt',
  );
}

const findings: OwnerWords['findings'] = {
  of: sayFinding,
  ofAccount: sayOfAccount,
  firstDaysEnd: sayFirstDaysEnd,
};

function sayOfAccount({ owners, mail }: Parameters<OwnerWords['findings']['ofAccount']>[0]): FindingWords {
  const carrier = mail === 'carrier' ? '' : 'Setzen Sie SMTP_URL, wo Tocsin läuft: Ohne das bekommt niemand E-Mail. ';
  return owners === 'none'
    ? say(
        'Das Konto hat keinen Inhaber, der erfährt, wenn ein Alarm niemanden erreicht.',
        `${carrier}Laden Sie einen ein, der dann seine Adresse bestätigt: tocsin members invite you@example.com --role owner.`,
      )
    : say(
        'Niemand erfährt, wenn ein Alarm niemanden erreicht: Noch kein Inhaber hat seine Adresse bestätigt.',
        `${carrier}Öffnen Sie den Link in der E-Mail an den Inhaber, oder melden Sie sich mit dieser Adresse an; noch einmal senden: tocsin members invite-again <email>.`,
      );
}

function sayFinding(finding: Finding, source: FindingSource): FindingWords {
  const { mode } = finding;
  switch (finding.code) {
    case 'disabled':
      return say(
        'Er ist abgeschaltet: Jeder Aufruf bekommt 404, und nichts löst aus.',
        `Schalten Sie ihn ein: ${update(source)} --enable.`,
      );
    case 'deactivated':
      return say(
        'Seit der Tarif kleiner wurde, umfasst er ihn nicht mehr: Jeder Aufruf bekommt 404.',
        'Wechseln Sie in einen Tarif, der ihn umfasst, oder löschen Sie, was Sie nicht mehr brauchen.',
      );
    case 'no_policy':
      return say(
        `${mode === null ? 'Er' : `Der Modus ${modeName(mode)}`} hat keinen Alarmplan: Ein Auslösen öffnet einen Vorfall, aber niemand wird verständigt.`,
        `Wählen Sie einen Alarmplan, der jemanden nennt: ${update(source)} ${mode === null ? '--policy …' : `--mode ${mode}:policy=…`}.`,
      );
    case 'links_unreachable':
      return say(
        'Die Links in den Nachrichten führen zu dem Rechner, auf dem Tocsin läuft: Niemand sonst kann sie öffnen und antworten.',
        'Setzen Sie PUBLIC_URL, wo Tocsin läuft, auf eine Adresse, die Telefone erreichen; tocsin doctor schlägt welche vor.',
      );
    case 'answers_lost':
      return say(ANSWERS_LOST[finding.from][finding.channel], OUTSIDE_URL);
    case 'in_test':
      return sayInTest(finding, source);
    case 'no_away_mode':
      return say(
        'Der Modus Abwesend fehlt: Ohne ihn bekommt ein Auslösen ohne Modus 404, solange unscharf ist, und ein Scharfschalten ohne Modus führt in ihn.',
        `Fügen Sie den Modus hinzu, mit einem Alarmplan: ${update(source)} --mode away:policy=….`,
      );
    case 'armed_mode_missing':
      return say(
        `Er ist scharf im Modus ${modeName(mode ?? '')}, den er nicht mehr hat: Ein Auslösen ohne Modus ${finding.bare === 'runs_away' ? 'folgt dem Alarmplan von Abwesend' : 'bekommt 404'}.`,
        `Schalten Sie ihn in einem Modus scharf, den er hat, oder fügen Sie diesen wieder hinzu: ${update(source)} --mode ${mode}:policy=….`,
      );
    case 'calls_limited':
      return say(
        `${finding.calls === 1 ? 'Ein Aufruf wurde' : `${finding.calls} Aufrufe wurden`} am letzten Tag abgelehnt (429), weil sein Schlüssel oder das Konto zu oft aufrief.`,
        'Suchen Sie das Gerät, das so oft aufruft, tocsin calls list --outcome limited, oder geben Sie jedem Gerät einen eigenen Schlüssel.',
      );
    case 'calls_shed':
      return say(
        `${finding.calls === 1 ? 'Ein Aufruf wurde' : `${finding.calls} Aufrufe wurden`} am letzten Tag abgelehnt (503), weil mehr auf einmal kamen, als der Server annimmt.`,
        'Prüfen Sie, ob das Gerät sie wiederholt hat, tocsin calls list --outcome shed, und sagen Sie es dem Betreiber des Servers.',
      );
    case 'silent_sender':
      return say(
        `Nichts zu hören ist von ${finding.names.map(label => `„${label}“`).join(', ')}${finding.keys > finding.names.length ? ` und ${finding.keys - finding.names.length} weiteren` : ''}${finding.all === 'yes' ? ': Kein überwachter Schlüssel, der ihn erreicht, meldet sich' : ''}.`,
        'Prüfen Sie, ob das Gerät Strom und Netz hat, oder schalten Sie die Überwachung ab, wo es nicht mehr verwendet wird: tocsin keys list.',
      );
    case 'supervision_proposed':
      return say(
        `Niemand würde merken, wenn „${finding.key.label}“ verstummt: Das Gerät ruft regelmäßig auf und ist nicht überwacht.`,
        `Überwachen Sie es: tocsin keys update ${finding.key.key} --supervision ${finding.key.proposedS}s.`,
      );
    case 'no_location_address':
      return say(
        `Sein Ort „${source.location.name}“ hat keine Adresse: Wer verständigt wird, erfährt nicht, wohin.`,
        `Geben Sie dem Ort seine Adresse: tocsin locations update ${source.location.key} --address "…".`,
      );
    default:
      return sayOfPolicy(finding);
  }
}

const OUTSIDE_URL =
  'Setzen Sie PUBLIC_URL, wo Tocsin läuft, auf eine Adresse, die das ganze Internet erreicht, etwa einen Namen hinter einem Proxy oder Tunnel.';

/** By from where people can respond, and the channel. */
const ANSWERS_LOST: Record<'network' | 'nowhere', Record<ChannelKind, string>> = {
  network: {
    text: 'Auf seine SMS kann niemand antworten, weil der Dienst PUBLIC_URL nicht erreicht; ihre Links öffnen sich nur im Netz dieser Adresse.',
    call: 'Bei seinen Anrufen kann niemand übernehmen, weil der Dienst PUBLIC_URL nicht erreicht.',
    email: 'Die Links in seinen E-Mails öffnen sich nur im Netz von PUBLIC_URL: Anderswo kann niemand antworten.',
    push: 'Die Links in seinen Push-Nachrichten öffnen sich nur im Netz von PUBLIC_URL: Anderswo kann niemand antworten.',
    chat: 'Die Links in seinen Chat-Nachrichten öffnen sich nur im Netz von PUBLIC_URL; ihr Knopf geht überall.',
    webhook: 'Die Links in seinen Webhooks öffnen sich nur im Netz von PUBLIC_URL.',
  },
  nowhere: {
    text: 'Auf seine SMS kann niemand antworten: Der Dienst erreicht PUBLIC_URL nicht, und kein Telefon öffnet Links dorthin.',
    call: 'Bei seinen Anrufen kann niemand übernehmen, weil der Dienst PUBLIC_URL nicht erreicht: Sie sagen nur, was geschah.',
    email: 'Die Links in seinen E-Mails öffnen sich nur auf dem Rechner, auf dem Tocsin läuft.',
    push: 'Die Links in seinen Push-Nachrichten öffnen sich nur auf dem Rechner, auf dem Tocsin läuft.',
    chat: 'Die Links in seinen Chat-Nachrichten öffnen sich nur auf dem Rechner, auf dem Tocsin läuft; ihr Knopf geht überall.',
    webhook: 'Die Links in seinen Webhooks öffnen sich nur auf dem Rechner, auf dem Tocsin läuft.',
  },
};

function sayInTest({ switches, at: ends }: InTest, source: FindingSource): FindingWords {
  const { key, location } = source;
  const which = { source: 'sein eigener Schalter', location: `der Schalter seines Ortes „${location.name}“` };
  const off = { source: `${update(source)} --live`, location: `tocsin locations update ${location.key} --live` };
  const are = switches.map(one => which[one]).join(' und ');
  return say(
    `Er ist im Test, denn ${are} ${switches.length === 1 ? 'steht' : 'stehen'} auf Test: Ein Auslösen wird aufgezeichnet, und niemand wird verständigt. ${ends === undefined ? 'Das bleibt so, bis Sie ihn live schalten.' : `Am ${minute(ends)} UTC endet das von selbst.`}`,
    `Proben Sie ihn, tocsin rehearse ${key}, und schalten Sie ihn dann live: ${switches.map(one => off[one]).join(' und ')}.`,
  );
}

const PROVE = 'Lassen Sie sich einmal antworten: über den Link, mit einer Taste beim Anruf oder per SMS.';

function sayOfPolicy(finding: Extract<Finding, { policy: string }>): FindingWords {
  const The = `Der Alarmplan „${finding.policy}“`;
  switch (finding.code) {
    case 'escalation_capped':
      return say(
        `${The} verlangt ${finding.messages} Nachrichten in einem Vorfall: Nur die ersten ${DELIVERIES_MOST} werden gesendet.`,
        'Verwenden Sie weniger Runden, Schritte, Personen oder Kanäle.',
      );
    case 'nobody_in_step':
      return say(
        `${The} ${finding.steps.length === 0 ? 'hat keine Schritte' : `nennt niemanden in ${stepsInWords(finding.steps)}`}.`,
        'Nennen Sie in jedem Schritt mindestens eine Person.',
      );
    case 'no_reachable_contact':
      return say(
        `In ${stepsInWords(finding.steps)} von „${finding.policy}“ ist niemand zu erreichen: ${noneOf(finding.people)}.`,
        'Geben Sie jemandem davon eine bestätigte Adresse auf einem Kanal, der eingerichtet und im Tarif ist, oder nennen Sie jemand anderen.',
      );
    case 'duty_unreachable':
      return say(
        `Von ${inZone(finding.from, finding.duty.timeZone)} bis ${inZone(finding.until, finding.duty.timeZone)} ist niemand zu erreichen, der „${finding.duty.name}“ hat und in „${finding.policy}“ verständigt wird: ${noneOf(finding.people)}.`,
        `Geben Sie jemandem davon eine bestätigte Adresse, oder lassen Sie jemand anderen vertreten: tocsin duties cover ${finding.duty.key}.`,
      );
    case 'no_address_for_channel':
      return say(
        `${The} verständigt ${people(finding.people)} per ${channelName(finding.channel)}, wo es keine brauchbare Adresse gibt.${inPlace(finding)}`,
        `Tragen Sie eine Adresse für ${channelName(finding.channel)} ein, oder nehmen Sie im Alarmplan einen anderen Kanal.`,
      );
    case 'not_verified': {
      const { channel, people: who } = finding;
      const commands = who.slice(0, MOST_NAMES).map(one => `tocsin contacts verify ${one.key ?? one.id} ${channel}`);
      return say(
        `${The} verständigt ${people(who)} per ${channelName(channel)}, wo die Adresse nicht bestätigt ist: Kein Alarm geht dorthin.${inPlace(finding)}`,
        `Senden Sie einen Code dorthin, und geben Sie ihn ein: ${listed(commands)}.`,
      );
    }
    case 'plan_required':
      return say(
        `Der Tarif umfasst ${channelName(finding.channel)} nicht, womit der Alarmplan „${finding.policy}“ ${people(finding.people)} verständigt.${inPlace(finding)}`,
        'Wechseln Sie in den bezahlten Tarif, oder nehmen Sie im Alarmplan E-Mail.',
      );
    case 'no_carrier':
      return say(
        `Für ${channelName(finding.channel)} ist nichts eingerichtet, womit der Alarmplan „${finding.policy}“ ${people(finding.people)} verständigt.${inPlace(finding)}`,
        `Richten Sie ${channelName(finding.channel)} ein, oder nehmen Sie im Alarmplan einen Kanal, der eingerichtet ist.`,
      );
    case 'carrier_failing':
      return say(
        `Der Alarmplan „${finding.policy}“ verständigt ${people(finding.people)} über ${channelName(finding.channel)}, und darüber ging seit ${minute(finding.since)} UTC nichts hinaus: ${faults(finding.problem)}.`,
        'Es wird weiter versucht. Sehen Sie nach, was beim Versand los ist: „tocsin doctor“ fragt dort nach.',
      );
    case 'plan_ends':
      return say(
        `Der Tarif umfasst ${channelName(finding.channel)} nur bis ${minute(finding.at)} UTC; der Alarmplan „${finding.policy}“ verständigt damit ${people(finding.people)}.`,
        'Wechseln Sie vorher in den bezahlten Tarif, oder nehmen Sie im Alarmplan E-Mail.',
      );
    case 'never_proven':
      return say(
        `${The} verständigt zuerst ${people(finding.people)}, und von dort kam noch nie eine Antwort: Niemand weiß, ob das jemanden weckt.`,
        PROVE,
      );
    case 'proof_stale':
      return say(
        `${The} zählt auf ${people(finding.people)}, doch die letzte Antwort von dort ist mehr als 90 Tage her.`,
        PROVE,
      );
    case 'proof_ages':
      return say(
        `${The} zählt auf ${people(finding.people)}, doch die letzte Antwort von dort ist mehr als 45 Tage her.`,
        PROVE,
      );
    case 'stays_silent':
      return say(
        `${The} zählt auf ${people(finding.people)}, doch das Telefon blieb bei der letzten Übung stumm, und einen anderen Weg, der klingeln kann, gibt es dort nicht.`,
        'Lassen Sie das Telefon für diese Nachrichten klingeln („Nicht stören“ kennt Ausnahmen), oder fügen Sie einen Anruf oder eine Push-Nachricht hinzu, die klingelt; dann üben Sie noch einmal.',
      );
    case 'unsure_way':
      return say(
        `${The} zählt auf ${people(finding.people)}, und dorthin führt kein Weg außer Signal oder Apprise: Was diese annehmen, kommt vielleicht nicht an, und von einem veralteten Server nimmt Signal nichts mehr.`,
        'Fügen Sie dort einen anderen Weg hinzu, etwa E-Mail, eine Push-Nachricht oder einen Anruf.',
      );
    case 'only_one_person':
      return say(
        `${The} nennt nur ${finding.person}: Antwortet diese Person nicht, antwortet niemand.`,
        'Nennen Sie eine zweite Person in einem späteren Schritt.',
      );
  }
}

function sayFirstDaysEnd(
  { at, channels, sources, covered }: Parameters<OwnerWords['findings']['firstDaysEnd']>[0],
  _plan: string,
): FindingWords {
  const more = sources.length > MOST_SOURCES ? [`${sources.length - MOST_SOURCES} weitere`] : [];
  const off = [
    ...(channels.length === 0 ? [] : [`Nachrichten per ${listed(channels.map(channelName))}`]),
    ...(sources.length === 0
      ? []
      : [
          `${[...sources.slice(0, MOST_SOURCES), ...more].join(', ')} (er umfasst ${covered} Alarme und Notrufknöpfe zusammen)`,
        ]),
  ];
  return say(
    `Die ersten 14 Tage des Kontos enden am ${minute(at)} UTC: Dann schaltet der Tarif ab: ${off.join(', und ')}.`,
    `Wechseln Sie vorher in den bezahlten Tarif${sources.length === 0 ? '' : ', oder schalten Sie ab, was Sie am wenigsten brauchen'}.`,
  );
}

/** What goes in the place of messages that would not reach people. */
function inPlace({ instead }: { instead: readonly Instead[] }): string {
  if (instead.length === 0) return '';
  const ways = instead.map(one => `per ${channelName(one.channel)} an ${people(one.people)}`);
  return ` Stattdessen geht der Alarm ${listed(ways)}.`;
}

/** Such as `weder Anna noch Noah`. */
function noneOf(named: readonly { name: string }[]): string {
  return named.length < 2 ? `nicht ${people(named)}` : `weder ${names(named).join(' noch ')}`;
}

function people(named: readonly { name: string }[]): string {
  return listed(names(named));
}

function names(named: readonly { name: string }[]): string[] {
  const all = named.map(({ name }) => name);
  if (all.length <= MOST_NAMES) return all;
  return [...all.slice(0, MOST_NAMES), `${all.length - MOST_NAMES} weitere`];
}

function stepsInWords(numbers: readonly number[]): string {
  return numbers.length === 1 ? `Schritt ${numbers[0]}` : `den Schritten ${listed(numbers.map(String))}`;
}

const members: OwnerWords['members'] = {
  signIn: {
    subject: code => `Ihr Code zum Anmelden: ${code}`,
    what: 'Jemand möchte sich mit dieser Adresse bei Tocsin anmelden.',
    todo: 'Geben Sie den Code dort ein, wo Sie ihn angefordert haben, und nirgends sonst. Er gilt 10 Minuten. Wenn Sie das nicht waren, ignorieren Sie diese Nachricht: Ohne den Code meldet sich niemand an.',
  },
  invitation: {
    subject: 'Sie sind eingeladen, sich um ein Konto bei Tocsin zu kümmern',
    what: ({ account, by, role }) =>
      by === null
        ? `Sie sind jetzt Mitglied von „${account}“ (Rolle: ${role}).`
        : `${by} hat Sie zum Mitglied von „${account}“ gemacht (Rolle: ${role}).`,
    listen:
      'Inhaber erfahren, wenn ein Alarm niemanden erreicht hat. Solange Sie diese Adresse nicht bestätigen und sich nicht anmelden, erfahren Sie nichts; wenn Sie das Konto nicht kennen, ignorieren Sie diese Nachricht.',
    todo: 'Melden Sie sich mit dieser Adresse an: Sie erhalten einen Code per E-Mail, ein Passwort gibt es nicht.',
    button: 'Anmelden',
    confirm: 'Diese Adresse bestätigen',
  },
  roles: { owner: 'Inhaber', editor: 'Bearbeiter', responder: 'Helfer', viewer: 'Betrachter' },
};

const OPERATOR = 'dem Betreiber dieses Tocsin-Servers';

const of: OwnerWords['notices']['of'] = {
  duty_begins: ({ duty: { name, until, names } }) => ({
    subject: `BEREITSCHAFT: ${name}`,
    explanation: `Sie haben Bereitschaft „${name}“${names === '' ? '' : ` gemeinsam mit ${names}`}${until === '' ? '' : ` bis ${until}`}.`,
    todo: 'Behalten Sie Ihr Telefon bei sich. Wenn Sie verhindert sind, lassen Sie sich vertreten.',
  }),
  duty_changed: ({ duty: { changes, more } }) => {
    const said = changes.map(({ name, from, until, names, note, part }) => {
      const why = note === '' ? '' : ` (${note})`;
      return part === 'comes'
        ? `Sie haben von ${from} bis ${until} Bereitschaft „${name}“${names === '' ? '' : ` anstelle von ${names}`}${why}.`
        : `Von ${from} bis ${until} hat ${names} an Ihrer Stelle Bereitschaft „${name}“${why}.`;
    });
    if (more > 0)
      said.push(more === 1 ? 'Eine weitere Ihrer Zeiten ändert sich.' : `${more} weitere Ihrer Zeiten ändern sich.`);
    const [{ name, part }] = changes as [DutyChangeNotice];
    return {
      subject: part === 'comes' ? `SIE VERTRETEN: ${name}` : `SIE WERDEN VERTRETEN: ${name}`,
      explanation: said.join(' '),
      todo:
        part === 'comes'
          ? 'Wenn Sie dann verhindert sind, sagen Sie es gleich denen, die das Konto betreuen.'
          : 'Sie müssen nichts tun.',
    };
  },
  device_added: ({ names }) => ({
    subject: `EIN GERÄT KLINGELT FÜR SIE: ${names}`,
    explanation: `Ab jetzt klingelt es bei Meldungen an Sie auch auf „${names}“.`,
    todo: 'Wenn das nicht Ihres ist, sagen Sie es sofort der Person, die sich um das Konto kümmert: Auf Ihrer Seite in der Konsole lässt es sich entfernen.',
  }),
  device_gone: ({ names }) => ({
    subject: `EIN GERÄT KLINGELT NICHT MEHR: ${names}`,
    explanation: `„${names}“ nimmt keine Meldungen an Sie mehr an: Der Browser hat das beendet oder wurde entfernt.`,
    todo: 'Wenn es klingeln soll, öffnen Sie dort Ihre Seite in der Konsole und drücken „Hier klingeln lassen“.',
  }),
  drill_missed: ({ names }) => ({
    subject: `ZWEI ÜBUNGEN OHNE ANTWORT: ${names}`,
    explanation: `Auf zwei Übungen nacheinander kam von ${names} keine Antwort: Auf einen Alarm käme vermutlich auch keine.`,
    todo: 'Fragen Sie nach, ob die Nachrichten ankamen und zu hören waren, und senden Sie noch eine Übung: tocsin drill … --answer.',
  }),
  call_failed: about => ({
    subject: `EIN AUFRUF IST GESCHEITERT: ${about.source}`,
    explanation: `Ein Aufruf von „${about.source}“ wurde angenommen, ließ sich aber zehn Minuten lang nicht ausführen und wurde aufgegeben.`,
    todo: `Prüfen Sie den Zustand des Alarms oder Notrufknopfs, senden Sie den Aufruf noch einmal, und sagen Sie es ${OPERATOR}.`,
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
    explanation: `„${about.source}“ wurde ausgelöst${opened(about)}, ${about.because === 'all_failed' ? 'aber bisher ist jede Nachricht gescheitert, oder für ihren Kanal ist nichts eingerichtet' : 'aber die Verständigung ließ sich nicht planen'}: Niemand wurde verständigt.${goesNow(about)}`,
    todo:
      about.because === 'all_failed'
        ? 'Verständigen Sie diese Personen selbst. Der Verlauf des Vorfalls zeigt, woran jede Nachricht gescheitert ist: Beheben Sie es, und proben Sie.'
        : `Speichern Sie den Alarmplan und seine Personen noch einmal, proben Sie ihn, und sagen Sie es ${OPERATOR}.`,
  }),
  exhausted: about => ({
    subject: `NIEMAND HAT GEANTWORTET: ${about.source}`,
    explanation: `Der Alarmplan von „${about.source}“, ausgelöst${opened(about)}, ist zu Ende: ${END[reachedIn(about.tried)]}.${tried(about)}`,
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
    subject: 'Tageslimit für SMS und Anrufe fast erreicht',
    explanation: `SMS und Anrufe haben heute ${about.spent} gekostet${ofCap(about)}.`,
    todo: `Echte Alarme gehen in jedem Fall hinaus. Sollen es auch Proben und Codes, bitten Sie den Betreiber dieses Tocsin-Servers, das Limit anzuheben.`,
  }),
  spend_capped: about => ({
    subject: 'Tageslimit für SMS und Anrufe erreicht',
    explanation: `SMS und Anrufe haben heute ${about.spent} gekostet${ofCap(about)}. Proben und Codes werden bis Mitternacht UTC abgelehnt.`,
    todo: `Echte Alarme gehen weiter hinaus. Bitten Sie den Betreiber dieses Tocsin-Servers, das Limit anzuheben, oder sehen Sie nach, wer so viele sendet.`,
  }),
  spend_ceiling: about => ({
    subject: `HEUTE KEINE SMS UND ANRUFE MEHR${about.about === 'source' ? `: ${about.source}` : ''}`,
    explanation: `SMS und Anrufe${about.about === 'source' ? ` zu „${about.source}“` : ''} haben heute ${about.spent} gekostet, und ${about.about === 'source' ? 'ein Alarm oder Notrufknopf' : 'ein Konto'} darf am Tag ${about.ceiling} verbrauchen. Bis Mitternacht UTC gehen echte Alarme über die anderen Kanäle, bis auf die erste SMS und den ersten Anruf an jede Person.`,
    todo: `Sehen Sie nach, was so oft ausgelöst wurde, und nehmen Sie E-Mail, Push, Chat oder Webhook in die Alarmpläne auf. Für eine höhere Obergrenze fragen Sie den Betreiber dieses Tocsin-Servers.`,
  }),
  clock_stepped: about => ({
    subject: 'Schlüssel enden zu einer anderen Zeit',
    explanation: `Die Uhr des Tocsin-Servers wurde um ${about.clock.by} ${about.clock.direction === 'back' ? 'zurückgestellt' : 'vorgestellt'}. Was wartete, wartet so lange weiter, wie es noch musste. Deshalb enden ${about.names} nach heutiger Uhr um so viel ${about.clock.direction === 'back' ? 'früher' : 'später'}, als Sie gewählt haben.`,
    todo: 'Prüfen Sie, wann sie enden, und wählen Sie ein anderes Ende, wo das zu früh oder zu spät ist.',
  }),
  calls_stored_again: ({ calls, late }) => ({
    subject: 'Aufrufe kamen zu spät: Die Datenbank hatte sie verloren',
    explanation: `${calls === 1 ? 'Ein Aufruf dieses Kontos, der' : `${calls} Aufrufe dieses Kontos, die`} mit 202 beantwortet ${calls === 1 ? 'war, ging' : 'waren, gingen'} verloren, als ein anderer Server die Datenbank übernahm. ${calls === 1 ? 'Er wurde' : 'Sie wurden'} bis zu ${late} später der Reihe nach noch einmal gespeichert und dann ausgeführt.`,
    todo: 'Welche das sind, steht bei Aufrufe. Ein Alarm kann deshalb zweimal gekommen sein, und was Sie in dieser Zeit geändert oder bestätigt haben, kann zurückgenommen sein: Sehen Sie es noch einmal durch.',
  }),
  sources_deactivated: ({ sources }) => ({
    subject: 'Ihr Tarif hat Alarme abgeschaltet',
    explanation: `Ihr Tarif umfasst weniger Alarme und Notrufknöpfe, als es gibt. Abgeschaltet: ${sources || 'einige'}. Wer sie aufruft, bekommt 404.`,
    todo: 'Wählen Sie einen größeren Tarif, oder löschen Sie andere: Dann werden sie von selbst wieder eingeschaltet.',
  }),
  test_ends: ({ sources, until }) => ({
    subject: `Test endet bald: ${which(sources)}`,
    explanation: `Der Test von ${which(sources)} endet${at(until)}. Von da an verständigt ein Auslösen Personen.`,
    todo: 'Wenn Sie noch nicht fertig sind, schalten Sie noch einmal in den Test: Dabei wählen Sie, wie lange.',
  }),
  test_ended: ({ sources, until }) => ({
    subject: `WIEDER LIVE: ${which(sources)}`,
    explanation: `Der Test von ${which(sources)} ist${at(until)} zu Ende gegangen: Ein Auslösen verständigt wieder Personen. Offene Vorfälle im Test wurden beendet.`,
    todo: 'Zu tun ist nichts. Wenn Sie noch nicht fertig sind, schalten Sie noch einmal in den Test.',
  }),
  calls_limited: () => ({
    subject: 'AUFRUFE ABGELEHNT: zu viele',
    explanation:
      'Ein Schlüssel oder dieses Konto hat mehr Aufrufe gemacht, als eines darf: Manche wurden mit 429 beantwortet und nicht ausgeführt. Das wird einmal am Tag gemeldet.',
    todo: 'Unter Aufrufe steht, welche Quelle es ist und wie oft. Suchen Sie das Gerät, das so oft aufruft, oder geben Sie jedem Gerät einen eigenen Schlüssel.',
  }),
  calls_shed: () => ({
    subject: 'AUFRUFE ABGELEHNT: Server überlastet',
    explanation:
      'Es kamen mehr Aufrufe auf einmal, als der Server annimmt: Manche dieses Kontos wurden mit 503 beantwortet und nicht ausgeführt. Das wird einmal am Tag gemeldet.',
    todo: `Unter Aufrufe steht, welche Quelle es ist und wie oft. Prüfen Sie, ob das Gerät sie wiederholt hat, und sagen Sie es ${OPERATOR}.`,
  }),
  blind: about => ({
    subject: `SCHARF, ABER BLIND: ${about.names} schweigt`,
    explanation: `Von „${about.names}“ war seit ${about.silent} nichts zu hören${about.times > 1 ? `; das war seit der letzten Meldung ${about.times}-mal so` : ''}. Was scharf ist, kann damit nicht ausgelöst werden: ${about.armed}.${about.follows === 'alert' ? ' Ist zwei weitere Minuten nichts zu hören, wird dieser Alarm ausgelöst.' : ''}`,
    todo: 'Prüfen Sie, ob das Gerät Strom und Netz hat. Wenn wieder etwas zu hören ist, erfahren Sie es. Zum selben Schlüssel kommt höchstens alle sechs Stunden eine Meldung: Bis dahin steht unter API-Schlüssel, ob er schweigt.',
  }),
  blind_together: about => ({
    subject: `SCHARF, ABER BLIND: ${about.keys} Sender schweigen`,
    explanation:
      about.cause === 'line'
        ? `${about.keys} von ${about.supervised} überwachten Sendern sind zugleich verstummt: ${about.names}. Vermutlich liegt es an ihrer Leitung, oder dieser Server ist nicht erreichbar. Was scharf ist, können sie nicht auslösen: ${about.armed}.`
        : `${about.keys} von ${about.supervised} überwachten Sendern schweigen: ${about.names}. Was scharf ist, können sie nicht auslösen: ${about.armed}.`,
    todo: `Prüfen Sie dort Strom und Netz. Ist beides in Ordnung, sagen Sie es ${OPERATOR}. Unter API-Schlüssel steht, welche schweigen.`,
  }),
  sender_back: about => ({
    subject: `Wieder zu hören: ${about.names}`,
    explanation: `Nach ${about.silent} ist wieder etwas zu hören: ${about.names}.${about.stillSilent > 0 ? ` Von denen, die zugleich verstummt sind, schweigen noch ${about.stillSilent}.` : ''}`,
    todo: 'Finden Sie den Grund, damit es nicht wieder geschieht. Schweigt ein Sender innerhalb von sechs Stunden nach der letzten Meldung noch einmal, erfahren Sie es erst danach.',
  }),
};

/** Names of sources, or how many. */
function which(sources: number | string): string {
  return typeof sources === 'number' ? `${sources} Alarmen, Notrufknöpfen und Orten` : sources;
}

function at(time: NoticeFacts['until']): string {
  return time === null ? '' : ` am ${time.day.split('-').toReversed().join('.')} um ${time.time} ${time.zone}`;
}

function opened({ opened }: NoticeFacts): string {
  return at(opened);
}

function step({ step, round }: NoticeFacts): string {
  return step === null
    ? 'Ein Schritt des Alarmplans'
    : `Schritt ${step}${round > 1 ? ` der Runde ${round}` : ''} des Alarmplans`;
}

function goesNow({ step }: NoticeFacts): string {
  return step === null ? '' : ` Schritt ${step} geht jetzt hinaus.`;
}

/** Of `exhausted`: how it ended. */
const END = {
  nobody: 'Niemand war zu erreichen',
  somebody_maybe: 'Alle, die zu erreichen waren, wurden verständigt, und niemand hat geantwortet',
};

function tried({ tried }: NoticeFacts): string {
  return tried === null ? '' : ` ${triedWords(tried)}`;
}

function ofCap({ cap }: NoticeFacts): string {
  return cap === '' ? '' : ` von ${cap}, die am Tag erlaubt sind`;
}

const notices: OwnerWords['notices'] = {
  of,
  lastMail: most => `In einer Stunde waren es ${most} solche E-Mails. Weitere nennt nur: tocsin notices list.`,
};

const OPERATOR_ACTS: Readonly<Record<OperatorAct, string>> = {
  change_ceiling: 'Die Tagesobergrenze ändert',
  change_plan: 'Den Tarif ändert',
  create_account: 'Ein Konto erstellt',
  create_token: 'Ein Konsolen-Token erstellt',
  delete_account: 'Ein Konto löscht',
  erase_account: 'Ein Konto endgültig löscht',
  list_accounts: 'Alle Konten sieht',
  list_deleted: 'Gelöschte Konten sieht',
  make_backup: 'Eine Sicherung macht',
  raise_cap: 'Das Tageslimit erhöht oder entfernt',
  see_backups: 'Die Sicherungen sieht',
  set_backups: 'Die Sicherungen ändert',
  set_public_url: 'Wohin Links führen, ändert',
  set_up_carriers: 'Den Versand ändert',
};

const GOING_ON = {
  calls: 'Angenommene Aufrufe sind noch nicht ausgeführt',
  incidents: 'Ein Vorfall wird noch beendet',
  messages: 'Eine Nachricht ist noch unterwegs',
};

const VERBS: Readonly<Record<string, string>> = {
  acknowledge: 'Das Übernehmen',
  next_step: 'Der nächste Schritt',
  note: 'Die Notiz',
  hand_over: 'Das Übergeben',
  decline: 'Die Absage',
  close: 'Das Beenden',
  trigger: 'Das Auslösen',
  call_off: 'Die Entwarnung',
};

const refusals: OwnerWords['refusals'] = {
  drillIsOne: 'Das ist eine Übung: Was es war, steht fest, und sie wird nicht gezählt.',
  noSuch: (thing, near) => `${THINGS[thing].no} gibt es nicht${near === '' ? '.' : `: Meinten Sie „${near}“?`}`,
  noSession: 'Sie haben keine solche Sitzung.',
  streamOfFormerAccount: 'Sie sind nicht mehr Mitglied des Kontos, dem Sie hier folgen: Laden Sie neu.',
  buttonIsOff: (name, standing) =>
    `„${name}“ ist ${standing === 'disabled' ? 'abgeschaltet' : 'abgeschaltet, weil der Tarif das nicht umfasst'}: Nichts wurde ausgelöst, und niemand wird verständigt.`,
  noCall:
    'In diesem Konto gibt es keinen Aufruf mit dieser traceId. Lesende Aufrufe (describe, state) werden nicht gespeichert, und alte Aufrufe werden entfernt.',
  noAccount: 'Es gibt kein Konto mit dieser Id.',
  accountGone: 'Dieses Konto gibt es nicht mehr.',
  severalAccounts: 'Sie sind Mitglied mehrerer Konten: Nennen Sie in x-tocsin-account, um welches es geht.',
  operatorNamesNone: 'Mit dem Token des Betreibers muss x-tocsin-account das Konto nennen.',

  keyTaken: (thing, key) => `„${key}“ gehört schon ${THINGS[thing].another}: Wählen Sie etwas anderes.`,
  changedMeanwhile: (thing, read, now) =>
    `${THINGS[thing].this} hat inzwischen Version ${now}, Ihre Änderung ist für Version ${read}: Laden Sie neu, und ändern Sie dann.`,
  inUse: (thing, users, more) => {
    const by = users.map(({ kind, name, key }) => `${KINDS[kind] ?? kind} „${name}“ (${key})`);
    return `${THINGS[thing].this} wird noch verwendet: ${by.join(', ')}${more > 0 ? ` und ${more} weitere` : ''}. Ändern Sie zuerst das.`;
  },
  noSwap:
    'Tauschen lassen sich zwei Bereitschaften verschiedener Personen, die ein Ende haben und nicht vorbei sind: Nennen Sie aus jeder einen Zeitpunkt.',
  armedIn: (name, mode) =>
    `„${name}“ ist im Modus ${modeName(mode)} scharf, und den löscht diese Änderung; Aufrufe ohne Modus würden dann den Modus Abwesend nehmen. ` +
    'Schalten Sie erst unscharf, oder bestätigen Sie die Änderung (force).',
  unbinds: (name, modes) =>
    `Mit dieser Änderung hat „${name}“ keinen Alarmplan mehr für ${listed(modes.map(modeName))}: Ein Auslösen dort würde niemanden verständigen. ` +
    'Wählen Sie einen, oder bestätigen Sie die Änderung (force).',
  keyRevoked: label => `„${label}“ ist widerrufen und bleibt es: Erstellen Sie einen anderen Schlüssel.`,
  planLimit: ({ sourcesMost, sources }) =>
    `Der Tarif umfasst ${sourcesMost} Alarme und Notrufknöpfe zusammen; mit dieser Änderung wären ${sources} eingeschaltet. ` +
    `Schalten Sie ${sources - sourcesMost} davon ab, löschen Sie sie, oder wechseln Sie in den bezahlten Tarif.`,

  operatorOnly: act => `${OPERATOR_ACTS[act]} nur der Betreiber.`,
  noBackups:
    'Es sind keine Sicherungen eingerichtet: Setzen Sie unter Betreiber, Sicherung einen Ordner und eine Passphrase, oder dort, wo Tocsin läuft, BACKUP_DIR und BACKUP_PASSPHRASE.',
  backupsInEnvironment: names =>
    `Sicherungen sind in der Umgebung eingerichtet (${names.join(', ')}): Ändern Sie das dort, oder nehmen Sie es heraus und starten Sie neu, dann richten Sie sie hier ein.`,
  backupsRefused:
    'Hier richtet nur die Umgebung Sicherungen ein (CONSOLE_CARRIERS=refused): Setzen Sie dort BACKUP_DIR und BACKUP_PASSPHRASE.',
  noSuchCarrier: (name, known) => `Einen Dienst „${name}“ gibt es nicht: Nennen Sie einen von ${known.join(', ')}.`,
  carrierInEnvironment: (title, names) =>
    `${title} ist in der Umgebung eingerichtet (${names.join(', ')}): Ändern Sie das dort, oder nehmen Sie es heraus und starten Sie neu.`,
  carrierOrdered: (title, setting, name) =>
    `${setting} zählt auf ${title}: Nehmen Sie dort ${name} heraus und starten Sie neu, dann entfernen Sie es hier.`,
  carrierChanged: (by, at, names) =>
    `Inzwischen, um ${at}, hat ${by} ${names.length === 0 ? 'entfernt, was gespeichert war' : `${names.join(', ')} gespeichert`}: Sehen Sie sich das an, dann senden Sie Ihres noch einmal.`,
  carriersRefused:
    'Hier richtet nur die Umgebung den Versand ein (CONSOLE_CARRIERS=refused): Setzen Sie es dort, oder setzen Sie es auf taken.',
  publicUrlInEnvironment:
    'PUBLIC_URL steht in der Umgebung: Ändern Sie es dort, oder nehmen Sie es heraus und starten Sie neu, dann setzen Sie es hier.',
  publicUrlRefused:
    'Hier sagt nur die Umgebung, wohin Links führen (CONSOLE_CARRIERS=refused): Setzen Sie PUBLIC_URL dort.',
  wayAnswers: (url, status) => `${url} antwortet mit ${status}, nicht mit 200: Vielleicht führt es zu etwas anderem.`,
  wayIsSilent: (url, seconds) => `${url} antwortet nicht innerhalb von ${seconds} s, von hier gefragt.`,
  wayFails: (url, why) => `${url} ist von hier nicht zu erreichen (${why}).`,
  carrierNotSetUp: title => `${title} ist nicht eingerichtet: Richten Sie das zuerst ein.`,
  roleTooLow: (needed, role) =>
    `Dafür braucht es in diesem Konto mindestens die Rolle „${roleName(needed)}“, Ihre ist „${roleName(role)}“: Fragen Sie einen Inhaber des Kontos.`,
  accountStillThere:
    'Dieses Konto gibt es noch: Löschen Sie es zuerst, und löschen Sie dann endgültig, was von ihm blieb.',
  notOver: goingOn =>
    `Das Konto lässt sich noch nicht löschen: ${GOING_ON[goingOn]}. Versuchen Sie es in einer Minute noch einmal.`,

  memberAlready: email => `„${email}“ ist in diesem Konto schon Mitglied.`,
  membersFull: most => `Dieses Konto hat ${most} Mitglieder, mehr kann keines haben: Entfernen Sie zuerst eines.`,
  lastOwner: 'Das ist der letzte Inhaber des Kontos: Machen Sie zuerst ein anderes Mitglied zum Inhaber.',
  tooManyInvitations: (most, retryAfterS) =>
    `Zu viele Einladungen: Ein Konto sendet höchstens ${most} in der Minute. Versuchen Sie es in ${retryAfterS} s noch einmal.`,
  confirmedAlready: 'Dieses Mitglied hat die Adresse schon bestätigt.',
  noConfirmation:
    'Dieser Link gilt nicht oder nicht mehr: Bitten Sie um eine neue Einladung, oder melden Sie sich mit Ihrer Adresse an.',

  notSignedIn: 'Melden Sie sich zuerst an.',
  sessionEnded: 'Diese Sitzung ist zu Ende oder gilt nicht: Melden Sie sich noch einmal an.',
  badToken:
    'Das Konsolen-Token fehlt oder gilt nicht. Senden Sie "authorization: Bearer tcn_…" mit einem Konsolen-Token; ein API-Schlüssel öffnet hier nichts.',
  tokenEnded: at => `Dieses Konsolen-Token endete ${at}. Bitten Sie den Betreiber um ein neues.`,
  linkNeedsToken:
    'Einen Link zum Anmelden macht nur ein Konsolen-Token, keine Sitzung: Melden Sie sich auf dem anderen Gerät selbst an.',
  phoneLinkNeedsSession:
    'Einen Code für ein zweites Gerät zeigt nur eine Sitzung: Mit einem Konsolen-Token machen Sie einen Link zum Anmelden.',
  signIn: {
    emailCode:
      'Dieser Code gilt nicht. Sehen Sie in der neuesten E-Mail nach, oder lassen Sie sich einen neuen senden.',
    link: 'Dieser Link gilt nicht mehr: Er öffnet einmal, innerhalb von 30 Minuten. Einen neuen macht: tocsin sign-in-link.',
    consoleToken: 'Dieses Konsolen-Token gilt nicht.',
    phoneLink:
      'Dieser Code gilt nicht mehr: Er meldet einmal an, innerhalb von zwei Minuten, solange das Gerät, das ihn zeigt, angemeldet bleibt. Lassen Sie dort einen neuen zeigen.',
    oidcAnswer: 'Der Anmeldedienst hat niemanden angemeldet, der hier Mitglied ist.',
    none: 'Zum Anmelden braucht es einen Code aus einer E-Mail, einen Link oder ein Konsolen-Token.',
  },
  tooManySignInCodes: (most, retryAfterS) =>
    `Von Ihrer Adresse wurden zu viele Codes angefordert: höchstens ${most} in der Minute. Versuchen Sie es in ${retryAfterS} s noch einmal.`,
  oidcAway: 'Der Anmeldedienst antwortet nicht. Versuchen Sie es noch einmal, oder melden Sie sich anders an.',
  noOidc: 'Es ist kein Anmeldedienst eingerichtet: OIDC_ISSUER.',
  openLine:
    'Diese Verbindung ist nicht verschlüsselt, und hier darf sich so niemand anmelden. Öffnen Sie die https-Adresse.',

  tooManyTests: (most, retryAfterS) =>
    `In zehn Minuten gehen höchstens ${most} Testnachrichten hinaus: Versuchen Sie es in ${retryAfterS} s wieder.`,
  tooManyMoves: (most, retryAfterS) =>
    `Zu viele Schritte, Notizen und Weitergaben dieses Vorfalls: höchstens ${most} in der Stunde. Versuchen Sie es in ${Math.ceil(retryAfterS / 60)} min noch einmal; übernehmen und beenden geht immer.`,
  tooManyCalls: retryAfterS =>
    `Dieses Konto hat zu viele Aufrufe gemacht. Warten Sie ${retryAfterS === 1 ? 'eine Sekunde' : `${retryAfterS} Sekunden`}, und versuchen Sie es noch einmal.`,
  tooManyAtOnce: 'Das waren zu viele Aufrufe auf einmal. Warten Sie eine Sekunde.',
  tooMuchUnderWay: 'Gerade ist zu viel zu tun. Versuchen Sie es noch einmal.',
  tooManyChanges: 'Gerade wird zu viel geändert. Nichts wurde gespeichert: Versuchen Sie es noch einmal.',
  tooManyWaiting: most =>
    `Es warten schon ${most} Änderungen dieses Kontos. Nichts wurde gespeichert: Versuchen Sie es noch einmal, wenn sie erledigt sind.`,
  diskLow:
    'Die Festplatte der Datenbank ist fast voll, und was frei ist, bleibt für Alarme. Nichts wurde geändert: Der Betreiber muss zuerst Platz schaffen.',
  changedTooMuch: retryAfterS =>
    `Dieses Konto hat mehr geändert, als das Protokoll eines Kontos aufnimmt. Nichts wurde geändert: Versuchen Sie es in ${retryAfterS} s noch einmal, oder bitten Sie den Betreiber, ACCOUNT_LIMITS zu erhöhen.`,
  thingsFull: (thing, most) =>
    `${KINDS[thing]}: Ein Konto kann ${most} davon haben, und mit dieser Änderung wären es mehr. Löschen Sie, was nicht gebraucht wird, oder bitten Sie den Betreiber, ACCOUNT_LIMITS zu erhöhen.`,
  tooManyFiles: 'Gerade werden zu viele große Dateien gelesen: Versuchen Sie es gleich noch einmal.',
  tooManyDrills: (most, retryAfterS) =>
    `Zu viele Proben: Ein Konto hat höchstens ${most} in der Minute. Versuchen Sie es in ${retryAfterS} s noch einmal.`,
  tooMuchChanged: 'Auf einmal hat sich zu viel geändert. Laden Sie neu.',
  overSpend: ({ limit, spent, most, channel, until }) =>
    `${limit === 'cap' ? 'spend_capped' : 'spend_ceiling'}: SMS und Anrufe haben heute etwa ${dollars(spent)} gekostet, und ${limit === 'cap' ? 'das Tageslimit' : 'die Tagesobergrenze'} ist ${dollars(most)}. ` +
    `Proben und Codes per ${channelName(channel)} gibt es bis ${until} nicht. Nehmen Sie einen anderen Kanal, oder bitten Sie den Betreiber um mehr.`,

  notYetApplied: (verb, traceId) =>
    `${VERBS[verb] ?? verb} ist gespeichert und kommt noch: Tun Sie es nicht noch einmal, und suchen Sie gleich unter Aufrufe nach ${traceId}.`,
  appliedUnread: (verb, outcome, traceId) =>
    `${VERBS[verb] ?? verb} ist geschehen (${outcome}, traceId ${traceId}), nur der Vorfall lässt sich gerade nicht lesen: Sehen Sie gleich nach.`,

  unreadable: (type, why) =>
    `Der Inhalt dieses Aufrufs ist nicht als ${type} lesbar (${why}). Nichts wurde ausgeführt: Senden Sie die Nachricht so, wie ihr Proto sie beschreibt.`,
  tooLarge: most =>
    `Die Nachricht dieses Aufrufs ist zu groß: Diese Methode nimmt ${most} Bytes, komprimiert oder nicht. Nichts wurde ausgeführt.`,
  zeroCharacter: 'Ein Text enthält das Zeichen U+0000, das nicht gespeichert werden kann: Lassen Sie es weg.',
  commitLost:
    'Die Datenbank hat das Speichern nicht bestätigt, es kann also gespeichert sein oder nicht: Sehen Sie nach, bevor Sie es noch einmal versuchen.',
  ourFault: 'Bei uns ist etwas schiefgegangen.',
  overloaded: 'Gerade ist zu viel zu tun. Nichts wurde gespeichert: Versuchen Sie es noch einmal.',
  servicesAway: 'Tocsin ist gerade nicht erreichbar.',
  noAnswer: 'Die Antwort kam nicht rechtzeitig.',
  databaseAway: 'Die Datenbank ist gerade nicht zu erreichen. Nichts wurde gespeichert: Versuchen Sie es noch einmal.',
};

function roleName(role: string): string {
  return (members.roles as Readonly<Record<string, string>>)[role] ?? role;
}

const REHEARSAL_OBSTACLES: Readonly<Record<string, string>> = {
  no_address: 'es gibt keine brauchbare Adresse',
  disabled: 'die Adresse ist abgeschaltet',
  not_verified: 'die Adresse ist noch nicht bestätigt',
  plan_required: 'der Tarif des Kontos umfasst es nicht',
  no_carrier: 'dafür ist nichts eingerichtet',
};

const drillRefusals: OwnerWords['drillRefusals'] = {
  incident: 'Gerade läuft ein Alarm: Eine Übung muss warten, bis er vorbei ist.',
  no_location: 'Das Konto hat noch keinen Ort: Legen Sie zuerst einen an.',
  no_contact: 'Diese Person gibt es nicht mehr.',
  busy: 'Das Konto wird gerade geändert. Es wurde nichts gesendet: Versuchen Sie es gleich noch einmal.',
  notReached: (name, channel, because) =>
    `Eine Übung per ${channelName(channel)} würde ${name} nicht erreichen: ${NOT_REACHED_BY[because]}.`,
};

const NOT_REACHED_BY: Record<Parameters<OwnerWords['drillRefusals']['notReached']>[2], string> = {
  no_address: 'Es gibt keine Adresse',
  disabled: 'Die Adresse ist abgeschaltet',
  not_verified: 'Die Adresse ist nicht bestätigt',
  plan_required: 'Der Tarif umfasst den Kanal nicht',
  no_carrier: 'Der Kanal ist nicht eingerichtet',
  spend_ceiling: 'Die Tagesobergrenze für SMS und Anrufe ist erreicht',
};

const rehearsals: OwnerWords['rehearsals'] = {
  begun: (kind, name, mode) =>
    `${the(kind)} „${name}“ wurde zur Probe ausgelöst${mode === null ? '' : `, im Modus ${mode}`}: Es wird aufgezeichnet, und niemand wird verständigt.`,
  heldByGate: name => `Ein Gerät könnte jetzt nicht auslösen: „${name}“ alarmiert nur, wenn scharf, und ist unscharf.`,
  window: s =>
    `Sonst wartet ein Auslösen zuerst ${s} s in seiner Fehlalarm-Frist, in der ein Unscharfschalten es abbricht: Alles Folgende kommt dann ${s} s später.`,
  joined:
    'Es kam zum Vorfall eines früheren Auslösens dazu, der noch offen ist: Niemand wird erneut verständigt. Es folgt, wen jener Vorfall verständigt.',
  noPolicy: 'Ein Vorfall beginnt, und es gibt niemanden zu verständigen: Es fehlt ein Alarmplan.',
  emptyPolicy: policy =>
    `Ein Vorfall beginnt, und es gibt niemanden zu verständigen: Der Alarmplan „${policy}“ nennt niemanden.`,
  onDuty: (name, duty) => `${name} (hat „${duty}“)`,
  opens: policy => `Ein Vorfall beginnt und folgt dem Alarmplan „${policy}“.`,
  message: on => `${telling(on)} (${on.round === null ? '' : `Runde ${on.round}, `}Schritt ${on.step}).`,
  last: 'Das war die letzte Nachricht: Sonst wird niemand verständigt.',
  leftOut: (policy, detail) =>
    `Der Alarmplan „${policy}“ verlangt mehr Nachrichten, als ein Vorfall haben darf: Der Rest (${detail}) entfällt.`,

  disabled: name => `„${name}“ ist abgeschaltet, nichts löst aus: Schalten Sie ihn ein, und proben Sie dann.`,
  deactivated: name =>
    `„${name}“ ist abgeschaltet, seit der Tarif kleiner wurde: Wechseln Sie in einen, der ihn umfasst, und proben Sie dann.`,
  live: name => `„${name}“ ist live, ein Auslösen würde Personen verständigen: Schalten Sie ihn zuerst in den Test.`,
  liveOpen: name => `„${name}“ hat einen echten Vorfall offen: Proben Sie, wenn er beendet ist.`,
  liveWaits: name =>
    `„${name}“ wurde im Ernst ausgelöst und ist in der Fehlalarm-Frist: Proben Sie, wenn sie vorbei ist.`,
  modeMissing: (name, mode, has) =>
    `„${name}“ hat den Modus ${modeName(mode ?? '')} nicht: Nehmen Sie einen, den er hat (${listed(has.map(modeName)) || 'keinen'}), oder fügen Sie ihn hinzu.`,
  unread: traceId =>
    `Die Probe lief, aber was geschah, lässt sich gerade nicht lesen: Suchen Sie gleich unter Aufrufe nach ${traceId}, und beenden Sie ihren Vorfall.`,
};

function the(kind: SourceKind): string {
  return kind === 'panic_button' ? 'Der Notrufknopf' : 'Der Alarm';
}

function telling({ name, channel: word, fate, reason, insteadOf }: RehearsedMessage): string {
  const channel = channelName(word);
  switch (fate) {
    case 'told':
      return `${name} wird per ${channel}${insteadOf === '' ? '' : ` statt per ${channelName(insteadOf)}`} verständigt`;
    case 'cancelled':
      return `${name} wird per ${channel} nicht mehr verständigt: Es war vorher zu Ende`;
    case 'blocked':
      return `${name} wird per ${channel} nicht verständigt, denn ${REHEARSAL_OBSTACLES[reason] ?? reason}`;
  }
}

const tonight: OwnerWords['tonight'] = {
  when: { night: 'Heute Nacht', day: 'Jetzt' },
  title(when, { verdict, nobody, plans, inTest }) {
    if (verdict === 'nothing') return 'Noch wird nichts überwacht.';
    if (verdict === 'in_test') {
      return stillInTest(inTest);
    }
    if (nobody !== null) {
      const inMode = nobody.mode === null ? '' : ` (${modeName(nobody.mode)})`;
      return `${when}: Niemand würde verständigt, wenn ${nobody.source} auslöst${inMode}.`;
    }
    const more = plans.length - NAMED_PLANS;
    const said = plans.slice(0, NAMED_PLANS).map(({ places, people }) => {
      const where = plans.length === 1 ? '' : ` (${placesOf(places)})`;
      return `${moments(people.slice(0, MOST_NAMES)).map(toldWhen).join(', ')}${others(people.length - MOST_NAMES)}${where}`;
    });
    return `${when}: ${said.join('; ')}${more > 0 ? `; ${more} weitere stehen unten` : ''}.`;
  },
  text({ verdict, reason, notFresh, fresh, senders, inTest, failing }, time) {
    if (verdict === 'nothing') return 'In zehn Minuten zum ersten Alarm, und beim Probieren wird niemand geweckt.';
    if (verdict === 'in_test') {
      return 'Ein Auslösen wird nur aufgezeichnet: Niemand wird verständigt. Proben Sie, und schalten Sie dann live.';
    }
    const { all, silent } = senders;
    const parts = [
      ...(reason === 'nobody_told' || reason === 'finding_blocks' ? ['Was im Weg steht, sehen Sie unten.'] : []),
      ...failing.map(
        ({ channel, since, problem }) =>
          `${channelName(channel)} geht seit ${time(since)} nicht hinaus: ${faults(problem)}.`,
      ),
      ...silent.slice(0, MOST_NAMES).map(one => `${one.label} schweigt seit ${time(one.silentSince!)}.`),
      ...(silent.length > MOST_NAMES ? [`${silent.length - MOST_NAMES} weitere Geräte schweigen.`] : []),
      ...[...Map.groupBy(notFresh.slice(0, MOST_NAMES), ({ proof }) => proof)].map(
        ([proof, people]) => `${andNames(people)} ${NOT_FRESH[proof]?.[people.length === 1 ? 0 : 1] ?? ''}.`,
      ),
      ...(notFresh.length > MOST_NAMES ? [`Bei ${notFresh.length - MOST_NAMES} weiteren ist es auch lange her.`] : []),
      ...(fresh === null || notFresh.length > 0 ? [] : [provenWithin(fresh)]),
      ...(all === 0 || silent.length > 0 ? [] : [`${all} von ${all} Geräten melden sich.`]),
      ...(inTest.sources === 0 ? [] : [stillInTest(inTest)]),
      ...(reason === 'finding_warns' ? ['Etwas ist nicht wie beabsichtigt: siehe unten.'] : []),
    ];
    return parts.join(' ');
  },
};

/** How many plans a sentence names. */
const NAMED_PLANS = 2;

/** Of one, and of several. */
const NOT_FRESH: Readonly<Partial<Record<ProofAge | 'cannot', readonly [string, string]>>> = {
  ages: ['hat zuletzt vor mehr als 45 Tagen geantwortet', 'haben zuletzt vor mehr als 45 Tagen geantwortet'],
  stale: ['hat zuletzt vor mehr als 90 Tagen geantwortet', 'haben zuletzt vor mehr als 90 Tagen geantwortet'],
  never: ['hat noch nie geantwortet', 'haben noch nie geantwortet'],
};

function toldWhen(people: readonly TonightPerson[]): string {
  const { afterS, channels } = people[0]!;
  const when = afterS === 0 ? 'sofort' : `nach ${duration(afterS)}`;
  return `${andNames(people)} per ${channels.map(({ channel }) => channelName(channel)).join(' und ')} ${when}`;
}

function andNames(people: readonly TonightPerson[]): string {
  return listed(people.map(({ name }) => name));
}

function stillInTest({ sources, one }: TonightSummary['inTest']): string {
  return sources === 1 ? `${one} ist noch im Test.` : `${sources} sind noch im Test.`;
}

function others(more: number): string {
  return more > 0 ? ` und ${more} weitere` : '';
}

function placesOf(places: readonly string[]): string {
  return `${places.slice(0, 2).join(' und ')}${others(places.length - 2)}`;
}

function provenWithin({ people, days }: { people: number; days: number }): string {
  const who =
    people === 1 ? 'Die Antwort ist' : people === 2 ? 'Beider Antworten sind' : `Die Antworten aller ${people} sind`;
  return `${who} höchstens ${days === 1 ? 'einen Tag' : `${days} Tage`} alt.`;
}

/** All that owners are told in this language. */
export const owner: OwnerWords = {
  accepts,
  calls,
  changes,
  codes,
  deliveries,
  drills,
  faults,
  file,
  findings,
  members,
  notices,
  refusals,
  rehearsals,
  tonight,
  drillRefusals,
};
