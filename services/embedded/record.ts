import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { StartError } from '../process/start-errors.ts';
import { readIfThere, writePrivate } from './data-dir.ts';

/** The file in DATA_DIR that records how to reach its PostgreSQL. */
export const CLUSTER_RECORD = 'postgres.json';

const schema = z.object({
  /** The last port on 127.0.0.1; 0 before the first start. */
  port: z.int().min(0).max(65_535),
  /** Of the role `tocsin`, which owns everything. */
  password: z.string().min(1),
  /** Of the product's role. */
  productPassword: z.string().min(1),
});

export type ClusterRecord = z.output<typeof schema>;

/** Reads the record, or creates it with random passwords. Throws StartError if it is damaged. */
export async function openRecord(dataDir: string): Promise<ClusterRecord> {
  const path = join(dataDir, CLUSTER_RECORD);
  const text = await readIfThere(path);
  if (text !== null) return readRecord(path, text);
  const record = { port: 0, password: newPassword(), productPassword: newPassword() };
  await saveRecord(dataDir, record);
  return record;
}

function readRecord(path: string, text: string): ClusterRecord {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new StartError(`"${path}" is damaged: put it back from a backup, or start with an empty DATA_DIR.`);
  }
}

function newPassword(): string {
  return randomBytes(24).toString('hex');
}

/** Writes the record, mode 0600. */
export function saveRecord(dataDir: string, record: ClusterRecord): Promise<void> {
  return writePrivate(join(dataDir, CLUSTER_RECORD), JSON.stringify(record), 'replace');
}
