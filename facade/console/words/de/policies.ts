import type { Words } from '../types.ts';

const many = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`;

/** What the screens of policies say, in German. */
export const words: Words['policies'] = {
  title: 'Alarmpläne',
  lead: 'Wer es erfährt, in welcher Reihenfolge, bis jemand antwortet.',
  all: 'Alle Pläne',
  add: 'Plan hinzufügen',
  none: {
    title: 'Beginnen Sie mit einem von diesen.',
    text: 'Danach können Sie alles ändern.',
    blank: 'Oder mit einem leeren beginnen',
  },
  noPeople: {
    title: 'Fügen Sie zuerst Personen hinzu.',
    text: 'Ein Alarmplan verständigt Personen, also muss es welche geben.',
    do: 'Person hinzufügen',
  },
  gone: { title: 'Diesen Plan gibt es nicht.', text: 'Er wurde gelöscht oder gehört zu einem anderen Konto.' },
  templates: {
    order: { title: 'Ich, dann mein Partner', text: 'Sie sofort. Nach fünf Minuten ohne Antwort die nächste Person.' },
    all: { title: 'Alle zugleich', text: 'Alle im selben Augenblick. Wer zuerst antwortet, übernimmt.' },
  },
  atOnce: names => `Sofort ${names}`,
  after: (span, names) => `nach ${span} ${names}`,
  rounds: count => many(count, 'weitere Runde', 'weitere Runden'),
  and: ' und ',
  nobody: 'niemand',
  somebodyGone: 'jemand, den es nicht mehr gibt',
  usedBy: 'Verwendet von',
  uses: count => `Verwendet von ${many(count, 'Alarm oder Knopf', 'Alarmen und Knöpfen')}`,
  unused: 'Nicht verwendet',
  unusedText: 'Noch kein Alarm und kein Notrufknopf folgt ihm. Wählen Sie ihn dort.',
  toAlarms: 'Zu den Alarmen',
  andMore: count => `und ${count} weitere`,
  preview: 'Wer es wann erfährt',
  deletes: { title: name => `${name} löschen?`, text: 'Was geschah, bleibt in den Vorfällen.' },

  form: {
    new: 'Neuer Plan',
    edit: name => `${name} bearbeiten`,
    name: 'Name',
    steps: 'Schritte',
    step: number => `Schritt ${number}`,
    delayFirst: 'Warten nach dem Alarm',
    delay: 'Warten nach dem Schritt davor',
    units: { 1: 'Sekunden', 60: 'Minuten', 3600: 'Stunden' },
    unit: 'Einheit',
    over: name => `${name} per`,
    addSomebody: 'Jemanden hinzufügen',
    choose: 'Auswählen …',
    noAddress: channel => `${channel} (keine Adresse)`,
    addStep: 'Schritt hinzufügen',
    repeat: 'Wenn niemand geantwortet hat',
    repeats: count => (count === 0 ? 'Aufhören' : `Von vorn beginnen, ${count}-mal`),
    repeatDelay: 'Warten vor jeder Runde',
    create: 'Plan hinzufügen',
    theirs: 'Was gespeichert wurde',
    takeTheirs: 'Das übernehmen',
    running: 'Was schon läuft, geht weiter, wie es begann.',
  },
};
