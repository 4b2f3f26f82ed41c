import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Decrypter } from 'age-encryption';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkBackup, writeColumns, writeEnding, writeManifest, writeRows } from '../../services/backup/content.ts';
import { createWriter } from '../../services/backup/file.ts';
import { parentsFirst } from '../../services/backup/tables.ts';

const PASSPHRASE = 'correct horse battery';

/** How much is sealed at a time. */
const CHUNK = 64 * 1024 + 16;

/** A file in a folder that is gone with the test. */
async function aFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-backup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'a.backup');
}

/** A backup of two tables. */
async function aBackup({ counted = 3 } = {}): Promise<string> {
  const path = await aFile();
  await using file = await open(path, 'w');
  await using writer = await createWriter(file, PASSPHRASE);
  await writeManifest(writer, { at: '2026-11-23T00:00:00Z', version: '0.1.0', migrations: ['first'], secrets: {} });
  await writeColumns(writer, { name: 'account', columns: ['id', 'note'] });
  await writeRows(writer, 'account', 1, Buffer.from(`one\t${NOISE}\ntw`));
  await writeRows(writer, 'account', 2, Buffer.from('o\t\nthree\t\n'));
  await writeColumns(writer, { name: 'location', columns: ['id'] });
  await writeEnding(writer, { rows: { account: counted, location: 0 }, sequences: { a_seq: '7' } });
  return path;
}

/** What no compression makes smaller, so that the file is of several chunks. */
const NOISE = randomBytes(4 * CHUNK).toString('base64');

/** A file whose disk takes so many bytes. */
function withRoom(file: FileHandle, room: number, refusal: Error): FileHandle {
  let left = room;
  const writeFile = async (bytes: Uint8Array) => {
    left -= bytes.byteLength;
    // A disk takes its time to refuse.
    await setImmediate();
    if (left < 0) throw refusal;
  };
  return Object.assign(Object.create(file), { writeFile }) as FileHandle;
}

const refusalOf = (path: string, passphrase = PASSPHRASE) =>
  checkBackup(path, passphrase).then(
    () => 'accepted',
    (fault: Error) => `${fault.name}: ${fault.message}`,
  );

/** The chunks of an encrypted file, behind its header and nonce. */
function chunksOf(bytes: Buffer): { head: Buffer; chunks: Buffer[] } {
  const from = bytes.indexOf('\n', bytes.indexOf('\n---') + 1) + 1 + 16;
  const chunks: Buffer[] = [];
  for (let at = from; at < bytes.length; at += CHUNK) chunks.push(bytes.subarray(at, at + CHUNK));
  return { head: bytes.subarray(0, from), chunks };
}

