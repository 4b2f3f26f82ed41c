import type { Words } from '../types.ts';

const many = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`;

/** What the screens of alarms, panic buttons and locations say, in German. */
export const words: Words['alarms'] = {
  title: 'Alarme und Notrufknöpfe',
  all: 'Alle Alarme',
  counts: (total, ready) =>
    ready === total
      ? `${many(total, 'Alarm oder Notrufknopf', 'Alarme und Notrufknöpfe')}, alle bereit.`
      : `${many(total, 'Alarm oder Notrufknopf', 'Alarme und Notrufknöpfe')}, davon ${ready} bereit.`,
  addAlarm: 'Alarm hinzufügen',
  addButton: 'Notrufknopf hinzufügen',
  addPlace: 'Ort hinzufügen',
  add: 'Hinzufügen',
  search: 'Nach Namen suchen',
  location: 'Ort',
  placeInTest: 'Alles im Test',
  placeEmpty: 'Hier ist noch nichts.',
  editPlace: 'Ort bearbeiten',
  showPlace: 'Ort',
  noCallLately: 'In letzter Zeit kein Aufruf',
  withGaps: 'Bereit, mit Lücken',
  none: {
    title: 'Noch kein Alarm',
    text: 'Ein Alarm ist, was eine Kamera, ein Sensor oder eine Hausautomation scharf schaltet und auslöst. Ein Notrufknopf ist immer an.',
    do: 'Ersten Alarm hinzufügen',
  },
  noMatch: { title: 'Hier heißt nichts so.', text: 'Mit weniger Filtern sehen Sie mehr.', do: 'Filter aufheben' },

  toTest: 'In den Test',
  goLive: 'Live schalten',
  others: count => many(count, 'weiterer', 'weitere'),
  confirmTest: count => `${count} in den Test schalten?`,
  confirmLive: count => `${count} live schalten?`,
  confirmTestOne: name => `${name} in den Test schalten?`,
  confirmLiveOne: name => `${name} live schalten?`,
  testText: names => `Ein Auslösen wird dann nur aufgezeichnet, und niemand wird verständigt: ${names}.`,
  liveText: names => `Ein Auslösen verständigt dann Personen: ${names}.`,
  liveTells: people => `Von da an verständigt ein Auslösen ${people}.`,
  liveTellsUnknown: 'Von da an zählt ein Auslösen. Wen es verständigt, ließ sich gerade nicht lesen.',
  liveTellsNobody: 'Von da an zählt ein Auslösen. So, wie es jetzt steht, würde niemand verständigt.',
  liveMisses: people =>
    `Noch erreicht keiner: ${people}. Es fehlt eine bestätigte Adresse, an die gesendet werden kann.`,
  placeIsInTest: 'Alles an diesem Ort ist im Test.',

  name: 'Name',
  policy: 'Alarmplan',
  noPolicy: 'Keiner: niemand erfährt es',
  openPolicy: 'Plan öffnen',
  newPlace: 'Ein neuer Ort …',
  placeName: 'Name des Orts',
  address: 'Adresse, wie die Verständigten sie lesen',
  placeTest: 'Im Test',
  placeTestText: 'Was hier ausgelöst wird, erfährt niemand, wie auch immer der eigene Schalter steht.',
  deletePlace: 'Diesen Ort löschen',
  deletePlaceText: 'Das geht nur, solange dort nichts ist.',
  placeGone: {
    title: 'Diesen Ort gibt es nicht.',
    text: 'Vielleicht wurde er gelöscht, oder er gehört zu einem anderen Konto.',
  },
  beginsInTest: 'Er beginnt im Test: Proben Sie, und schalten Sie dann live.',
  beginsSafe: seconds =>
    `Er alarmiert nur, wenn er scharf ist, ein Unscharfschalten beendet den Vorfall, und im Modus Abwesend wartet der Alarm ${seconds} Sekunden darauf, bevor er jemanden verständigt. Das alles lässt sich in seinen Einstellungen ändern.`,
  response: 'Worum er bittet',
  responses: {
    medical: 'Medizinische Hilfe',
    fire: 'Feuerwehr',
    intruder: 'Hilfe gegen Eindringlinge',
    duress: 'Hilfe bei Bedrohung',
    other: 'Etwas anderes',
  },
  responseText: 'In Ihren Worten, wie es gelesen und gesprochen wird',

  wouldIt: 'Würde es funktionieren?',
  clearText: 'Es gibt jemanden, der verständigt wird, und einen Weg dorthin.',
  mode: 'Modus',
  modeOfNow: 'So, wie es jetzt steht',
  settings: 'Wie er arbeitet',
  modes: 'Modi',
  modeOff: 'Gibt es hier nicht: Ein Aufruf in diesem Modus wird abgelehnt.',
  modeName: 'Angezeigt als',
  window: 'Frist, in Sekunden',
  windowText:
    'Fehlalarm-Frist: So lange nach dem Auslösen, 0 bis 120 Sekunden, bricht ein Unscharfschalten ab, bevor jemand verständigt wird.',
  behaviour: 'Verhalten',
  switches: {
    onlyWhenArmed: {
      label: 'Nur alarmieren, wenn scharf',
      text: 'Ist der Alarm unscharf, wird ein Auslösen abgelehnt und aufgezeichnet.',
    },
    clearOnDisarm: {
      label: 'Unscharfschalten beendet den Vorfall',
      text: 'Wer unscharf schaltet, beendet für alle, was offen ist.',
    },
    disabled: { label: 'Abgeschaltet', text: 'Jeder Aufruf wird abgelehnt, und niemand wird verständigt.' },
  },
  fields: {
    name: 'Name',
    locationId: 'Ort',
    modes: 'Modi',
    policyId: 'Alarmplan',
    responseKind: 'Worum er bittet',
    responseText: 'Worum er bittet',
    onlyWhenArmed: 'Nur alarmieren, wenn scharf',
    clearOnDisarm: 'Unscharfschalten beendet den Vorfall',
    disabled: 'Abgeschaltet',
  },
  confirmSilent: modes => `${modes}: soll dort niemand verständigt werden?`,
  silentText: 'Ein Auslösen dort würde einen Vorfall öffnen, und niemand würde verständigt.',

  rehearse: 'Proben',
  again: 'Noch einmal',
  close: 'Schließen',
  rehearseTitle: name => `${name} proben`,
  rehearseText: 'Es wird im Test ausgelöst: Alles läuft ab wie im Ernst, und niemand wird verständigt.',
  transcript: 'Was geschehen wäre',
  itsIncident: 'Der Vorfall dazu',

  waitingForCall: 'Wartet auf den ersten Aufruf …',
  waitingText: 'Was immer ein Gerät sendet, ist hier sofort zu sehen.',
  deleteSource: name => `${name} löschen`,
  confirmDelete: name => `${name} löschen?`,
  deleteText: 'Aufrufe werden von da an abgelehnt. Was offen ist, endet; was war, bleibt nachzulesen.',
  gone: {
    title: 'Diesen Alarm oder Notrufknopf gibt es nicht.',
    text: 'Vielleicht wurde er gelöscht, oder er gehört zu einem anderen Konto.',
  },
};
