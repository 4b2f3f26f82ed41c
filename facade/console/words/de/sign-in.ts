import type { Words } from '../types.ts';

/** What the sign-in says, in German. */
export const words: Words['signIn'] = {
  title: 'Anmelden',
  headline: 'Die richtigen Menschen, der Reihe nach, bis jemand antwortet.',
  lead: 'Tocsin macht aus einem einfachen Aufruf einer Kamera, eines Sensors oder eines Skripts Nachrichten, die Menschen erreichen.',
  points: [
    'Auf einen Blick sehen, ob alles in Ordnung ist',
    'Mit einem Tippen übernehmen, auch im Bett',
    'Wissen, warum ein Alarm jemanden verständigt hat oder nicht',
  ],
  email: 'E-Mail-Adresse',
  sendCode: 'Code per E-Mail senden',
  codeSent: email => `Wenn ${email} hier Mitglied ist, ist ein Code aus sechs Ziffern unterwegs. Er gilt 10 Minuten.`,
  code: 'Code',
  withCode: 'Anmelden',
  otherEmail: 'Andere Adresse',
  otherWays: 'Zum ersten Mal hier? Keine E-Mail?',
  firstStart: 'Der erste Start zeigt einen Link, der 30 Minuten lang einmal anmeldet. Oder mit einem Konsolen-Token:',
  token: 'Konsolen-Token',
  withToken: 'Mit dem Token anmelden',
  link: 'Sie sind über einen Link hier. Er gilt einmal.',
  withLink: 'Auf diesem Gerät anmelden',
  wrong: 'Damit ging es nicht. Prüfen Sie es, oder fordern Sie einen neuen Code an.',
  away: 'Tocsin ist gerade nicht erreichbar. Versuchen Sie es gleich noch einmal.',
  oidc: {
    button: 'Mit Single Sign-on anmelden',
    failures: {
      refused: 'Diese Anmeldung ging hier nicht. Versuchen Sie es noch einmal, oder mit einem Code per E-Mail.',
      away: 'Der Anmeldedienst ist gerade nicht erreichbar. Versuchen Sie es gleich noch einmal, oder mit einem Code per E-Mail.',
      open_line:
        'Diese Verbindung ist nicht verschlüsselt, und hier darf sich so niemand anmelden. Öffnen Sie die https-Adresse.',
    },
  },
  confirm: {
    title: 'Ist das Ihre Adresse?',
    text: 'Jemand hat Sie als Inhaber eines Kontos eingetragen. Wenn Sie bestätigen, erfährt diese Adresse, wenn ein Alarm des Kontos niemanden erreicht hat. Angemeldet werden Sie damit nirgends.',
    do: 'Meine Adresse bestätigen',
    done: account => `Danke. Von jetzt an erfahren Sie, wenn ein Alarm von ${account} niemanden erreicht.`,
    goOn: 'Zur Konsole',
  },
  ended: 'Sie sind abgemeldet. Nach der Anmeldung öffnet sich die gewünschte Seite.',
};
