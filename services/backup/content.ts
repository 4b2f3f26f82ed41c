import { z } from 'zod';
import { StartError } from '../process/start-errors.ts';
import { shown } from '../process/text.ts';
import { type BlockKind, readBlocks } from './file.ts';

/*
 * What the blocks of a backup say, in order: what it is, then each table with its rows (or, in a physical one, each folder
 * and each file with its bytes), then what all of it has to come to.
 */

const manifest = z.object({
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

const table = z.object({ table: z.string(), columns: z.array(z.string()).min(1) });
/** Below the data folder, and never out of it. */
const path = z.string().regex(/^(?!\/)(?!.*\.\.)[^\0]+$/);
const folder = z.object({ folder: path });
const file = z.object({ file: path });

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

export type Manifest = z.output<typeof manifest>;
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

/** Makes the content of a JSON block. */
export function json(
  value: Manifest | z.output<typeof table> | z.output<typeof folder> | z.output<typeof file> | z.input<typeof ending>,
): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Reads the parts of a backup. Throws StartError as readBlocks does. */
export async function* readParts(path: string, passphrase: string): AsyncGenerator<Part> {
  let number = 0;
  for await (const { kind, content } of readBlocks(path, passphrase)) {
    yield partOf(kind, content, number++);
  }
}

function partOf(kind: BlockKind, content: Buffer, number: number): Part {
  if (kind !== 'json') return { kind, content };
  const value: unknown = JSON.parse(content.toString());
  if (number === 0) return { kind: 'manifest', manifest: manifest.parse(value) };
  const asTable = table.safeParse(value);
  if (asTable.success) return { kind: 'table', name: asTable.data.table, columns: asTable.data.columns };
  const asFolder = folder.safeParse(value);
  if (asFolder.success) return { kind: 'folder', path: asFolder.data.folder };
  const asFile = file.safeParse(value);
  if (asFile.success) return { kind: 'file', path: asFile.data.file };
  return { kind: 'ending', ending: ending.parse(value) };
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
    else if (part.kind === 'rows') rows[current]! += linesOf(part.content);
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
    throw new StartError(`The backup ${shown(path)} does not hold what it says: take another one.`);
  }
  return { manifest: found, ending: last, rows: Object.values(rows).reduce((sum, count) => sum + count, 0) };
}

/** In text format COPY writes a newline after each row and nowhere else. */
function linesOf(content: Buffer): number {
  let count = 0;
  for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) count++;
  return count;
}
