import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { exportOfPath } from '../../services/process/command-line.ts';

const run = promisify(execFile);
const BIN = fileURLToPath(new URL('../../facade/cli/bin/tocsin', import.meta.url));

async function emptyFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tocsin-way-in-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** A folder of programs: node, npm and npx that only say that they were asked. */
async function asked(): Promise<{ PATH: string }> {
  const folder = await emptyFolder();
  for (const name of ['node', 'npm', 'npx']) {
    await writeFile(join(folder, name), `#!/bin/sh\necho "${name} was asked"\nexit 99\n`);
    await chmod(join(folder, name), 0o755);
  }
  return { PATH: `${folder}:/usr/bin:/bin` };
}

test('after the printed line tocsin runs in any folder, and asks neither npm nor the Node of the machine', async () => {
  const cwd = await emptyFolder();
  const env = await asked();
  const { stdout } = await run('sh', ['-c', `${exportOfPath(env)}\ntocsin --version`], { cwd, env });
  expect(stdout).toBe(`${pkg.version}\n`);
  expect(exportOfPath({ PATH: `/usr/bin:${dirname(BIN)}` })).toBeNull();
});

test('tocsin also runs through a link, as npm link makes one', async () => {
  const folder = await emptyFolder();
  await symlink(BIN, join(folder, 'one'));
  await symlink('one', join(folder, 'two'));
  expect((await run(join(folder, 'two'), ['--version'], { cwd: folder, env: await asked() })).stdout).toBe(
    `${pkg.version}\n`,
  );
});

test('what the name of a folder holds changes nothing, and before npm ci it says what to do', async () => {
  const folder = join(await emptyFolder(), 'my "$HOME" `tocsin`');
  const bin = join(folder, 'facade/cli/bin');
  await mkdir(bin, { recursive: true });
  await cp(BIN, join(bin, 'tocsin'));
  const env = await asked();
  await expect(run('sh', ['-c', `${exportOfPath(env, bin)}\ntocsin --version`], { env })).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: `tocsin is not installed yet: run npm ci in ${folder} (install scripts allowed), then try again.\n`,
  });
});

test('the package is private and has a scope: nothing of its name can be published or taken by mistake', () => {
  expect(pkg).toMatchObject({ name: '@tocsin/tocsin', private: true, bin: { tocsin: 'facade/cli/bin/tocsin' } });
});
