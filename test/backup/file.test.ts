import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkBackup, json } from '../../services/backup/content.ts';
import { createWriter } from '../../services/backup/file.ts';
import { parentsFirst } from '../../services/backup/tables.ts';

const PASSPHRASE = 'correct horse battery';

/** A backup of two tables in a folder that is gone with the test. */
async function aBackup({ counted = 3 } = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-backup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'a.backup');
  await using file = await open(path, 'w');
  const writer = await createWriter(file, PASSPHRASE);
  const manifest = { at: '2026-11-23T00:00:00Z', version: '0.1.0', migrations: ['first'], secrets: {} };
  await writer.write('json', json(manifest));
  await writer.write('json', json({ table: 'account', columns: ['id'] }));
  await writer.write('rows', Buffer.from('one\ntw'));
  await writer.write('rows', Buffer.from('o\nthree\n'));
  await writer.write('json', json({ table: 'location', columns: ['id'] }));
  await writer.end(json({ rows: { account: counted, location: 0 }, sequences: { a_seq: '7' } }));
  return path;
}

const refusalOf = (path: string, passphrase = PASSPHRASE) =>
  checkBackup(path, passphrase).then(
    () => 'accepted',
    (fault: Error) => `${fault.name}: ${fault.message}`,
  );

/** Where each block begins, and where the file ends. */
function bordersOf(bytes: Buffer): number[] {
  const borders = [bytes.indexOf('\n') + 1];
  while (borders.at(-1)! < bytes.length) borders.push(borders.at(-1)! + 4 + bytes.readUInt32BE(borders.at(-1)!));
  return borders;
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

  test('is refused wherever it is cut short: within a block, and between any two', async () => {
    const path = await aBackup();
    const bytes = await readFile(path);
    const borders = bordersOf(bytes).slice(0, -1);
    expect(borders.length).toBe(6);
    for (const length of [borders[0], borders[3], borders[2]! + 2, borders.at(-1), bytes.length - 1]) {
      await writeFile(path, bytes.subarray(0, length));
      expect(await refusalOf(path), `${length} bytes`).toMatch(/^StartError: The backup ".*" is cut short/);
    }
  });

  test('is refused with any byte altered, blocks exchanged, one left out, or something behind its end', async () => {
    const path = await aBackup();
    const bytes = await readFile(path);
    const borders = bordersOf(bytes);
    const block = (number: number) => bytes.subarray(borders[number], borders[number + 1]);
    const head = bytes.subarray(0, borders[0]);
    const altered = [borders[2]!, borders.at(-1)!].map(border => {
      const copy = Buffer.from(bytes);
      copy[border - 1]! ^= 1;
      return copy;
    });
    const others = [
      Buffer.concat([head, block(0), block(2), block(1), block(3), block(4), block(5)]),
      Buffer.concat([head, block(0), block(1), block(2), block(4), block(5)]),
      Buffer.concat([bytes, block(5)]),
      Buffer.concat([bytes, Buffer.from('x')]),
    ];
    for (const wrong of [...altered, ...others]) {
      await writeFile(path, wrong);
      expect(await refusalOf(path)).toMatch(/^StartError: .*damaged/);
    }
  });

  test('that does not hold the rows that it says is refused, and so is a file that is none', async () => {
    expect(await refusalOf(await aBackup({ counted: 4 }))).toMatch(/does not hold what it says/);
    const path = await aBackup();
    for (const other of ['', 'PGDMP\n', '{"format":"other"}\n']) {
      await writeFile(path, other);
      expect(await refusalOf(path)).toMatch(/^StartError: ".*" is no backup of Tocsin/);
    }
    await writeFile(path, '{"format":"tocsin-backup","version":2,"salt":""}\n');
    expect(await refusalOf(path)).toMatch(/made by a newer Tocsin/);
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
