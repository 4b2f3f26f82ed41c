import type { Words } from '../types.ts';

/** Der Betreiber. */
export const words: Words['operator'] = {
  title: 'Betreiber',
  parts: { accounts: 'Konten', deleted: 'Gelöscht', deployment: 'Installation' },
  accounts: 'Alle Konten',
  made: 'Gemacht',
  here: 'Hier sind Sie',
  enter: 'Öffnen',
  plans: { free: 'Frei', paid: 'Bezahlt' },
  remove: name => `${name} löschen?`,
  removeText:
    'Es muss leer sein: keine Orte, Alarme, Personen, Abläufe oder Schlüssel. Seine Tokens enden. Seine Geschichte bleibt, bis sie getilgt wird.',
  create: 'Ein Konto machen',
  createText: 'Der Besitzer wird sein erstes Mitglied und meldet sich mit einem Code per E-Mail an.',
  name: 'Name',
  email: 'E-Mail des Besitzers (kann leer bleiben)',
  plan: 'Tarif',
  planDefault: 'Wie die Installation es vorsieht',
  make: 'Machen',
  token: name => `Konsolen-Token von ${name}`,
  tokenText:
    'Es öffnet nur dieses Konto und wird nur dieses eine Mal gezeigt. Geben Sie es dem Besitzer, oder bewahren Sie es auf.',
  noted: 'Ich habe es',
  deleted: 'Gelöschte Konten',
  deletedText: 'Ihre Geschichte bleibt, bis sie getilgt wird.',
  noneDeleted: { title: 'Keine.', text: 'Ein Konto, das Sie löschen, steht hier, bis es getilgt ist, und danach.' },
  nameless: 'Ohne Namen',
  deletedAt: 'Gelöscht',
  erasedAt: 'getilgt',
  erased: 'Getilgt',
  erase: 'Tilgen',
  eraseTitle: name => `${name} für immer tilgen?`,
  eraseText: 'Geschichte, Änderungen und alles Übrige werden entfernt. Das geht nicht zurück.',
  eraseType: name => `Tippen Sie ${name}, um fortzufahren`,
  removed: rows => `${rows} Zeilen bisher entfernt.`,
};
