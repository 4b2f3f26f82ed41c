import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aHouse } from './rig.ts';

/* The package as others get it: packed, installed into a folder that knows nothing of this repository, used by its name. */

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const tsc = join(root, 'node_modules', '.bin', 'tsc');
/** The Node of this process, whatever the path says. */
const node = process.execPath;

let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'tocsin-client-')));
  await run('npm', ['pack', './facade/sdk', '--pack-destination', folder], { cwd: root });
  const [archive] = await readdir(folder);
  await writeFile(join(folder, 'package.json'), '{"name":"consumer","private":true,"type":"module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${archive}`], { cwd: folder });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a module in the folder and gives what it printed as JSON. */
async function runThere(source: string, env: Record<string, string>): Promise<unknown> {
  const file = join(folder, 'consumer.js');
  await writeFile(file, source);
  const { stdout } = await run(node, [file], { cwd: folder, env: { ...process.env, ...env }, timeout: 30_000 });
  return JSON.parse(stdout);
}

test('it brings nothing along: no dependency, no source, nothing of the product', async () => {
  const installed = await readdir(join(folder, 'node_modules'));
  expect(installed.filter(name => !name.startsWith('.'))).toEqual(['tocsin']);
  const own = join(folder, 'node_modules', 'tocsin');
  expect((await readdir(own)).sort()).toEqual(['README.md', 'dist', 'package.json']);
  const files = await readdir(join(own, 'dist'));
  const sources = (await readdir(join(root, 'facade', 'sdk'))).filter(name => name.endsWith('.ts'));
  const built = sources.flatMap(name => [name.replace(/ts$/, 'd.ts'), name.replace(/ts$/, 'js')]);
  expect(files.sort()).toEqual(built.sort());
  const manifest = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'));
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
    expect(manifest).not.toHaveProperty(kind);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(manifest.version).toBe(version);
});

test('plain JavaScript arms an alarm with it, hears of that, and ends when the watch is closed', async () => {
  const { owner, alarmId, url } = await aHouse();
  const said = await runThere(
    `import { createClient, UnauthorizedError } from 'tocsin/client';
    const { TOCSIN_URL: url, TOCSIN_KEY: key, ALARM: alarmId } = process.env;
    const tocsin = createClient({ url, key });
    const states = [];
    const watch = tocsin.watch({
      onState({ alarms: [alarm] }) {
        if (states.at(-1) !== alarm.state) states.push(alarm.state);
        if (alarm.state === 'night') watch.close();
      },
      onLink: status => status === 'up' && tocsin.arm(alarmId, 'night'),
    });
    const wrong = await createClient({ url, key: 'toc_wrong' }).state().catch(error => error);
    process.on('exit', () => console.log(JSON.stringify({ states, wrong: wrong instanceof UnauthorizedError })));`,
    { TOCSIN_URL: url, TOCSIN_KEY: await owner.key(), ALARM: alarmId },
  );
  expect(said).toEqual({ states: ['disarmed', 'night'], wrong: true });
});

const CONSUMER = `import { createClient, type Receipt, type TocsinError } from 'tocsin/client';
const tocsin = createClient({ url: 'https://alarm.example.com', key: 'toc_x' });
export const receipt: Promise<Receipt> = tocsin.arm('id', 'away');
export function pause(error: TocsinError): number {
  switch (error.kind) {
    case 'unavailable':
      return error.retryAfterMs ?? 1_000;
    case 'unknown_mode':
      return error.help.length;
    case 'unauthorized':
    case 'not_found':
    case 'network':
      return 0;
    case 'unexpected':
      return error.status;
  }
}
tocsin.watch({ onState: ({ alarms }) => alarms.map(({ state }) => state === 'triggered') }).close();
`;

/** Compiles strictly, the types of the package included. Gives what the compiler says. */
async function compile(name: string, source: string, lib: string): Promise<string> {
  await writeFile(join(folder, `${name}.ts`), source);
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false', '--types', ''];
  const language = ['--ignoreConfig', '--target', 'es2022', '--lib', lib, '--module', 'nodenext'];
  return run(tsc, [...options, ...language, `${name}.ts`], { cwd: folder }).then(
    () => 'fine',
    error => error.stdout,
  );
}

test.each(['es2022', 'es2022,dom'])('TypeScript with %s alone takes its types and knows its errors', async lib => {
  expect(await compile('right', CONSUMER, lib)).toBe('fine');
  expect(await compile('wrong-mode', CONSUMER.replace("'away'", "'dnd'"), lib)).toMatch(/TS2345.*"dnd"/);
  expect(await compile('wrong-field', CONSUMER.replace('error.help', 'error.hlep'), lib)).toContain('hlep');
});

test('TypeScript takes the WebSocket and the fetch of the platform and of others', async () => {
  const handed = `import { createClient } from 'tocsin/client';
export const own = createClient({ url: 'https://a.example', key: 'k', fetch, WebSocket });
class Mine extends WebSocket {}
export const mine = createClient({ url: 'https://a.example', key: 'k', WebSocket: Mine, fetch: (url, init) => fetch(url, init) });
`;
  expect(await compile('handed', handed, 'es2022,dom')).toBe('fine');
});
