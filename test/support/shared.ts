import { randomBytes } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { dropDatabase, makeDatabase, TEMPLATE } from './database.ts';

/** What several processes of one deployment share: the name of their migrated database, which ends with the test, and what opens addresses. */
export async function sharedByProcesses(): Promise<{ database: string; dataKey: Buffer }> {
  const database = `shared_${newId()}`;
  await makeDatabase(inject('postgresUrl'), { name: database, from: TEMPLATE });
  onTestFinished(() => dropDatabase(inject('postgresUrl'), database));
  return { database, dataKey: randomBytes(32) };
}
