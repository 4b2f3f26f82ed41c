import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anOpenIncident, snippet } from '../support/services-page.ts';
import { startWorld } from '../support/world.ts';
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

test('the package brings nothing along: no dependency, no source, nothing of the product but what is made from the protos', async () => {
  const installed = await readdir(join(folder, 'node_modules'));
  expect(installed.filter(name => !name.startsWith('.'))).toEqual(['tocsin']);
  const own = join(folder, 'node_modules', 'tocsin');
  expect((await readdir(own)).sort()).toEqual(['README.md', 'dist', 'package.json']);
  const files = await readdir(join(own, 'dist'));
  const sources = (await readdir(join(root, 'facade', 'sdk'))).filter(name => name.endsWith('.ts'));
  const built = sources.flatMap(name => [name.replace(/ts$/, 'd.ts'), name.replace(/ts$/, 'js')]);
  expect(files.sort()).toEqual([...built, 'rpc'].sort());
  const contracts = await readdir(join(own, 'dist', 'rpc'), { recursive: true });
  expect(contracts.filter(name => name.includes('.') && !/(_pb|index)\.(js|d\.ts)$/.test(name))).toEqual([]);
  expect(contracts.filter(name => name.includes('internal'))).toEqual([]);
  const manifest = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'));
  for (const kind of ['dependencies', 'optionalDependencies']) expect(manifest).not.toHaveProperty(kind);
  // Whoever takes tocsin/rpc has it already.
  expect(Object.keys(manifest.peerDependencies)).toEqual(['@bufbuild/protobuf']);
  expect(manifest.peerDependenciesMeta).toEqual({ '@bufbuild/protobuf': { optional: true } });
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

describe('tocsin/rpc', () => {
  /** What its README asks for beside it, as this repository has it. */
  beforeAll(async () => {
    for (const scope of ['@bufbuild', '@connectrpc']) {
      await symlink(join(root, 'node_modules', scope), join(folder, 'node_modules', scope));
    }
  });

  test('makes typed calls of every package of the protos', async () => {
    const source = `import { createClient, type Transport } from '@connectrpc/connect';
import { alarm_v1, common_v1, console_v1, grpc_health_v1, incident_v1, inventory_v1 } from 'tocsin/rpc';
declare const transport: Transport;
export const incidents = await createClient(incident_v1.IncidentService, transport).listIncidents({ pageSize: 5 });
export const names: string[] = incidents.incidents.map(({ sourceName }) => sourceName);
export const services = [alarm_v1.AlarmService, console_v1.AlarmService, inventory_v1.InventoryService, grpc_health_v1.Health];
export const refusal: common_v1.Refusal | null = null;
`;
    expect(await compile('rpc', source, 'es2022,dom')).toBe('fine');
    expect(await compile('wrong-rpc', source.replace('pageSize', 'pagesize'), 'es2022,dom')).toContain('pagesize');
  });

  test('is what the page for services shows for Node, and lists what is open', async () => {
    const world = await startWorld();
    const { token, sourceName } = await anOpenIncident(world);
    await writeFile(join(folder, 'page.js'), snippet('js', world));
    const { stdout } = await run(node, ['page.js'], { cwd: folder, env: { ...process.env, TOCSIN_TOKEN: token } });
    expect(stdout).toBe(`${sourceName} nobody_to_alert\n`);
  });
});
