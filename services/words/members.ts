import type { Role } from '../domain/role.ts';
import type { Language } from './language.ts';

/** What members are written in one language: apart from what is said to those who are alerted, who are others. */
export interface MemberWords {
  /** A code to sign in to the console. */
  signIn: { subject(code: string): string; what: string; todo: string };
  /** Somebody was made a member. */
  invitation: {
    subject(account: string): string;
    what(on: { account: string; by: string; role: string }): string;
    todo: string;
    /** On the button that leads to the page. */
    button: string;
  };
  roles: Record<Role, string>;
}

const en: MemberWords = {
  signIn: {
    subject: code => `Your code to sign in: ${code}`,
    what: 'Somebody wants to sign in to Tocsin with this address.',
    todo: 'Enter the code where you asked for it, and nowhere else. It is good for 10 minutes. If it was not you, ignore this message: nobody signs in without the code.',
  },
  invitation: {
    subject: account => `You can now look after "${account}"`,
    what: ({ account, by, role }) => `${by} made you a member of "${account}" (role: ${role}).`,
    todo: 'Sign in with this address. You get a code by email; there is no password.',
    button: 'Sign in',
  },
  roles: { owner: 'owner', editor: 'editor', responder: 'responder', viewer: 'viewer' },
};

const de: MemberWords = {
  signIn: {
    subject: code => `Ihr Code zum Anmelden: ${code}`,
    what: 'Jemand möchte sich mit dieser Adresse bei Tocsin anmelden.',
    todo: 'Geben Sie den Code dort ein, wo Sie ihn angefordert haben, und nirgends sonst. Er gilt 10 Minuten. Wenn Sie das nicht waren, ignorieren Sie diese Nachricht: Ohne den Code meldet sich niemand an.',
  },
  invitation: {
    subject: account => `Sie können sich jetzt um „${account}“ kümmern`,
    what: ({ account, by, role }) => `${by} hat Sie zum Mitglied von „${account}“ gemacht (Rolle: ${role}).`,
    todo: 'Melden Sie sich mit dieser Adresse an. Sie erhalten einen Code per E-Mail; ein Passwort gibt es nicht.',
    button: 'Anmelden',
  },
  roles: { owner: 'alles', editor: 'bearbeiten', responder: 'reagieren', viewer: 'ansehen' },
};

const BY_LANGUAGE: Readonly<Record<string, MemberWords>> = { en, de };

/** What members are written in a language; in English where there are no words of it. */
export function memberWords({ words }: Pick<Language, 'words'>): MemberWords {
  return BY_LANGUAGE[words.language] ?? en;
}
