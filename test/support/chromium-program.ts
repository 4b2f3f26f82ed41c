import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { librariesIn, missingFor, type Program, unpackedFromDebian } from './debian.ts';

const run = promisify(execFile);

/** The package with nothing but the browser without a window, a quarter of the whole one. */
const PACKAGE = 'chromium-headless-shell';

const ON_PATH = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/**
 * Gives the Chromium to start: one on the path, else Debian's package with the libraries that this machine lacks. Where neither
 * can be had, one sentence says how to get it.
 */
export async function chromiumProgram(): Promise<Program> {
  for (const name of ON_PATH) {
    const works = await run(name, ['--version'], { timeout: 20_000 }).then(
      () => true,
      () => false,
    );
    if (works) return { path: name, env: {} };
  }
  try {
    const folder = await unpackedFromDebian(PACKAGE, { packages: apt => missingFor(apt, PACKAGE) });
    return { path: join(folder, 'usr', 'lib', 'chromium', PACKAGE), env: await surroundings(folder) };
  } catch (cause) {
    throw new Error(
      'The tests in a browser need Chromium, which is neither on the path nor could be had as a Debian package ' +
        `(${(cause as Error).message}). Install it and put it on the path: apt-get install chromium, ` +
        'brew install --cask chromium, or google-chrome from google.com/chrome.',
    );
  }
}

/** Its libraries, and fontconfig of its own where the machine has none. */
async function surroundings(folder: string): Promise<Record<string, string>> {
  const fonts = join(folder, 'etc', 'fonts');
  const hasFonts = await access(fonts).then(
    () => true,
    () => false,
  );
  return { ...(await librariesIn(folder)), ...(hasFonts && { FONTCONFIG_PATH: fonts }) };
}