describe('the file of a backup', () => {
  test('holds what was written, rows counted wherever they were cut, and nothing of it can be read', async () => {
    const path = await aBackup();
    const checked = await checkBackup(path, PASSPHRASE);
    expect(checked).toMatchObject({
      manifest: { migrations: ['first'] },
      rows: 3,
      ending: { sequences: { a_seq: '7' } },
    });
    expect((await readFile(path)).toString('latin1')).not.toMatch(/account|location|first/);
  });

  test('with another passphrase is refused', async () => {
    expect(await refusalOf(await aBackup(), 'another passphrase')).toMatch(
      /^StartError: BACKUP_PASSPHRASE is not the one/,
    );
  });

  test('is refused wherever it is cut short: within a chunk, and between any two', async () => {
    const path = await aBackup();
    const bytes = await readFile(path);
    const { head, chunks } = chunksOf(bytes);
    expect(chunks.length).toBeGreaterThan(4);
    const lengths = [head.length, head.length + CHUNK, head.length + 3 * CHUNK, head.length + 2 * CHUNK + 9];
    for (const length of [...lengths, bytes.length - 1]) {
      await writeFile(path, bytes.subarray(0, length));
      expect(await refusalOf(path), `${length} bytes`).toMatch(/^StartError: The backup ".*" is cut short or damaged/);
    }
  });

  test('is refused with any byte altered, chunks exchanged, one left out, or something behind its end', async () => {
    const path = await aBackup();
    const bytes = await readFile(path);
    const { head, chunks } = chunksOf(bytes);
    const [first, second, ...others] = chunks as [Buffer, Buffer, ...Buffer[]];
    const altered = [head.length - 17, head.length - 1, head.length + CHUNK + 5, bytes.length - 1].map(at => {
      const copy = Buffer.from(bytes);
      copy[at]! ^= 1;
      return copy;
    });
    const wrong = [
      Buffer.concat([head, second, first, ...others]),
      Buffer.concat([head, first, ...others]),
      Buffer.concat([bytes, others.at(-1)!]),
      Buffer.concat([bytes, Buffer.from('x')]),
    ];
    for (const damaged of [...altered, ...wrong]) {
      await writeFile(path, damaged);
      expect(await refusalOf(path)).toMatch(/^StartError: .*damaged/);
    }
  });

  test('that does not hold the rows that it says is refused, and so is a file that is none', async () => {
    expect(await refusalOf(await aBackup({ counted: 4 }))).toMatch(/does not hold what it says/);
    const path = await aFile();
    for (const other of ['', 'PGDMP\n', '{"format":"other"}\n']) {
      await writeFile(path, other);
      expect(await refusalOf(path)).toMatch(/^StartError: ".*" is no backup of Tocsin/);
    }
    const holding = async (name: string, content: string) => {
      await using file = await open(path, 'w');
      await using writer = await createWriter(file, PASSPHRASE);
      await writer.write(name, Buffer.from(content));
      await writer.end();
      return refusalOf(path);
    };
    expect(await holding('notes.txt', 'mine')).toMatch(/^StartError: ".*" is no backup of Tocsin/);
    for (const foreign of ['mine', 'null', '{"name":"mine"}']) {
      expect(await holding('manifest.json', foreign)).toMatch(/^StartError: ".*" is no backup of Tocsin/);
    }
    expect(await holding('manifest.json', '{"format":2}')).toMatch(/made by a newer Tocsin/);
  });

  test('on a disk that is full fails with what the disk said, whatever was being written just then', async () => {
    const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
    // Of small entries one is between two of them when the disk refuses, of large ones within one.
    for (const size of [1_000, 100_000, 2_000_000]) {
      for (const room of [0, 70_000, 500_000]) {
        await using file = await open(await aFile(), 'w');
        await using writer = await createWriter(withRoom(file, room, full), PASSPHRASE);
        const filling = async () => {
          for (let n = 0; ; n++) {
            await writer.write(`${n}`, randomBytes(size));
            // The rows that come next are still being read.
            for (let turn = 0; turn < 20; turn++) await setImmediate();
          }
        };
        await expect(filling(), `${size} bytes at a time, room for ${room}`).rejects.toBe(full);
      }
    }
  });

  test('is opened without Tocsin, by what opens any file of age and any tar (facade/docs/backup.md)', async () => {
    const decrypter = new Decrypter();
    decrypter.addPassphrase(PASSPHRASE);
    const zipped = await decrypter.decrypt(await readFile(await aBackup()));
    const folder = await mkdtemp(join(tmpdir(), 'tocsin-opened-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    execFileSync('tar', ['-xz', '-C', folder], { input: zipped });
    const text = (name: string) => readFile(join(folder, name), 'utf8');
    expect(JSON.parse(await text('tables/account/columns.json'))).toEqual(['id', 'note']);
    const rows = `${await text('tables/account/000001.copy')}${await text('tables/account/000002.copy')}`;
    expect(rows).toBe(`one\t${NOISE}\ntwo\t\nthree\t\n`);
    expect(JSON.parse(await text('ending.json'))).toMatchObject({ rows: { account: 3, location: 0 } });
  });
});

test('tables stand after those that they refer to, in a ring too', () => {
  const names = ['a', 'b', 'c', 'd'];
  const references = [
    ['a', 'c'],
    ['c', 'd'],
    ['b', 'b'],
  ] as const;
  expect(parentsFirst(names, references)).toEqual(['d', 'c', 'a', 'b']);
  expect(
    parentsFirst(
      ['a', 'b'],
      [
        ['a', 'b'],
        ['b', 'a'],
      ],
    ),
  ).toEqual(['b', 'a']);
});
