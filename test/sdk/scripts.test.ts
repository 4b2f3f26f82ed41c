import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startRig } from '../realtime/rig.ts';

const run = promisify(execFile);

/* The scripts that the facade serves for the live page. */

test('they are JavaScript made of the client as it is', async () => {
  const { url } = await startRig();
  const sources = (await readdir(new URL('../../facade/sdk', import.meta.url))).filter(name => name.endsWith('.ts'));
  const paths = ['/docs/live.js', ...sources.map(name => `/docs/client/${name.replace(/ts$/, 'js')}`)];
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) {
    const response = await fetch(url + path);
    expect(response.status, path).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const text = await response.text();
    expect(text, path).not.toMatch(/\.ts'|^(export )?interface /m);
    for (const [, imported] of text.matchAll(/from '([^']+)'/g)) {
      expect(paths).toContain(new URL(imported!, url + path).pathname);
    }
    expect((await fetch(url + path, { method: 'HEAD' })).status).toBe(200);
  }
});

/** A facade's process, as far as this goes. */
const SERVES = `
  import { fastify } from 'fastify';
  import { registerScripts } from './facade/docs.ts';
  const app = fastify();
  registerScripts(app);
  const { statusCode } = await app.inject('/docs/client/client.js');
  process.emitWarning('something else');
  console.log(statusCode);`;

test('nothing is said on stderr about how they are made, and other warnings still are', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', SERVES], { cwd: root });
  expect(stdout).toBe('200\n');
  expect(stderr).toMatch(/^\(node:\d+\) Warning: something else\n\(Use `node --trace-warnings[^\n]*\n$/);
});

test.each([
  '/docs/client/package.json',
  '/docs/client/client.ts',
  '/docs/client/..%2fapp.js',
  '/docs/client/',
])('nothing else is served from there: %s', async path => {
  const { url } = await startRig();
  expect((await fetch(url + path)).status).toBe(404);
});
