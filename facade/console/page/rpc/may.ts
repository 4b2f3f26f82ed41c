import { type Ability, isAllowed } from './role.ts';
import { session } from './session.ts';

/** Whether whoever is signed in is allowed something: a button that would be refused is not shown. A console token is an owner's. */
export function may(what: Ability): boolean {
  if (session.value.is !== 'signed_in') return false;
  const { kind, member } = session.value.who;
  return isAllowed(kind === 'member' ? (member?.role ?? '') : 'owner', what);
}

/** Whether whoever is signed in looks after the whole deployment. */
export function isOperator(): boolean {
  return session.value.is === 'signed_in' && session.value.who.kind === 'operator';
}
