import { z } from 'zod';
import { StartError } from '../process/start-errors.ts';
import { shown } from '../process/text.ts';
import { type BackupEntry, type BackupWriter, noBackup, readEntries } from './file.ts';
import type { Table } from './tables.ts';

/*
 * What a backup holds, in order: `manifest.json`, what it is; of each table `tables/<table>/columns.json` and its rows as COPY writes
 * them, `tables/<table>/000001.copy` and so on, cut anywhere (in a physical one each folder and file below `cluster/`); and
 * `ending.json`, what all of it has to come to.
 */

const FORMAT = 1;

const MANIFEST = 'manifest.json';
const ENDING = 'ending.json';

const manifest = z.object({
  format: z.literal(FORMAT),
  /** When its snapshot was taken (ISO). */
  at: z.string(),
  /** The version of Tocsin that made it. */
  version: z.string(),
  /** The migrations that its database had run, in order. */
  migrations: z.array(z.string()).min(1),
  /** The secrets that DATA_DIR held, by setting; what came from the environment is absent. */
  secrets: z.object({ KEY_PEPPER: z.string().optional(), DATA_KEY: z.string().optional() }),
  /** Of a physical backup: what its files are, and the passwords of its roles. Absent: it holds tables. */
  cluster: z
    .object({
      /** The major version of PostgreSQL. */
      major: z.int(),
      /** Such as `linux-x64`: others lay out their files in another way. */
      platform: z.string(),
      password: z.string(),
      productPassword: z.string(),
    })
    .optional(),
});

/** A path below the data folder, and never out of it. */
const WITHIN = /^(?!\/)(?!.*\.\.)[^\0]+$/;

const columns = z.array(z.string()).min(1);

const ending = z.object({
  /** Rows by table. */
  rows: z.record(z.string(), z.int()),
  /** How far each sequence had counted after the snapshot. */
  sequences: z.record(z.string(), z.string().regex(/^-?\d+$/)),
  /** Of a physical backup: how many files it holds, and how many bytes they have together. */
  files: z.int().default(0),
  bytes: z.int().default(0),
  /** Of a physical backup: the moment as of which it holds everything (ISO); of others that of the manifest. */
  at: z.string().optional(),
});

export type Manifest = Omit<z.output<typeof manifest>, 'format'>;
export type Ending = z.output<typeof ending>;

/** The parts of a backup, in order: the manifest, then each table, folder or file before its content, then the ending. */
export type Part =
  | { kind: 'manifest'; manifest: Manifest }
  | { kind: 'table'; name: string; columns: string[] }
  | { kind: 'rows'; content: Buffer }
  | { kind: 'folder'; path: string }
  | { kind: 'file'; path: string }
  | { kind: 'bytes'; content: Buffer }
  | { kind: 'ending'; ending: Ending };

const json = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);

const CLUSTER = 'cluster/';

/** Writes what a backup is, first of all. */
export function writeManifest(to: BackupWriter, content: Manifest): Promise<void> {
  return to.write(MANIFEST, json({ format: FORMAT, ...content } satisfies z.input<typeof manifest>));
}

/** Writes which columns the rows of a table have, before its rows. */
export function writeColumns(to: BackupWriter, { name, columns }: Table): Promise<void> {
  return to.write(`tables/${name}/columns.json`, json(columns));
}

/** Writes rows as COPY does in text format; `nth` counts from 1 in each table. */
export function writeRows(to: BackupWriter, table: string, nth: number, rows: Buffer): Promise<void> {
  return to.write(`tables/${table}/${String(nth).padStart(6, '0')}.copy`, rows);
}

/** Writes a folder of a cluster, by its path in it. */
export function writeFolder(to: BackupWriter, path: string): Promise<void> {
  return to.writeFolder(`${CLUSTER}${path}/`);
}

/** Writes a file of a cluster of so many bytes, by its path in it. */
export function writeFile(
  to: BackupWriter,
  path: string,
  bytes: number,
  content: AsyncIterable<Buffer>,
): Promise<void> {
  return to.stream(`${CLUSTER}${path}`, bytes, content);
}

/** Writes what all has to come to, and ends the backup. */
export async function writeEnding(to: BackupWriter, content: z.input<typeof ending>): Promise<void> {
  await to.write(ENDING, json(content));
  await to.end();
}

