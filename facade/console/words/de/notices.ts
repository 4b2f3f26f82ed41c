import type { Words } from '../types.ts';

/** Mitteilungen und wer was geändert hat. */
export const words: Words['notices'] = {
  title: 'Mitteilungen',
  told: 'Was Ihnen gesagt wurde',
  changes: 'Wer was geändert hat',
  lead: {
    told: 'Was der Besitzer per E-Mail erfuhr, weil es jemand wissen muss.',
    changes: 'Jede Änderung an der Konfiguration, und von wem sie ist.',
  },
  nothingTold: {
    title: 'Bisher nichts.',
    text: 'Hier steht, was bei einem Alarm schiefging, und was ausgegeben wird.',
  },
  nothingChanged: { title: 'So eine Änderung gibt es nicht.', text: 'Änderungen bleiben zwei Jahre.' },
  kinds: {
    nobody_to_alert: 'Es war niemand zu rufen',
    nobody_reached: 'Niemand war erreichbar',
    call_failed: 'Ein Aufruf ließ sich nicht anwenden',
    escalation_capped: 'Der Ablauf verlangt zu viele Nachrichten',
    exhausted: 'Niemand hat geantwortet',
    step_late: 'Ein Schritt kam spät',
    step_missed: 'Ein Schritt wurde versäumt',
    spend_warning: 'Heute wird viel ausgegeben',
    spend_capped: 'Das Limit des Tages ist erreicht',
    spend_ceiling: 'Die Obergrenze des Tages ist erreicht',
    sources_deactivated: 'Der Tarif hat etwas abgeschaltet',
  },
  mail: {
    scheduled: 'E-Mail steht an',
    sending: 'E-Mail geht hinaus',
    sent: 'Gemailt',
    failed: 'E-Mail schlug fehl',
    no_carrier: 'Nicht gemailt',
  },
  reasons: {
    no_owner_email: 'es ist keine E-Mail des Besitzers eingetragen',
    held_back: 'zu viele dieser Art in einer Stunde: sie steht nur hier',
  },
  only: 'Nur',
  onlyThis: 'Nur Änderungen hieran',
  all: 'Alle Änderungen zeigen',
  noFields: 'Kein Feld, das gezeigt werden darf, ist anders.',
  things: {
    account: 'Konto',
    location: 'Ort',
    alarm: 'Alarm',
    panic_button: 'Notrufknopf',
    contact: 'Person',
    policy: 'Ablauf',
    api_key: 'API-Schlüssel',
    token: 'Konsolen-Token',
    member: 'Mitglied',
  },
  actions: { create: 'Gemacht', update: 'Geändert', delete: 'Gelöscht', rotate: 'Erneuert', revoke: 'Widerrufen' },
  actors: {
    account: 'Konsolen-Token',
    member: 'Mitglied',
  },
};
