import type { Words } from '../types.ts';

/** What the notices and the audit say, in German. */
export const words: Words['notices'] = {
  title: 'Mitteilungen',
  told: 'Was Sie erfuhren',
  changes: 'Wer was änderte',
  lead: {
    told: 'Was der Inhaber per E-Mail erfuhr, weil es jemand wissen muss.',
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
    calls_limited: 'Aufrufe abgelehnt: zu viele',
    calls_shed: 'Aufrufe abgelehnt: Server überlastet',
    sources_deactivated: 'Der Tarif hat etwas abgeschaltet',
  },
  mail: {
    scheduled: 'E-Mail geplant',
    sending: 'E-Mail wird gesendet',
    sent: 'E-Mail gesendet',
    failed: 'E-Mail gescheitert',
    no_carrier: 'Keine E-Mail',
  },
  reasons: {
    no_owner_email: 'es ist keine E-Mail des Inhabers eingetragen',
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
