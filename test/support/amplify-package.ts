import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cached } from './cache.ts';

const run = promisify(execFile);

const VERSION = '6.22.1';

/**
 * What aws-amplify brings along and its events client never loads. Without it the installation takes half the time and less
 * than half the space (6 s in place of 11 s, 46 MB in place of 113 MB), and what runs is the same code.
 */
const UNUSED = ['analytics', 'datastore', 'notifications', 'storage'].map(name => `@aws-amplify/${name}`);

/**
 * Gives a folder in which a program may import aws-amplify as npm has it. It is no dependency of this package: it would be by
 * far the largest one, for a single test, and everybody's `npm ci` would wait for it. Where it cannot be had, one sentence says
 * what to do.
 */
export async function amplifyPackage(): Promise<string> {
  return cached(`aws-amplify-${VERSION}`, async folder => {
    const nothing = join(folder, 'nothing');
    await mkdir(nothing);
    await writeFile(join(nothing, 'package.json'), JSON.stringify({ name: 'nothing', version: '1.0.0' }));
    const overrides = Object.fromEntries(UNUSED.map(name => [name, 'file:nothing']));
    const manifest = { private: true, dependencies: { 'aws-amplify': VERSION }, overrides };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    const how = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    try {
      await run('npm', ['install', ...how], { cwd: folder, timeout: 240_000 });
    } catch (cause) {
      throw new Error(
        `The tests with the aws-amplify client need aws-amplify ${VERSION} from npm, which could not be installed ` +
          `(${reason(cause)}). See that \`npm view aws-amplify@${VERSION} version\` answers here and run them again, or ` +
          `copy the folder .cache/aws-amplify-${VERSION} from where they have run.`,
      );
    }
    return folder;
  });
}

/** What npm said first that is not just a code, without the heap behind it. */
function reason(cause: unknown): string {
  const text = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : '';
  const said = [...text.matchAll(/^npm error (?!code |errno |syscall )(.+)$/gm)];
  return said[0]?.[1] ?? String(cause).trim().split('\n')[0]!;
}
