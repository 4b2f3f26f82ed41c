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
    subject: (account: string) => `You are now a member of "${account}"`,
    what: ({ account, by, role }: { account: string; by: string; role: string }) =>
      `${by} made you a member of "${account}" (role: ${role}).`,
    todo: 'Sign in with this address. You get a code by email; there is no password.',
    /** On the button that leads to the page. */
    button: 'Sign in',
  },
  roles: { owner: 'owner', editor: 'editor', responder: 'responder', viewer: 'viewer' } as Record<Role, string>,
};
