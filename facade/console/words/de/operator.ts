import type { Words } from '../types.ts';

/** What the operator's screen says, in German. */
export const words: Words['operator'] = {
  title: 'Betreiber',
  parts: { accounts: 'Konten', deleted: 'Gelöscht', deployment: 'Installation', backup: 'Sicherung' },
  accounts: 'Alle Konten',
  made: 'Erstellt',
  here: 'Hier sind Sie gerade',
  enter: 'Öffnen',
  plans: { free: 'Kostenlos', paid: 'Bezahlt' },
  remove: name => `${name} löschen?`,
  removeText:
    'Es muss leer sein: keine Orte, Alarme, Personen, Alarmpläne oder Schlüssel. Seine Tokens enden. Seine Geschichte bleibt, bis Sie sie endgültig löschen.',
  first: {
    title: 'Das erste Konto',
    text: 'Ein Konto umfasst die Alarme, Personen und Schlüssel eines Zuhauses oder einer Firma. Legen Sie das erste an; danach führt eine Anleitung zum ersten Alarm.',
  },
  create: 'Ein Konto erstellen',
  createText:
    'Der Inhaber wird sein erstes Mitglied und bekommt eine E-Mail: Ein Druck auf deren Link, und er erfährt, wenn ein Alarm niemanden erreicht.',
  asked: {
    sent: email =>
      `Eine E-Mail an ${email} ist unterwegs. Öffnen Sie ihren Link: Erst dann erfährt der Inhaber, wenn ein Alarm niemanden erreicht.`,
    no_carrier: () =>
      'Hier geht keine E-Mail hinaus, also erfährt niemand, wenn ein Alarm niemanden erreicht: Setzen Sie SMTP_URL, wo Tocsin läuft, und laden Sie dann unter Einstellungen, Mitglieder noch einmal ein.',
    '': () =>
      'Niemand erfährt, wenn ein Alarm niemanden erreicht: Laden Sie unter Einstellungen, Mitglieder einen Inhaber ein.',
    failed: email =>
      `Die E-Mail an ${email} ging nicht hinaus, also erfährt niemand, wenn ein Alarm niemanden erreicht: Laden Sie unter Einstellungen, Mitglieder noch einmal ein.`,
  },
  name: 'Name des Zuhauses oder der Firma',
  email: 'E-Mail des Inhabers (kann leer bleiben)',
  plan: 'Tarif',
  planDefault: 'Wie die Installation es vorsieht',
  make: 'Konto erstellen',
  token: name => `Konsolen-Token von ${name}`,
  tokenText:
    'Es öffnet nur dieses Konto und wird nur dieses eine Mal gezeigt. Geben Sie es dem Inhaber, oder bewahren Sie es auf.',
  noted: 'Ich habe es',
  deleted: 'Gelöschte Konten',
  deletedText: 'Ihre Geschichte bleibt, bis Sie sie endgültig löschen.',
  noneDeleted: {
    title: 'Kein gelöschtes Konto.',
    text: 'Ein Konto, das Sie löschen, steht dann hier, auch nach dem endgültigen Löschen.',
  },
  nameless: 'Ohne Namen',
  deletedAt: 'Gelöscht',
  erasedAt: 'endgültig gelöscht',
  erased: 'Endgültig gelöscht',
  erase: 'Endgültig löschen',
  eraseTitle: name => `${name} endgültig löschen?`,
  eraseText: 'Geschichte, Änderungen und alles Übrige werden entfernt. Das lässt sich nicht zurücknehmen.',
  eraseType: name => `Geben Sie ${name} ein, um fortzufahren`,
  removed: rows => `${rows} Zeilen bisher entfernt.`,
  backup: {
    title: 'Sicherungen',
    none: {
      title: 'Tocsin sichert sich nicht von selbst.',
      text: 'Setzen Sie dort, wo Tocsin läuft, BACKUP_DIR und BACKUP_PASSPHRASE: Dann wird jeden Tag eine Sicherung gemacht, und sieben bleiben erhalten.',
    },
    byHand: 'Eine von Hand',
    byHandText: 'Dort, wo Tocsin läuft, mit dessen Einstellungen und BACKUP_PASSPHRASE. Es läuft dabei weiter.',
    last: 'Letzte',
    never: 'Noch keine',
    size: 'Größe',
    took: 'Dauer',
    next: 'Nächste',
    underWay: 'Eine wird gerade gemacht …',
    folder: 'Ordner',
    file: machine => `Datei, auf ${machine}`,
    schedule: (pause, keep) =>
      `Abstand: ${pause}. Verschlüsselt und nach dem Schreiben noch einmal gelesen; die neuesten ${keep} bleiben erhalten.`,
    failed: 'Die letzte Sicherung ist misslungen:',
    now: 'Jetzt sichern',
    begun: 'Sie hat begonnen.',
    restore: 'Wiederherstellen',
    restoreText:
      'Auf einer Maschine mit Tocsin, in ein leeres DATA_DIR oder eine leere Datenbank, mit derselben BACKUP_PASSPHRASE, während dort kein Tocsin läuft.',
    apart: settings => `In den Dateien fehlen ${settings}: Zum Wiederherstellen müssen sie so gesetzt sein wie hier.`,
    more: 'Sichern und wiederherstellen, Schritt für Schritt',
  },
};
