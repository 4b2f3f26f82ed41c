import type { Role } from '../../../domain/role.ts';

/** What members are written: apart from what is said to those who are alerted, who are others. */
export const members = {
  /** A code to sign in to the console. */
  signIn: {
    subject: (code: string) => `Your code to sign in: ${code}`,
    what: 'Somebody wants to sign in to Tocsin with this address.',
    todo: 'Enter the code where you asked for it, and nowhere else. It is valid for 10 minutes. If you did not ask for it, ignore this message: nobody can sign in without the code.',
  },
  /** Somebody was made a member. */
  invitation: {
    subject: 'You are invited to look after an account on Tocsin',
    /** `by` null: it is not known. */
    what: ({ account, by, role }: { account: string; by: string | null; role: string }) =>
      by === null
        ? `You were made a member of "${account}" (role: ${role}).`
        : `${by} made you a member of "${account}" (role: ${role}).`,
    /** To owners, before the rest. */
    listen:
      'Owners are told when an alarm reached nobody. Until you confirm this address, or sign in, you are told nothing; if you do not know the account, ignore this message.',
    todo: 'Sign in with this address: you get a code by email, there is no password.',
    /** On the buttons that lead to the page. */
    button: 'Sign in',
    confirm: 'Confirm this address',
  },
  roles: { owner: 'owner', editor: 'editor', responder: 'responder', viewer: 'viewer' } as Record<Role, string>,
};
