import type { Words } from '../types.ts';

/** What the first ten minutes say, in German. */
export const words: Words['start'] = {
  title: 'Ihr erster Alarm',
  lead: 'In sieben kurzen Schritten zu einem Alarm, der jemandem Bescheid gibt. Hören Sie auf, wann Sie möchten: Was getan ist, bleibt.',
  progress: (done, all) => `${done} von ${all} erledigt`,
  later: 'Später',
  place: {
    title: 'Wo ist es?',
    text: 'Ein Haus, ein Laden, eine Scheune. Wer verständigt wird, sieht die Adresse.',
    name: 'Name des Ortes',
    suggested: 'Zuhause',
    address: 'Adresse für alle, die hinfahren müssen (darf leer bleiben)',
    do: 'Ort anlegen',
  },
  person: {
    title: 'Wer erfährt davon?',
    text: 'Beginnen Sie mit sich selbst. Andere können später dazukommen.',
    name: 'Name',
    email: 'E-Mail-Adresse',
    do: 'Person anlegen',
  },
  verify: {
    title: 'Kommt es an?',
    text: 'Erst wenn ein Code von einer Adresse zurückkam, gehen Alarme im Ernstfall dorthin.',
  },
  policy: {
    title: 'In welcher Reihenfolge?',
    text: name =>
      `Für den Anfang erfährt es ${name} sofort und nach 5 Minuten noch einmal. Schritte und Personen können jederzeit dazukommen.`,
    name: name => `${name} zuerst`,
    do: 'Damit beginnen',
  },
  alarm: {
    title: 'Was löst aus?',
    text: 'Ein Alarm ist, was eine Kamera oder eine Hausautomation scharf schaltet und auslöst. Er beginnt im Test: Beim Probieren wird niemand geweckt.',
    name: 'Name des Alarms',
    suggested: 'Haus',
    begins: seconds =>
      `Er alarmiert, ob scharf oder nicht, damit Ihr erster Aufruf ankommt. Sobald ein Gerät ihn scharf schaltet, stellen Sie in seinen Einstellungen „Nur alarmieren, wenn scharf“ ein. Ein Unscharfschalten beendet den Vorfall, und im Modus Abwesend wartet der Alarm ${seconds} Sekunden darauf, bevor er jemanden verständigt.`,
    do: 'Alarm anlegen',
  },
  call: {
    title: 'Ein Gerät aufrufen lassen',
    text: 'Geräte rufen mit einem API-Schlüssel auf. Erstellen Sie einen, und fügen Sie diese Zeile in ein Terminal ein, oder Adresse und Schlüssel in Ihr Gerät.',
    label: 'Erstes Gerät',
    do: 'Schlüssel erstellen',
    again: 'Weiteren Schlüssel erstellen',
    noted: 'Ich habe ihn',
    ownerMakes: 'Ein Inhaber des Kontos erstellt API-Schlüssel.',
    once: 'Der Schlüssel wird nur dieses eine Mal gezeigt. Bewahren Sie ihn dort auf, wo Ihr Gerät ihn lesen kann.',
    line: 'Die Zeile, die aufruft',
    waiting: 'Wartet auf den ersten Aufruf. Er erscheint hier von selbst.',
    arrived: outcome => `Er ist angekommen: ${outcome}.`,
  },
  live: {
    title: 'Erst proben, dann live schalten',
    text: 'Eine Probe löst im Test aus und sagt Zeile für Zeile, was geschehen würde. Vor dem Live-Schalten wird noch einmal gefragt, mit den Namen derer, die dann verständigt werden.',
  },
  done: {
    title: 'Ab jetzt gilt es.',
    text: (alarm, person) => `Wenn ${alarm} auslöst, erfährt es ${person}. Diese Seite hat ihre Arbeit getan.`,
    alarm: 'Alarm ansehen',
    home: 'Zur Startseite',
  },
};
