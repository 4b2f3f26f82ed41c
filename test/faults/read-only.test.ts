import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { emptyFolder } from './embedded-rig.ts';
import { call, startProduct } from './product.ts';

vi.setConfig({ testTimeout: 90_000 });

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What an installation holds; tools of the tests keep their caches in hidden folders of node_modules. */
const INSTALLED = ['services', 'facade', 'gen', 'proto', 'node_modules', 'package.json'];

/** Every file of the installation that was made, written or given other rights since, in milliseconds since 1970. */
function touchedSince(since: number): string[] {
  const paths = INSTALLED.flatMap(name => [
    name,
    ...(statSync(join(root, name)).isDirectory()
      ? readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).map(path => join(name, path))
      : []),
  ]);
  return paths.filter(path => {
    if (/^node_modules(\/\.|$)/.test(path)) return false;
    const found = statSync(join(root, path), { throwIfNoEntry: false });
    return found !== undefined && found.ctimeMs > since;
  });
}

test('nothing of the installation is written while it runs, so that its disk may be read-only', async () => {
  // Times of files are coarser than the clock.
  const since = Date.now() + 50;
  const product = startProduct({ DATA_DIR: await emptyFolder() });
  const ready = await product.ready();
  expect(await call(ready, 'integration/state')).toBe(200);
  // The console is built when somebody asks for it first, and so are the pages.
  for (const path of ['/', '/docs', '/docs/live.js', '/docs/run/tocsin.service']) {
    expect((await fetch(ready.http + path)).status, path).toBe(200);
  }
  product.signal('SIGTERM');
  expect(await product.ended()).toBe(0);
  expect(touchedSince(since)).toEqual([]);
});
