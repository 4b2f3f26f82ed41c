import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { commandLine } from './command-line.ts';

/** What bash proposes behind these words, the last of which is being typed. */
async function proposed(script: string, ...words: string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-completion-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'tocsin.bash');
  await writeFile(path, script);
  const run = `source "$0"; COMP_WORDS=(tocsin "$@"); COMP_CWORD=$#; _tocsin; printf "%s\\n" "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', run, path, ...words]);
  return stdout.split('\n').filter(line => line !== '');
}

test('bash completes commands, what they have below them, and their flags', async () => {
  const { exit, out } = await commandLine({}).text('completion', 'bash');
  expect(exit).toBe(0);
  expect(await proposed(out, 'al')).toEqual(['alarms']);
  expect(await proposed(out, 'alarms', 'cr')).toEqual(['create']);
  expect(await proposed(out, 'alarms', 'create', '--loc')).toEqual(['--location']);
  // Flags and their values between the commands lead nowhere else.
  expect(await proposed(out, '--json', 'panic-buttons', 'de')).toEqual(['delete']);
  expect(await proposed(out, 'alarms', 'show', 'house', '--j')).toEqual(['--json']);
});

test('zsh and fish get the same, in their own way; another shell is told what there is', async () => {
  const line = commandLine({});
  expect((await line.text('completion', 'zsh')).out).toMatch(/^#compdef tocsin\n.*bashcompinit\n_tocsin\(\) \{/s);
  expect((await line.text('completion', 'fish')).out).toMatch(
    /^complete -c tocsin -n "test \(__tocsin_path\) = 'alarms'" -a 'create [a-z ]*--json --help'$/m,
  );
  const { exit, err } = await line.text('completion', 'tcsh');
  expect([exit, err]).toEqual([2, expect.stringContaining('It takes bash, zsh, fish.')]);
});
