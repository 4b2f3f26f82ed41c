import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

test('the folder proto compiles by itself, without this repository and without anything from outside', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-proto-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(root, 'proto'), join(folder, 'proto'), { recursive: true });
  const out = join(folder, 'all.binpb');
  execFileSync(join(root, 'node_modules/.bin/buf'), ['build', '--as-file-descriptor-set', '-o', out], {
    cwd: join(folder, 'proto'),
    // Nothing can be fetched, and nothing that was fetched before helps.
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      https_proxy: 'http://127.0.0.1:9',
      BUF_CACHE_DIR: join(folder, 'cache'),
    },
    stdio: 'pipe',
  });
  const compiled = fromBinary(FileDescriptorSetSchema, readFileSync(out)).file.map(({ name }) => name);
  const sources = readdirSync(join(root, 'proto'), { recursive: true, encoding: 'utf8' });
  expect(compiled).toEqual(expect.arrayContaining(sources.filter(name => name.endsWith('.proto'))));
});

test('what callers stand on is held: a field may come, and none may change its name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-wire-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(root, 'proto'), join(folder, 'proto'), { recursive: true });
  cpSync(join(root, 'buf.yaml'), join(folder, 'buf.yaml'));
  const alarm = join(folder, 'proto/tocsin/alarm/v1/alarm.proto');
  const before = readFileSync(alarm, 'utf8');
  // As npm run check does, without the history of the repository and without anything from outside.
  const judge = (text: string) => {
    writeFileSync(alarm, text);
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/buf'), ['breaking', '--against', 'proto/wire.binpb'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, https_proxy: 'http://127.0.0.1:9' },
      encoding: 'utf8',
    });
    return stdout;
  };
  expect(judge(before)).toBe('');
  expect(judge(before.replace('string panic_id = 1;', 'string panic_id = 1;\n  string more = 2;'))).toBe('');
  expect(judge(before.replace('string panic_id = 1;', 'string button_id = 1;'))).toContain(
    'changed name from "panic_id" to "button_id"',
  );
});

test('what is copied from elsewhere has its licence beside it', () => {
  expect(readFileSync(join(root, 'proto/google/LICENSE'), 'utf8')).toContain('Apache License');
  for (const file of ['annotations', 'http']) {
    expect(readFileSync(join(root, `proto/google/api/${file}.proto`), 'utf8')).toContain(
      'Licensed under the Apache License',
    );
  }
  expect(existsSync(join(root, 'proto/google/protobuf'))).toBe(false);
});
