import type { OwnerWords } from '../words.ts';

/** German. */
export const members: OwnerWords['members'] = {
  signIn: {
    subject: code => `Ihr Code zum Anmelden: ${code}`,
    what: 'Jemand möchte sich mit dieser Adresse bei Tocsin anmelden.',
    todo: 'Geben Sie den Code dort ein, wo Sie ihn angefordert haben, und nirgends sonst. Er gilt 10 Minuten. Wenn Sie das nicht waren, ignorieren Sie diese Nachricht: Ohne den Code meldet sich niemand an.',
  },
  invitation: {
    subject: 'Sie sind eingeladen, sich um ein Konto bei Tocsin zu kümmern',
    what: ({ account, by, role }) =>
      by === null
        ? `Sie sind jetzt Mitglied von „${account}“ (Rolle: ${role}).`
        : `${by} hat Sie zum Mitglied von „${account}“ gemacht (Rolle: ${role}).`,
    listen:
      'Inhaber erfahren, wenn ein Alarm niemanden erreicht hat. Solange Sie diese Adresse nicht bestätigen und sich nicht anmelden, erfahren Sie nichts; wenn Sie das Konto nicht kennen, ignorieren Sie diese Nachricht.',
    todo: 'Melden Sie sich mit dieser Adresse an: Sie erhalten einen Code per E-Mail, ein Passwort gibt es nicht.',
    button: 'Anmelden',
    confirm: 'Diese Adresse bestätigen',
  },
  roles: { owner: 'Inhaber', editor: 'Bearbeiter', responder: 'Helfer', viewer: 'Betrachter' },
};
