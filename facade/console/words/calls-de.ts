import type { calls as english } from './calls-en.ts';

/** What calls ask for, and what became of them, in German. */
export const verbs: Record<string, string> = {
  arm: 'Scharf schalten',
  disarm: 'Unscharf schalten',
  trigger: 'Auslösen',
  clear: 'Aufheben',
  acknowledge: 'Übernehmen',
  close: 'Beenden',
  go_live: 'Live schalten',
  disable: 'Abschalten',
  describe: 'Bestand lesen',
  state: 'Zustand lesen',
  listen: 'Zuhören',
};

export const outcomes: Record<string, string> = {
  accepted: 'Angenommen',
  armed: 'Scharf',
  disarmed: 'Unscharf',
  pending: 'Wartet in der Frist',
  opened: 'Neuer Vorfall',
  cancelled: 'Abgebrochen',
  folded: 'Dazugezählt',
  closed: 'Beendet',
  nothing_open: 'Nichts war offen',
  held_by_gate: 'Zurückgehalten: nur wenn scharf',
  source_disabled: 'Abgeschaltet',
  acknowledged: 'Übernommen',
  already_acknowledged: 'Schon übernommen',
  already_closed: 'Schon beendet',
  went_live: 'Live geschaltet',
  disabled: 'Abgeschaltet',
  failed: 'Gescheitert',
  mode_missing: 'Diesen Modus gibt es hier nicht',
  unknown_mode: 'Unbekannter Modus',
  not_found: 'Nicht gefunden',
  unknown_path: 'Unbekannter Pfad',
  wrong_method: 'Falsche Methode',
  limited: 'Zu viele Aufrufe',
  shed: 'Server überlastet',
  key_revoked: 'Schlüssel widerrufen',
  key_expired: 'Schlüssel abgelaufen',
};

/** What the screen of the calls says, in German. */
export const calls: typeof english = {
  title: 'Aufrufe',
  lead: 'Jeder Aufruf eines Geräts und alles, was jemand von Hand tat, und was daraus wurde.',
  outcome: 'Ergebnis',
  trace: 'traceId suchen',
  copied: 'die traceId',
  incident: 'Sein Vorfall',
  storedAgain: 'Die Datenbank hatte ihn verloren, und er wurde noch einmal gespeichert. Mit 202 beantwortet:',
  by: who => `von ${who}`,
  none: { title: 'Noch kein Aufruf.', text: 'Probieren Sie es mit einem API-Schlüssel:' },
  noMatch: { title: 'So einen Aufruf gibt es nicht.', text: 'Einen Aufruf findet man über seine traceId.' },
  unknown: 'Unbekannt',
};
