import type { owner as english } from './en.ts';

/** All that owners and members are told in one language: in mails to them, and by the services in the console. */
export type OwnerWords = typeof english;
