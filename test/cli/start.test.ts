import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { importsOf } from '../support/source-scan.ts';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

/** What a start reads before it knows which command is meant: the files of the repository, and packages. */
function readAtStart(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !file.endsWith('.ts')) return seen;
  seen.add(file);
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  // Not what is imported as types only, and not what is imported when it is needed.
  const atStart = source.replaceAll(/^import type [^;]*;/gm, '').replaceAll(/\bimport\([^)]*\)/g, 'null');
  for (const { specifier, path } of importsOf(file, atStart)) {
    if (path === null) seen.add(String(specifier));
    else readAtStart(path, seen);
  }
  return seen;
}

test('the command line loads little when it starts: no command, no protocol, no schemas', () => {
  const read = [...readAtStart('facade/cli/main.ts')];
  expect(read).toContain('commander');
  expect(read.filter(name => /^(@connectrpc|@bufbuild|zod)|^gen\/|\/commands\//.test(name))).toEqual([]);
});

test('help knows every command, though it reads none of them, and the help of one what that takes', async () => {
  const line = commandLine({});
  const { out } = await line.text('--help');
  const all = [...(await line.text('completion', 'fish')).out.matchAll(/__tocsin_path\) = '(\S+)'/g)].map(
    ([, name]) => name,
  );
  expect(all.length).toBeGreaterThan(15);
  for (const name of all) expect(out).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
  for (const asked of [
    ['help', 'alarms'],
    ['alarms', '--help'],
    ['--json', 'alarms', '--help'],
  ]) {
    expect((await line.text(...asked)).out).toMatch(/^ {2}create \[options\]/m);
  }
});

test('https to the RPC port, which speaks http, is told with what to do, and ends with 6', async () => {
  const world = await startWorld();
  const url = world.rpcUrl.replace('http:', 'https:');
  const line = commandLine({ TOCSIN_TOKEN: world.operator });
  const { exit, err } = await line.text('accounts', 'list', '--rpc-url', url);
  expect(exit).toBe(6);
  expect(err).toBe(`${url} does not speak TLS, as the RPC port never does: name it with http://.\n`);
});

test('a wrong URL is shown as it was written, a wrong token is not', async () => {
  const line = commandLine({});
  expect((await line.text('alarms', 'list', '--rpc-url', 'localhost:8081')).err).toContain('got "localhost:8081".');
  const masked = await line.text('alarms', 'list', '--rpc-url', 'http://me:hunter2@localhost:8081');
  expect(masked.err).toContain('got "http://…@localhost:8081".');
  expect((await line.text('alarms', 'list', '--token', 'hunter 2')).err).toContain('got 8 characters.');
});

test('a name that is nearly right gets the right one proposed, and never one of another account', async () => {
  const world = await startWorld();
  const operator = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator });
  const account = async (name: string) => {
    const { json } = await operator.json('accounts', 'create', '--name', name);
    return commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: json.token });
  };
  const [owner, neighbour] = [await account('An owner'), await account('A neighbour')];
  await owner.json('locations', 'create', '--name', 'Home');
  await owner.json('contacts', 'create', '--name', 'Anna', '--email', 'anna@example.com');
  await owner.json('policies', 'create', '--name', 'Family', '--step', '0s anna:email');
  await owner.json('alarms', 'create', '--name', 'The Elms', '--location', 'home');
  await owner.json('panic-buttons', 'create', '--name', 'Bedside', '--location', 'home', '--response', 'fire');
  const cases: [argv: string[], meant: string][] = [
    [['alarms', 'show', 'the-elm'], 'the-elms'],
    [['alarms', 'update', 'The Elms', '--name', 'House'], 'the-elms'],
    [['contacts', 'delete', 'ana', '--yes'], 'anna'],
    [['policies', 'show', 'familly'], 'family'],
    [['locations', 'show', 'hom'], 'home'],
    [['preview', 'the-elmss'], 'the-elms'],
    [['readiness', 'bedsid'], 'bedside'],
    [['alarms', 'list', '--location', 'hoem'], 'home'],
    [['drill', 'anan', 'email'], 'anna'],
    [['incidents', 'show', 'bedsde'], 'bedside'],
    [['calls', 'list', '--source', 'the-elm'], 'the-elms'],
  ];
  for (const [argv, meant] of cases) {
    const { exit, err } = await owner.text(...argv);
    expect({ argv, exit, err }).toEqual({ argv, exit: 3, err: expect.stringMatching(`did you mean "?${meant}"?\\?`) });
    const theirs = await neighbour.text(...argv);
    expect([argv, theirs.exit, theirs.err]).toEqual([argv, 3, expect.not.stringContaining('did you mean')]);
  }
  const bound = await owner.text('alarms', 'update', 'the-elms', '--mode', 'away:policy=famly');
  expect([bound.exit, bound.err]).toEqual([2, expect.stringContaining('Did you mean "family"?')]);
});
