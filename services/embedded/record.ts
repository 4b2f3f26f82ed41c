import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { readIfThere, writePrivate } from '../data-dir.ts';
import { StartError } from '../start-errors.ts';

/** The file in DATA_DIR that remembers how to reach its PostgreSQL. */
export const CLUSTER_RECORD = 'postgres.json';

const schema = z.object({
  /** Where it listened last on 127.0.0.1; 0 before the first start. */
  port: z.int().min(0).max(65_535),
  /** Of the role `tocsin`. */
  password: z.string().min(1),
});

export type ClusterRecord = z.output<typeof schema>;

/** Reads the record, or makes it with a random password. Throws StartError when it is damaged. */
export async function openRecord(dataDir: string): Promise<ClusterRecord> {
  const path = join(dataDir, CLUSTER_RECORD);
  const text = await readIfThere(path);
  if (text === null) {
    const record = { port: 0, password: randomBytes(24).toString('hex') };
    await saveRecord(dataDir, record);
    return record;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new StartError(`"${path}" is damaged: put it back from a backup, or start with an empty DATA_DIR.`);
  }
}

/** Writes the record, mode 0600. */
export function saveRecord(dataDir: string, record: ClusterRecord): Promise<void> {
  return writePrivate(join(dataDir, CLUSTER_RECORD), JSON.stringify(record), 'replace');
}
