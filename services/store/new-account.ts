import type { EntityManager } from '@mikro-orm/postgresql';
import type { PoolClient } from 'pg';
import type { Plan } from '../domain/plan.ts';
import { Account } from './entities/account.ts';
import { newId } from './id.ts';

/** Adds an account to the unit of work; its spending ceiling is the usual one where nothing is said. Gives its id. */
export function addAccount(
  em: EntityManager,
  account: { name: string; plan: Plan; dailySpendCeilingCents?: number },
): string {
  const id = newId();
  em.create(Account, { ...account, id });
  return id;
}

/** Makes an account in a transaction of the driver's. Gives its id. */
export async function makeAccount(client: PoolClient, account: { name: string; plan: Plan }): Promise<string> {
  const id = newId();
  const sql = 'INSERT INTO account (id, name, plan, created_at) VALUES ($1, $2, $3, tocsin_now())';
  await client.query(sql, [id, account.name, account.plan]);
  return id;
}
