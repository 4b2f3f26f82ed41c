import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cached } from '../../support/cache.ts';

const run = promisify(execFile);
const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * The version before this one, which an upgrade finds running: the last commit before the present round of work, as nothing
 * has been released yet. With each release the tag of the one before takes its place.
 */
const VERSION_BEFORE = '1c5a00e31e19fda8e99ca54a48c96a60901fcb14';

/** What a process of it is started from. */
const PARTS = ['package.json', 'proto', 'gen', 'services', 'facade'];

/**
 * Gives the folder of the version before, whole and ready to start, on the packages that this one has. Throws one sentence where
 * the history of the clone does not reach that far and cannot be fetched.
 */
export function versionBefore(): Promise<string> {
  return cached(`version-${VERSION_BEFORE.slice(0, 12)}`, async folder => {
    if (!(await isThere())) await git('fetch', '--depth', '1', 'origin', VERSION_BEFORE).catch(() => {});
    if (!(await isThere())) throw new Error(MISSING);
    const [archive, code] = [join(folder, 'version.tar'), join(folder, 'code')];
    await git('archive', '--output', archive, VERSION_BEFORE, ...PARTS);
    await mkdir(code);
    await run('tar', ['-xf', archive, '-C', code]);
    // As seen from where the cache keeps it.
    await symlink(join('..', '..', 'node_modules'), join(code, 'node_modules'));
    return code;
  });
}

function isThere(): Promise<boolean> {
  return git('cat-file', '-e', `${VERSION_BEFORE}^{commit}`).then(
    () => true,
    () => false,
  );
}

function git(...command: string[]) {
  return run('git', command, { cwd: REPOSITORY });
}

const MISSING = `The tests of upgrades start the version before (${VERSION_BEFORE}), which this clone has not got: run "git fetch --unshallow".`;
