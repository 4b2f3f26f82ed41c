import type { Words } from '../types.ts';

/** What is in the way of an alert, and the button that leads to where it is mended, in German. */
export const words: Words['findings'] = {
  inMode: mode => `: ${mode}`,
  of: {
    disabled: ['Abgeschaltet', 'Einschalten'],
    deactivated: ['Der Tarif umfasst es nicht', 'Tarif ansehen'],
    no_policy: ['Kein Alarmplan', 'Plan wählen'],
    nobody_in_step: ['Ein Schritt des Plans nennt niemanden', 'Jemanden eintragen'],
    no_reachable_contact: ['Ein Schritt erreicht niemanden', 'Weg zur Person eintragen'],
    links_unreachable: ['Links öffnen sich für niemanden sonst', 'Ansehen, was fehlt'],
    no_away_mode: ['Der Modus Abwesend fehlt', 'Modus hinzufügen'],
    armed_mode_missing: ['Scharf in einem Modus, der fehlt', 'Modus hinzufügen'],
    in_test: ['Im Test', 'Proben, dann live schalten'],
    no_address_for_channel: ['Eine Adresse fehlt', 'Adresse eintragen'],
    not_verified: ['Eine Adresse ist nicht bestätigt', 'Bestätigen'],
    plan_required: ['Der Tarif umfasst einen Kanal nicht', 'Tarif ansehen'],
    no_carrier: ['Ein Kanal ist nicht eingerichtet', 'Ansehen, was fehlt'],
    answers_lost: ['Von außen kann niemand antworten', 'Ansehen, was fehlt'],
    escalation_capped: ['Der Plan verlangt zu viele Nachrichten', 'Plan kürzen'],
    plan_ends: ['Ein Kanal endet mit den ersten Tagen', 'Tarif ansehen'],
    only_one_person: ['Nur eine Person wird verständigt', 'Zweite Person eintragen'],
    no_listener: ['Kein Inhaber erfährt, wenn ein Alarm niemanden erreicht', 'Mitglieder ansehen'],
    calls_limited: ['Aufrufe abgelehnt: zu viele', 'Aufrufe ansehen'],
    calls_shed: ['Aufrufe abgelehnt: Server überlastet', 'Aufrufe ansehen'],
    no_location_address: ['Der Ort hat keine Adresse', 'Adresse eintragen'],
  },
};
