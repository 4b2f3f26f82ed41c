import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What build.ts makes: the names that the shell of the page needs, and all files. */
export interface Bundle {
  script: string;
  /** What the script cannot start without. */
  imports: string[];
  style: string;
  files: BuiltFile[];
}

/** A file in base64: as it is, and compressed once for all who take that. */
export interface BuiltFile {
  /** With a hash of its content. */
  name: string;
  plain: string;
  gzip: string;
  br: string;
}

const BUILD = join(import.meta.dirname, 'build.ts');

/** More than the console will ever be, in bytes. */
const BUNDLE_MOST = 32 * 1024 * 1024;

/** Builds the console in a process of its own, about a second's work. Rejects where it cannot be built. */
export async function buildConsole(): Promise<Bundle> {
  const { stdout } = await promisify(execFile)(process.execPath, [BUILD], { maxBuffer: BUNDLE_MOST });
  return JSON.parse(stdout) as Bundle;
}
