import type { Words } from '../types.ts';

const many = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`;

/** What the deployment says of itself, in German. */
export const words: Words['health'] = {
  verdict: {
    fine: 'Hier ist alles in Ordnung.',
    warns: 'Es läuft, aber etwas sollten Sie sich ansehen.',
    fails: 'Etwas geht nicht.',
  },
  verdicts: { fine: 'Gut', warns: 'Ansehen', fails: 'Geht nicht' },
  version: version => `Tocsin ${version}`,
  deployment: 'Diese Installation',
  carrier: {
    answers: 'Der Dienst antwortet.',
    not_asked: 'Eingerichtet; fragen lässt er sich nur mit einer Nachricht.',
  },
  carrierFails: problem => `Der Dienst geht nicht: ${problem}`,
  noCarrier: 'Nichts ist eingerichtet: Nachrichten bleiben hier und erreichen niemanden.',
  settings: 'Einstellungen:',
  names: settings => settings.replaceAll(' and ', ' und ').replace(/,? or /g, ' oder '),
  last: 'Letzte Nachricht',
  statuses: {
    sent: 'gesendet',
    delivered: 'angekommen',
    failed: 'fehlgeschlagen',
    no_carrier: 'kein Dienst',
    scheduled: 'noch zu senden',
    sending: 'wird gesendet',
  },
  ready: (ready, total) =>
    `${ready} von ${many(total, 'Alarm oder Notrufknopf', 'Alarmen und Notrufknöpfen')} ${ready === 1 ? 'kann' : 'können'} in jedem Modus jemanden verständigen.`,
  listener: 'Ein Inhaber erfährt, wenn ein Alarm niemanden erreicht.',
  readyFix: 'Was im Weg steht, zeigt die Startseite.',
  noLinks: 'Nachrichten enthalten keinen Link zum Antworten.',
  links: url => `Nachrichten führen zu ${url}.`,
  linksHere: url => `Nachrichten führen zu ${url}: Das öffnet sich nur auf dem Rechner von Tocsin.`,
  linksInNetwork: url =>
    `Nachrichten führen zu ${url}: Das öffnet sich nur in seinem eigenen Netz, und Dienste erreichen es nicht.`,
  linksOutsideFix:
    'Setzen Sie PUBLIC_URL auf eine Adresse, die das ganze Internet erreicht, etwa einen Namen hinter einem Proxy oder Tunnel.',
  respond: {
    network: 'Antworten lässt sich nur über den Link, im Netz von PUBLIC_URL.',
    nowhere: 'Niemand kann antworten: PUBLIC_URL ist von außen nicht zu erreichen.',
  },
  linksFix: example => `Setzen Sie PUBLIC_URL, wo Tocsin läuft${example === '' ? '.' : `, zum Beispiel ${example}.`}`,
  bus: {
    local: 'Änderungen bleiben in einem Prozess.',
    connected: 'NATS ist verbunden.',
    disconnected: 'NATS ist nicht verbunden: Andere Prozesse erfahren Änderungen spät.',
  },
  busFix: 'Prüfen Sie NATS_URL und den NATS-Server.',
  database: span => `Die Datenbank antwortete in ${span}.`,
  databaseFix: 'Prüfen Sie Last und Platte von Postgres.',
  clockSet: (direction, span) =>
    `Die Uhr der Datenbank wurde um ${span} ${direction === 'back' ? 'zurückgestellt' : 'vorgestellt'}. Was wartete, wartete so lange weiter, wie es noch musste.`,
  clockFix: 'Lassen Sie die Maschine der Datenbank ihre Zeit über NTP halten und ihre Hardware-Uhr in UTC.',
  callsLost: (again, not) =>
    `Ein anderer Server hat die Datenbank übernommen, und ihm ${again + not === 1 ? 'fehlte' : 'fehlten'} ${many(again + not, 'mit 202 beantworteter Aufruf', 'mit 202 beantwortete Aufrufe')}: ${again} noch einmal gespeichert, ${not} nicht.`,
  callsLostFix:
    'Ein Cluster darf nicht bestätigen, was es dann verliert: siehe die Dokumentation zu einem zweiten Postgres.',
  watch: {
    well: (beat, life) =>
      `Ein Aufruf war nach ${beat} gespeichert und angewandt, ein Alarm führte nach ${life} zu einer Nachricht.`,
    states: {
      not_yet: 'Der Wächter hat noch nicht nachgesehen: Das tut er 20 s nach einem Start.',
      late: 'Der Wächter hat seit 90 s nicht nachgesehen: Niemand weiß, ob ein Aufruf jemanden verständigen würde.',
      fails: 'Ein Aufruf könnte niemanden verständigen:',
    },
    faults: {
      database: 'die Datenbank antwortet nicht',
      beat: 'Aufrufe würden nicht gespeichert oder nicht angewandt',
      dry_life: 'ein Alarm würde zu keiner Nachricht führen',
      unapplied: 'angenommene Aufrufe warten',
      overdue: 'fällige Nachrichten werden nicht versucht',
      carriers: 'kein Dienst antwortet',
      disk: 'die Festplatte ist fast voll und bleibt für Alarme',
      clock_lost: 'die Zeit wird nicht gehalten',
      clock_stepped: 'die Uhr der Datenbank wurde eben gestellt',
      bus: 'NATS ist nicht verbunden',
      own_way: 'die Fassade antwortet nicht an ihrer eigenen Tür',
    },
    fix: 'Wer Tocsin betreibt, sieht mehr im Protokoll und mit tocsin doctor.',
  },
  outside: {
    not_set: 'Niemand außerhalb merkt es, wenn das alles stehen bleibt.',
    not_yet: 'HEARTBEAT_URL wurde noch nicht aufgerufen.',
    taken: 'HEARTBEAT_URL weiß, dass alles geht.',
    held: 'HEARTBEAT_URL weiß, dass etwas nicht geht.',
  },
  outsideFix: 'Setzen Sie dort, wo Tocsin läuft, HEARTBEAT_URL auf eine Adresse von Healthchecks oder Ähnlichem.',
  waiting: (count, span) =>
    count === 0 ? 'Kein Aufruf wartet.' : `${many(count, 'Aufruf wartet', 'Aufrufe warten')}, höchstens seit ${span}.`,
  engineFix: 'Prüfen Sie, ob der Server läuft: sein Protokoll und /readyz.',
  inTime: 'Keine Nachricht ist zu spät.',
  overdue: span => `Die älteste fällige Nachricht ist ${span} zu spät.`,
  noSnapshot: 'Nichts hindert Postgres am Aufräumen.',
  snapshot: (who, name, span) => `${who}${name === '' ? '' : ` (${name})`} hindert Postgres seit ${span} am Aufräumen.`,
  holders: {
    transaction: 'Eine Transaktion',
    prepared_transaction: 'Eine vorbereitete Transaktion',
    standby: 'Ein Standby',
    replication_slot: 'Ein Replikations-Slot',
  },
  snapshotFix: 'Je länger, desto langsamer wird alles: tocsin doctor sagt, wie es endet.',
  backup: {
    none: 'Tocsin sichert sich nicht von selbst.',
    noneFix:
      'Setzen Sie dort, wo Tocsin läuft, BACKUP_DIR und BACKUP_PASSPHRASE, oder lassen Sie tocsin backup regelmäßig aufrufen.',
    failed: why => `Die letzte Sicherung ist misslungen: ${why}`,
    failedFix: 'Beheben Sie das; unter Betreiber, Sicherung steht, wann es wieder versucht wird.',
    made: 'Sicherungen werden nach Plan gemacht.',
  },
  superuser: 'Der Datenbanknutzer von Tocsin darf auf diesem Server alles.',
  superuserFix: 'Geben Sie ihm in DATABASE_URL einen eigenen Nutzer.',
  returned: {
    read: 'Unzustellbare E-Mails werden gelesen.',
    fails: problem => `Unzustellbare E-Mails lassen sich nicht lesen: ${problem}`,
    failsFix: 'Prüfen Sie MAIL_BOUNCE_IMAP.',
    notSet: 'Niemand liest unzustellbare E-Mails: Sie gelten als gesendet, kein anderer Kanal wird versucht.',
    notSetFix: 'Setzen Sie MAIL_BOUNCE und MAIL_BOUNCE_IMAP, wo Tocsin läuft.',
  },
};