/** Reads the parts of a backup. Throws StartError as readEntries does, and for one that a newer version made. */
export async function* readParts(path: string, passphrase: string): AsyncGenerator<Part> {
  let number = 0;
  for await (const entry of readEntries(path, passphrase)) {
    if (number++ === 0) yield { kind: 'manifest', manifest: await readManifest(entry, shown(path)) };
    else yield* partsOf(entry, shown(path));
  }
}

async function readManifest(entry: BackupEntry, named: string): Promise<Manifest> {
  const value = entry.name === MANIFEST ? parsedOrNull(await textOf(entry)) : null;
  const version = z.object({ format: z.int() }).safeParse(value);
  if (!version.success) throw noBackup(named);
  if (version.data.format === FORMAT) return manifest.parse(value);
  throw new StartError(`The backup ${named} was made by a newer Tocsin: restore it with that version.`);
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function* partsOf(entry: BackupEntry, named: string): AsyncGenerator<Part> {
  const { name, is, content } = entry;
  const [, table, of] = /^tables\/([^/]+)\/(columns\.json|\d+\.copy)$/.exec(name) ?? [];
  const path = name.startsWith(CLUSTER) ? name.slice(CLUSTER.length).replace(/\/$/, '') : null;
  if (name === ENDING) yield { kind: 'ending', ending: ending.parse(JSON.parse(await textOf(entry))) };
  else if (of === 'columns.json') {
    yield { kind: 'table', name: table!, columns: columns.parse(JSON.parse(await textOf(entry))) };
  } else if (of !== undefined) for await (const rows of content) yield { kind: 'rows', content: rows };
  else if (path === null || !WITHIN.test(path)) throw notAsSaid(named);
  else if (is === 'folder') yield { kind: 'folder', path };
  else {
    yield { kind: 'file', path };
    for await (const bytes of content) yield { kind: 'bytes', content: bytes };
  }
}

async function textOf({ content }: BackupEntry): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Tells whether a file is a backup that this passphrase opens. */
export async function isBackup(path: string, passphrase: string): Promise<boolean> {
  try {
    for await (const { kind } of readParts(path, passphrase)) return kind === 'manifest';
  } catch (fault) {
    if (!(fault instanceof StartError)) throw fault;
  }
  return false;
}

/** What a whole file holds. */
export interface Checked {
  manifest: Manifest;
  ending: Ending;
  /** All rows of all tables. */
  rows: number;
}

/**
 * Reads a backup from its first byte to its last and counts its rows, without keeping any. Throws StartError if anything of
 * it is missing, altered or not what the end says, and the reason of `signal` where that ends it.
 */
export async function checkBackup(path: string, passphrase: string, signal?: AbortSignal): Promise<Checked> {
  let found: Manifest | null = null;
  let last: Ending | null = null;
  let current = '';
  const rows: Record<string, number> = {};
  let files = 0;
  let bytes = 0;
  for await (const part of readParts(path, passphrase)) {
    signal?.throwIfAborted();
    if (part.kind === 'manifest') found = part.manifest;
    else if (part.kind === 'ending') last = part.ending;
    else if (part.kind === 'rows') rows[current]! += rowsIn(part.content);
    else if (part.kind === 'bytes') bytes += part.content.length;
    else if (part.kind === 'file') files++;
    else if (part.kind === 'table') {
      current = part.name;
      rows[current] = 0;
    }
  }
  const agrees =
    last !== null &&
    last.files === files &&
    last.bytes === bytes &&
    Object.entries({ ...rows, ...last.rows }).every(([name]) => rows[name] === last.rows[name]);
  if (found === null || last === null || !agrees) {
    throw notAsSaid(shown(path));
  }
  return { manifest: found, ending: last, rows: Object.values(rows).reduce((sum, count) => sum + count, 0) };
}

function notAsSaid(named: string): StartError {
  return new StartError(`The backup ${named} does not hold what it says: take another one.`);
}

/** Counts the rows that end in a piece of what COPY writes: in text format a newline ends each row, and is escaped within it. */
export function rowsIn(content: Buffer): number {
  let count = 0;
  for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) count++;
  return count;
}
