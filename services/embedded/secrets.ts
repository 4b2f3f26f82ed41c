import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { StartError } from '../process/start-errors.ts';
import { mismatch } from '../process/text.ts';
import { readIfThere, writePrivate } from './data-dir.ts';
import { CLUSTER_RECORD } from './record.ts';

/** The two secrets without which stored keys and addresses are worthless. */
export interface Secrets {
  /** KEY_PEPPER: hashes API keys. */
  pepper: string;
  /** DATA_KEY, 32 bytes: seals people's addresses. */
  dataKey: Buffer;
}

/** The secrets that what is stored may be under as well, while they are being changed (docs: operating.md). */
export interface OtherSecrets {
  /** KEY_PEPPER_ALSO; null: none. */
  pepper: string | null;
  /** DATA_KEY_ALSO, 32 bytes; null: none. */
  dataKey: Buffer | null;
}

const PEPPER_FILE = 'key-pepper';
const KEY_FILE = 'data-key';

/** The files that keepSecrets writes in DATA_DIR. */
export const SECRET_FILES: readonly string[] = [PEPPER_FILE, KEY_FILE];

/**
 * Returns the secrets of an embedded deployment: as set, otherwise stored in `dataDir` in the files `key-pepper` and
 * `data-key` (mode 0600), created at the first start. Call it before startEmbedded. Throws StartError if a file is
 * damaged, or lost although there are data already.
 */
export async function keepSecrets(
  dataDir: string,
  set: { pepper: string | null; dataKey: Buffer | null },
): Promise<Secrets> {
  const pepper = set.pepper ?? (await keep(dataDir, PEPPER_FILE, 'KEY_PEPPER'));
  const dataKey = set.dataKey ?? Buffer.from(await keep(dataDir, KEY_FILE, 'DATA_KEY'), 'base64');
  return { pepper, dataKey };
}

/** The secrets of a DATA_DIR as text, by the setting that each stands in for. */
export interface KeptSecrets {
  KEY_PEPPER?: string | undefined;
  DATA_KEY?: string | undefined;
}

/** The file in DATA_DIR that holds a secret unless its setting does. */
const FILES = { KEY_PEPPER: PEPPER_FILE, DATA_KEY: KEY_FILE } as const;

/** Returns the secrets that `dataDir` holds, for a backup. Absent: set otherwise. */
export async function readKeptSecrets(dataDir: string): Promise<KeptSecrets> {
  const [pepper, dataKey] = await Promise.all(
    [PEPPER_FILE, KEY_FILE].map(async file => (await readIfThere(join(dataDir, file)))?.trim()),
  );
  return { KEY_PEPPER: pepper, DATA_KEY: dataKey };
}

/**
 * Puts the secrets of a backup into an empty `dataDir`. Throws StartError, and changes nothing, if it holds data or other
 * secrets; the same ones are left of a restore that was cut short.
 */
export async function putSecretsBack(dataDir: string, secrets: KeptSecrets): Promise<void> {
  const present = await readKeptSecrets(dataDir);
  for (const name of ['KEY_PEPPER', 'DATA_KEY'] as const) {
    if (present[name] === undefined || present[name] === secrets[name]) continue;
    throw new StartError(
      `"${join(dataDir, FILES[name])}" holds another secret than the backup, so DATA_DIR is not empty: name an empty folder.`,
    );
  }
  for (const name of ['KEY_PEPPER', 'DATA_KEY'] as const) {
    if (secrets[name] !== undefined) await writePrivate(join(dataDir, FILES[name]), `${secrets[name]}\n`, 'keep');
  }
}

async function keep(dataDir: string, file: string, variable: string): Promise<string> {
  const path = join(dataDir, file);
  if ((await readIfThere(path)) === null) {
    if ((await readIfThere(join(dataDir, CLUSTER_RECORD))) !== null) {
      throw new StartError(
        `"${path}" is missing although the folder holds data that were written with it: put it back or set ${variable}.`,
      );
    }
    await writePrivate(path, `${randomBytes(32).toString('base64')}\n`, 'keep');
  }
  const text = (await readIfThere(path))?.trim() ?? '';
  if (Buffer.from(text, 'base64').length === 32) return text;
  throw new StartError(
    `"${path}" ${mismatch('32 bytes as base64', `${text.length} characters`, 'put the file back as it was')}`,
  );
}
