import { execFile } from 'node:child_process';
import { access, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Apt, unpackedFromDebian } from './debian.ts';

const run = promisify(execFile);

/** The package with nothing but the browser without a window, a quarter of the whole one. */
const PACKAGE = 'chromium-headless-shell';

const ON_PATH = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

export interface Program {
  path: string;
  /** What its environment needs beyond ours. */
  env: Record<string, string>;
}

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
    const folder = await unpackedFromDebian(PACKAGE, { packages: missing });
    return { path: join(folder, 'usr', 'lib', 'chromium', PACKAGE), env: await surroundings(folder) };
  } catch (cause) {
    throw new Error(
      'The tests in a browser need Chromium, which is neither on the path nor could be had as a Debian package ' +
        `(${(cause as Error).message}). Install it and put it on the path: apt-get install chromium, ` +
        'brew install --cask chromium, or google-chrome from google.com/chrome.',
    );
  }
}

/** The package and all that an installation would bring with it: apt knows what is there already. */
async function missing(apt: Apt): Promise<string[]> {
  const plan = await apt('--simulate', '--no-install-recommends', 'install', PACKAGE);
  return [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name!);
}

/** Tells the loader of every folder with libraries, and fontconfig of its own where the machine has none. */
async function surroundings(folder: string): Promise<Record<string, string>> {
  const files = await readdir(folder, { recursive: true });
  const libraries = files.filter(file => /\.so(\.[\d.]+)?$/.test(file)).map(file => join(folder, dirname(file)));
  const fonts = join(folder, 'etc', 'fonts');
  const hasFonts = await access(fonts).then(
    () => true,
    () => false,
  );
  return { LD_LIBRARY_PATH: [...new Set(libraries)].join(':'), ...(hasFonts && { FONTCONFIG_PATH: fonts }) };
}
