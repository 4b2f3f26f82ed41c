import { type Ability, isAllowed } from './role.ts';
import { session } from './session.ts';

/** Tells whether whoever is signed in has an ability: no button is shown that would be refused. A console token is an owner's. */
export function may(what: Ability): boolean {
  if (session.value.is !== 'signed_in') return false;
  const { kind, member } = session.value.who;
  return isAllowed(kind === 'member' ? (member?.role ?? '') : 'owner', what);
}

/** Tells whether whoever is signed in is the operator. */
export function isOperator(): boolean {
  return session.value.is === 'signed_in' && session.value.who.kind === 'operator';
}
