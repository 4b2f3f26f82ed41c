import type { OwnerWords } from '../words.ts';

/** What carriers' faults are called as they are stored, up to their colon (services/channels), in German. */
const FAULTS: Readonly<Record<string, string>> = {
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
  'refused as spam or by policy': 'als Spam oder nach den Regeln des Servers abgelehnt',
  'the account at the carrier is not active': 'das Konto beim Dienst ist nicht aktiv',
  'the address is not allowed': 'diese Adresse ist nicht erlaubt',
  'the call failed': 'der Anruf kam nicht zustande',
  'the carrier answered something that cannot be read': 'die Antwort des Dienstes ist nicht zu lesen',
  'the carrier closed the connection without an answer': 'der Dienst hat die Verbindung ohne Antwort beendet',
  'the carrier could not be reached': 'der Dienst war nicht zu erreichen',
  'the carrier could not send it': 'der Dienst konnte es nicht senden',
  'the carrier does not accept PUBLIC_URL': 'der Dienst nimmt PUBLIC_URL nicht an',
  'the carrier does not call this number': 'diese Nummer ruft der Dienst nicht an',
  'the carrier does not let TWILIO_FROM be used for this': 'der Dienst lässt TWILIO_FROM dafür nicht zu',
  'the carrier has no way from TWILIO_FROM to this number':
    'von TWILIO_FROM hat der Dienst keinen Weg zu dieser Nummer',
  'the carrier is busy': 'der Dienst ist überlastet',
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
  'the number cannot be reached': 'die Nummer ist nicht zu erreichen',
  'the number has opted out (STOP)': 'die Nummer hat Nachrichten abbestellt (STOP)',
  'the text is too long for the carrier': 'der Text ist dem Dienst zu lang',
  'the webhook asked to wait': 'der Webhook bittet um Geduld',
  'the webhook is gone': 'den Webhook gibt es nicht mehr',
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
  [/^the webhook /, 'der Webhook '],
];
const ENDS: readonly [RegExp, string][] = [
  [/^did not answer in time$/, 'hat nicht rechtzeitig geantwortet'],
  [/^could not be reached$/, 'war nicht zu erreichen'],
  [/^broke off$/, 'hat die Verbindung abgebrochen'],
  [/^answered something that cannot be read$/, 'hat etwas geantwortet, das nicht zu lesen ist'],
  [/^refused$/, 'hat es abgelehnt'],
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
  'check the clocks of both machines': 'prüfen Sie die Uhren beider Rechner',
  'use the name that it is for, or give it one for this name':
    'verwenden Sie den Namen, für den es gilt, oder stellen Sie eines für diesen Namen aus',
  'give it a new one': 'stellen Sie ein neues aus',
};

/**
 * Says a carrier's fault in German: what stands behind its colon is what can be done, or what a server said, which stays. A fault that is not known
 * here stays as it is.
 */
export const faults: OwnerWords['faults'] = stored => {
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
