import type { OwnerWords } from '../words.ts';
import { channelName, listed, THINGS } from './things.ts';

const UNITS = { cents: ' Cent', rounds: ' weiteren Runden', seconds: ' Sekunden' };
const LISTED = { channels: 'Kanäle', contacts: 'Personen', modes: 'Modi', steps: 'Schritte' };
const PHONE = 'eine Telefonnummer mit Landesvorwahl wie +436601234567: ein Plus und 8 bis 15 Ziffern, ohne Leerzeichen';
const EMAIL = 'eine E-Mail-Adresse wie jemand@example.com';

const GOT = ', angegeben ist ';

/** German: what is accepted is the object of "erwartet". */
export const accepts: OwnerWords['accepts'] = {
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
  timeOrNever: 'eine Zeit wie "2027-01-31T12:00:00Z", oder nichts für nie',
  timeToCome: 'eine Zeit in der Zukunft, oder nichts für nie',
  timeOfYears: 'eine Zeit der Jahre 1 bis 9999',
  month: 'einen Monat der Jahre 1970 bis 2999 wie 2026-11, oder nichts für diesen',
  oneOf: words => `eines von ${words.join(', ')}`,
  oneOfOrNothing: words => `${words.map(one => `"${one}"`).join(', ')} oder nichts`,
  eachOnce: 'jedes nur einmal',
  locale: 'eine Sprache wie "de" oder "de-AT" (BCP 47)',
  timeZone: 'eine Zeitzone der IANA wie "Europe/Vienna"',
  voice: 'den Namen einer Stimme wie "Polly.Vicki": Buchstaben, Ziffern, Punkte, Binde- und Unterstriche, höchstens 60',
  anAddress: 'eine Adresse',
  address: {
    text: PHONE,
    call: PHONE,
    email: EMAIL,
    push: 'ein Thema aus Buchstaben, Ziffern, Binde- und Unterstrichen, oder die https-Adresse eines Themas',
    webhook: 'eine https-Adresse mit höchstens 500 Zeichen',
  },
  emailOrNone: `${EMAIL}, oder nichts für keine`,
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
  channelOf: (name, has) => `einen Kanal von ${name} (${listed(has.map(channelName)) || 'noch keiner'})`,
  verifiableChannel: 'SMS, Anruf, E-Mail oder Push',
  webhookNeedsNone: 'Ein Webhook braucht keinen Code',
  code: 'die sechs Ziffern des Codes',
  url: 'eine URL',
  traceId: 'die traceId einer Antwort (eine UUID) oder einen traceparent',
  nameOrNothing: most => `einen Namen mit höchstens ${most} Zeichen in einer Zeile, oder nichts`,
  tokenOfPageBefore: field => `${field} der Seite davor`,
  tokenOfIncident: field => `${field} dieses Vorfalls`,
  modeOrNothing: modes => `${modes.join(', ')}, oder nichts`,
  noModeOfButton: 'nichts bei einem Notrufknopf, denn der hat keine Modi',
  responseText: most => `1 bis ${most} Zeichen, wenn um etwas anderes gebeten wird`,
  noResponseText: response => `erwartet nichts bei ${response}: Eigene Worte hat nur other.`,
  messages: most => `höchstens ${most} Nachrichten in einem Vorfall`,
  messagesGot: (all, rounds, each) => `${all} (${rounds === 1 ? '1 Runde' : `${rounds} Runden`} mit je ${each})`,
  messagesFewer: 'Verwenden Sie weniger Runden, Schritte, Personen oder Kanäle',
  accountOfCall: 'erwartet die Id des Kontos, das der Aufruf meint: das des Tokens oder von x-tocsin-account.',
  reachIsFixed:
    'lässt sich nicht ändern: Was ein Schlüssel erreicht, steht fest. Erstellen Sie einen anderen, und widerrufen Sie diesen.',
};
