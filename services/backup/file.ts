import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Decrypter, Encrypter } from 'age-encryption';
import { extract, type Header, pack } from 'tar-stream';
import { faultCode, StartError } from '../process/start-errors.ts';
import { shown } from '../process/text.ts';

/*
 * The file of a backup: a compressed tar that is encrypted with a passphrase as `age` does it, so that it can be opened without
 * Tocsin (facade/docs/backup.md). Nothing of it can be altered, moved, left out or put in, and one that was cut short is noticed.
 */

/** 64 MB and about half a second for each guess at a passphrase. */
const WORK_FACTOR = 16;

/** How every file begins that `age` encrypts with a passphrase. */
const BEGINNING = 'age-encryption.org/v1\n-> scrypt ';

/** Writes the entries of one backup, in order. Disposing of it before its end gives it up. */
export interface BackupWriter extends AsyncDisposable {
  write(name: string, content: Buffer): Promise<void>;
  writeFolder(name: string): Promise<void>;
  /** Writes an entry of so many bytes. */
  stream(name: string, bytes: number, content: AsyncIterable<Buffer>): Promise<void>;
  end(): Promise<void>;
}

/** Derives the key and returns the writer of an empty file, which the caller closes. */
export async function createWriter(file: FileHandle, passphrase: string): Promise<BackupWriter> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  encrypter.setScryptWorkFactor(WORK_FACTOR);
  const packed = pack();
  const zipped = createGzip({ level: 1 });
  const sealed = await encrypter.encrypt(Readable.toWeb(zipped) as ReadableStream<Uint8Array>);
  // A fault of either ends both, and is that of the writing.
  pipeline(packed, zipped).catch(() => {});
  let refusal: unknown = null;
  const writing = (async () => {
    for await (const piece of sealed) {
      await file.writeFile(piece).catch(fault => {
        refusal = fault;
        throw fault;
      });
    }
  })();
  writing.catch(() => {});

  const put = async (
    header: Partial<Header> & Pick<Header, 'name'>,
    content: AsyncIterable<Buffer> | Iterable<Buffer>,
  ) => {
    try {
      await pipeline(content, packed.entry(header));
    } catch (fault) {
      // Whatever the file refuses ends the tar as well, and a tar that has ended says only that.
      throw refusal ?? fault;
    }
  };

  return {
    write: (name, content) => put({ name, size: content.length, mode: 0o600 }, [content]),
    writeFolder: name => put({ name, type: 'directory', mode: 0o700 }, []),
    stream: (name, size, content) => put({ name, size, mode: 0o600 }, content),
    end() {
      packed.finalize();
      return writing;
    },
    async [Symbol.asyncDispose]() {
      packed.destroy();
      await writing.catch(() => {});
    },
  };
}

export interface BackupEntry {
  name: string;
  is: 'file' | 'folder';
  /** Has to be read before the next entry is. */
  content: AsyncIterable<Buffer>;
}

/**
 * Reads the entries of a backup in order. Throws StartError, in one sentence, for a file that is no backup, that was cut short or
 * damaged, and for a wrong passphrase; what was yielded before is authentic.
 */
export async function* readEntries(path: string, passphrase: string): AsyncGenerator<BackupEntry> {
  const named = shown(path);
  if ((await beginningOf(path)) !== BEGINNING) throw noBackup(named);
  const sealed = createReadStream(path);
  const entries = extract();
  const reading = (async () => {
    const plain = await unseal(sealed, passphrase, named);
    await pipeline(plain, createGunzip(), entries);
  })();
  reading.catch(fault => entries.destroy(fault));
  try {
    for await (const entry of nameFaults(entries, named)) {
      const { name, type } = entry.header;
      yield {
        name,
        is: type === 'directory' ? 'folder' : 'file',
        content: nameFaults(entry as AsyncIterable<Buffer>, named),
      };
    }
  } finally {
    entries.destroy();
    sealed.destroy();
    await reading.catch(() => {});
  }
}

/** Whatever a tar or an unsealed chunk throws means the same to whoever reads the file. */
async function* nameFaults<Piece>(pieces: AsyncIterable<Piece>, named: string): AsyncGenerator<Piece> {
  try {
    yield* pieces;
  } catch (fault) {
    throw fault instanceof StartError || isOfDisk(fault) ? fault : damaged(named);
  }
}

async function beginningOf(path: string): Promise<string> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING.length));
  return buffer.toString('latin1', 0, bytesRead);
}

async function unseal(sealed: Readable, passphrase: string, named: string): Promise<AsyncIterable<Uint8Array>> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return await decrypter.decrypt(Readable.toWeb(sealed) as ReadableStream<Uint8Array>);
  } catch (fault) {
    throw isOfDisk(fault) ? fault : wrongPassphrase(named);
  }
}

const isOfDisk = (fault: unknown) => fault instanceof Error && 'syscall' in fault && faultCode(fault) !== null;

/** What is none of the files that `tocsin backup` writes. */
export function noBackup(named: string): StartError {
  return new StartError(`${named} is no backup of Tocsin: name a file that tocsin backup wrote.`);
}

function wrongPassphrase(named: string): StartError {
  return new StartError(
    `BACKUP_PASSPHRASE is not the one that ${named} was made with, or the file is damaged: set the passphrase of that backup.`,
  );
}

function damaged(named: string): StartError {
  return new StartError(`The backup ${named} is cut short or damaged: take another one, or copy it again.`);
}
