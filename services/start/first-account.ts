import type { PoolClient } from 'pg';
import type { Plan } from '../domain/plan.ts';
import { newId } from '../store/id.ts';

/** The deployment's oldest account, and whether it was there before. */
export interface FirstAccount {
  id: string;
  was: 'there' | 'made';
}

/** Finds the deployment's first account, or creates it. Call it inside a transaction. */
export async function firstAccount(
  client: PoolClient,
  { name, plan, purpose }: { name: string; plan: Plan; purpose: 'use' | 'demo' },
): Promise<FirstAccount> {
  const oldest = async () =>
    (await client.query<{ id: string }>('SELECT id FROM account ORDER BY seq LIMIT 1')).rows[0];
  // The lock waits for every change under way, half a minute for a large file's, so it is only taken if an account may
  // have to be created.
  const before = await oldest();
  if (before !== undefined) return { id: before.id, was: 'there' };
  // Two processes that start on one empty database at once must not both create it.
  await client.query('LOCK TABLE account IN EXCLUSIVE MODE');
  const meanwhile = await oldest();
  if (meanwhile !== undefined) return { id: meanwhile.id, was: 'there' };
  const id = newId();
  await client.query('INSERT INTO account (id, name, plan, purpose) VALUES ($1, $2, $3, $4)', [
    id,
    name,
    plan,
    purpose,
  ]);
  return { id, was: 'made' };
}
