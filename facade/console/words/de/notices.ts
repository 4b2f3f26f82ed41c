import type { Words } from '../types.ts';

/** What the notices and the audit say, in German. */
export const words: Words['notices'] = {
  title: 'Mitteilungen',
  told: 'Was Sie erfuhren',
  changes: 'Wer was änderte',
  lead: {
    told: 'Was die Inhaber erfuhren, weil es jemand wissen muss, und auf welchem Weg.',
    changes: 'Jede Änderung an der Konfiguration, und von wem sie ist.',
  },
  nothingTold: {
    title: 'Bisher nichts.',
    text: 'Hier steht, was bei einem Alarm schiefging und wenn das Geld knapp wird.',
  },
  nothingChanged: { title: 'So eine Änderung gibt es nicht.', text: 'Änderungen bleiben zwei Jahre.' },
  kinds: {
    nobody_to_alert: 'Es war niemand zu verständigen',
    nobody_reached: 'Niemand war zu erreichen',
    call_failed: 'Ein Aufruf ließ sich nicht ausführen',
    escalation_capped: 'Der Alarmplan verlangt zu viele Nachrichten',
    exhausted: 'Niemand hat geantwortet',
    step_late: 'Ein Schritt kam zu spät',
    step_missed: 'Ein Schritt fiel aus',
    spend_warning: 'Das Tageslimit ist fast erreicht',
    spend_capped: 'Das Tageslimit ist erreicht',
    spend_ceiling: 'Die Tagesobergrenze ist erreicht',
    sources_deactivated: 'Der Tarif hat etwas abgeschaltet',
  },
  states: {
    scheduled: 'Noch zu senden',
    sending: 'Wird gesendet',
    sent: 'Gesendet',
    failed: 'Nicht gesendet',
    no_carrier: 'Kein Dienst dafür',
  },
  nobody: 'Früherer Inhaber',
  reasons: {
    no_listener: 'kein Inhaber hatte seine Adresse bestätigt',
    no_longer_told: 'nicht mehr Inhaber, oder die Adresse ist eine andere',
    spend_ceiling: 'die Tagesobergrenze war erreicht',
    held_back: 'zu viele dieser Art in einer Stunde, diese steht nur hier',
  },
  only: 'Nur',
  onlyThis: 'Nur Änderungen daran',
  all: 'Alle Änderungen zeigen',
  noFields: 'Geändert hat sich nur, was nicht gezeigt wird.',
  things: {
    account: 'Konto',
    location: 'Ort',
    alarm: 'Alarm',
    panic_button: 'Notrufknopf',
    contact: 'Person',
    policy: 'Alarmplan',
    api_key: 'API-Schlüssel',
    token: 'Konsolen-Token',
    member: 'Mitglied',
  },
  actions: { create: 'Erstellt', update: 'Geändert', delete: 'Gelöscht', rotate: 'Erneuert', revoke: 'Widerrufen' },
  actors: {
    account: 'Konsolen-Token',
    member: 'Mitglied',
  },
};
