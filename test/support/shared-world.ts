import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { makeDatabase, TEMPLATE } from './database.ts';
import { startWorld, type World } from './world.ts';

/** Returns what starts processes that share a database. */
export async function sharedWorlds(): Promise<() => Promise<World>> {
  const name = `world_${newId()}`;
  await makeDatabase(inject('postgresUrl'), { name, from: TEMPLATE });
  const dataKey = randomBytes(32);
  return () => startWorld({ database: name, dataKey });
}
