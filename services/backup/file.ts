import { createCipheriv, createDecipheriv, createHash, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { StartError } from '../process/start-errors.ts';
import { shown } from '../process/text.ts';

/*
 * The file of a backup: a line of JSON that says how its key is derived from the passphrase, then blocks. A block is its
 * length (4 bytes, big-endian) and as many bytes under AES-256-GCM: a kind and a compressed content. Its nonce is its
 * number, and whether it is the last: so no block can be altered, moved, left out or put in, and a file that was cut
 * short is noticed. The first line is authenticated with each block.
 */

/** What a block contains: JSON, rows as COPY writes them in text format, or bytes of a file; both cut anywhere. */
export type BlockKind = 'json' | 'rows' | 'bytes';

export interface Block {
  kind: BlockKind;
  content: Buffer;
}

const KINDS: readonly BlockKind[] = ['json', 'rows', 'bytes'];

const FORMAT = 'tocsin-backup';
const FORMAT_VERSION = 1;

/** 64 MB and about a quarter of a second for each guess at a passphrase. */
const SCRYPT = { N: 65_536, r: 8, p: 1, maxmem: 128 * 1024 * 1024 } satisfies ScryptOptions;

const TAG_BYTES = 16;

/** More than any block that is written, so that a damaged length does not ask for memory without bounds. */
const BLOCK_MOST = 16 * 1024 * 1024;

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)];

/** Writes the blocks of one backup, in order. */
export interface BackupWriter {
  write(kind: BlockKind, content: Buffer): Promise<void>;
  /** Writes the last block. */
  end(content: Buffer): Promise<void>;
}

/** Writes the first line to an empty file and returns the writer of what follows. */
export async function createWriter(file: FileHandle, passphrase: string): Promise<BackupWriter> {
  const salt = randomBytes(16);
  const head = Buffer.from(
    `${JSON.stringify({ format: FORMAT, version: FORMAT_VERSION, salt: salt.toString('base64') })}\n`,
  );
  const key = await keyOf(passphrase, salt);
  const about = digestOf(head);
  await writeAll(file, head);
  let number = 0;

  async function write(kind: BlockKind, content: Buffer, place: Place): Promise<void> {
    const packed = await deflate(content, { level: 1 });
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++, place)).setAAD(about);
    const parts = [cipher.update(Buffer.from([KINDS.indexOf(kind)])), cipher.update(packed), cipher.final()];
    const sealed = Buffer.concat([...parts, cipher.getAuthTag()]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(sealed.length);
    await writeAll(file, Buffer.concat([length, sealed]));
  }

  return {
    write: (kind, content) => write(kind, content, 'within'),
    end: content => write('json', content, 'last'),
  };
}

/**
 * Reads the blocks of a backup in order. Throws StartError, in one sentence, for a file that is no backup, that was made
 * by a newer version, cut short or damaged, and for a wrong passphrase; what was yielded before is authentic.
 */
export async function* readBlocks(path: string, passphrase: string): AsyncGenerator<Block> {
  await using file = await open(path, 'r');
  const named = shown(path);
  const head = await readHead(file, named);
  const key = await keyOf(passphrase, head.salt);
  let at = head.bytes.length;
  for (let number = 0; ; number++) {
    const length = await readAt(file, at, 4);
    const size = length.length === 4 ? length.readUInt32BE() : null;
    if (size !== null && (size > BLOCK_MOST || size <= TAG_BYTES)) throw damaged(named);
    const sealed = size === null ? null : await readAt(file, at + 4, size);
    if (size === null || sealed === null || sealed.length < size) {
      throw new StartError(`The backup ${named} is cut short: take another one, or copy it again.`);
    }
    at += 4 + size;
    const place = (await readAt(file, at, 1)).length === 0 ? 'last' : 'within';
    const opened = openBlock({ key, about: digestOf(head.bytes), number }, sealed, place);
    if (opened === null) throw number === 0 ? wrongPassphrase(named) : damaged(named);
    yield { kind: KINDS[opened.block[0]!] ?? 'json', content: await inflate(opened.block.subarray(1)) };
    if (opened.place === 'last') {
      if (place !== 'last') throw damaged(named);
      return;
    }
  }
}

type Place = 'within' | 'last';

/** Null if it does not open. At the end of a file that was cut between two blocks stands one that is not the last. */
function openBlock(
  by: { key: Buffer; about: Buffer; number: number },
  sealed: Buffer,
  likely: Place,
): { block: Buffer; place: Place } | null {
  for (const place of [likely, likely === 'last' ? 'within' : 'last'] as const) {
    const decipher = createDecipheriv('aes-256-gcm', by.key, nonceOf(by.number, place)).setAAD(by.about);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      return { block: Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]), place };
    } catch {
      // Tried as the other one.
    }
  }
  return null;
}

const HEAD_MOST = 1_000;

async function readHead(file: FileHandle, named: string): Promise<{ bytes: Buffer; salt: Buffer }> {
  const start = await readAt(file, 0, HEAD_MOST);
  const bytes = start.subarray(0, start.indexOf('\n') + 1);
  const head = parsed(bytes.toString());
  if (head?.format !== FORMAT) {
    throw new StartError(`${named} is no backup of Tocsin: name a file that tocsin backup wrote.`);
  }
  if (head.version !== FORMAT_VERSION) {
    throw new StartError(`The backup ${named} was made by a newer Tocsin: restore it with that version.`);
  }
  return { bytes, salt: Buffer.from(String(head.salt), 'base64') };
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Tells whether a file begins as a backup does. */
export async function isBackup(path: string): Promise<boolean> {
  await using file = await open(path, 'r');
  return (await readAt(file, 0, HEAD_MOST)).includes(`"format":"${FORMAT}"`);
}

/** Each file has a salt and so a key of its own: a number is used with it once. */
function nonceOf(number: number, place: Place): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce[11] = place === 'last' ? 1 : 0;
  return nonce;
}

function keyOf(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, 32, SCRYPT, (fault, key) => (fault === null ? resolve(key) : reject(fault)));
  });
}

function digestOf(head: Buffer): Buffer {
  return createHash('sha256').update(head).digest();
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** One call may write less than all of it. */
async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten;
}

function wrongPassphrase(named: string): StartError {
  return new StartError(
    `BACKUP_PASSPHRASE is not the one that ${named} was made with, or the file is damaged: set the passphrase of that backup.`,
  );
}

function damaged(named: string): StartError {
  return new StartError(`The backup ${named} is damaged: take another one, or copy it again.`);
}
