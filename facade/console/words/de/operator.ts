import type { Words } from '../types.ts';

/** Der Betreiber. */
export const words: Words['operator'] = {
  title: 'Betreiber',
  parts: { accounts: 'Konten', deleted: 'Gelöscht', deployment: 'Installation' },
  accounts: 'Alle Konten',
  made: 'Erstellt',
  here: 'Hier sind Sie gerade',
  enter: 'Öffnen',
  plans: { free: 'Kostenlos', paid: 'Bezahlt' },
  remove: name => `${name} löschen?`,
  removeText:
    'Es muss leer sein: keine Orte, Alarme, Personen, Alarmpläne oder Schlüssel. Seine Tokens enden. Seine Geschichte bleibt, bis Sie sie endgültig löschen.',
  create: 'Ein Konto erstellen',
  createText: 'Der Inhaber wird sein erstes Mitglied und meldet sich mit einem Code per E-Mail an.',
  name: 'Name',
  email: 'E-Mail des Inhabers (kann leer bleiben)',
  plan: 'Tarif',
  planDefault: 'Wie die Installation es vorsieht',
  make: 'Erstellen',
  token: name => `Konsolen-Token von ${name}`,
  tokenText:
    'Es öffnet nur dieses Konto und wird nur dieses eine Mal gezeigt. Geben Sie es dem Inhaber, oder bewahren Sie es auf.',
  noted: 'Ich habe es',
  deleted: 'Gelöschte Konten',
  deletedText: 'Ihre Geschichte bleibt, bis Sie sie endgültig löschen.',
  noneDeleted: {
    title: 'Keine.',
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
};
