import type { EntityManager } from '@mikro-orm/postgresql';
import type { Plan } from '../domain/plan.ts';
import { Account } from './account.ts';
import { newId } from './id.ts';

/** Adds an account to the unit of work. Gives its id. */
export function addAccount(em: EntityManager, account: { name: string; plan: Plan }): string {
  const id = newId();
  em.create(Account, { ...account, id });
  return id;
}
