import { chmod, cp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canEnter, type SystemUser } from '../../services/embedded/system.ts';
import { unpackedFromDebian } from './debian.ts';

/** A clock that programs read in place of the machine's, and that a test sets while they run. */
export interface FakeClock {
  /** What their environment needs beyond ours. */
  env: Record<string, string>;
  /** Lets it be ahead of the machine's clock by so many seconds from now on; negative: behind it. */
  set(seconds: number): Promise<void>;
}

/**
 * Makes a clock with Debian's libfaketime, whose setting is kept in `folder`, which `user`, who runs the programs, may
 * enter. How much time passes the programs are told as it is: nobody can set that.
 */
export async function fakeClock(folder: string, user: SystemUser | null, name: string): Promise<FakeClock> {
  const unpacked = await unpackedFromDebian('libfaketime');
  const files = await readdir(unpacked, { recursive: true });
  const library = files.find(file => file.endsWith('/libfaketimeMT.so.1'));
  if (library === undefined) throw new Error(`There is no libfaketimeMT.so.1 in ${unpacked}.`);
  let path = join(unpacked, library);
  if (user !== null && !(await canEnter(user, path))) {
    await cp(path, join(folder, 'libfaketime.so'), { dereference: true });
    path = join(folder, 'libfaketime.so');
  }
  const file = join(folder, `${name}.clock`);
  const set = async (seconds: number) => {
    await writeFile(file, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}`);
    await chmod(file, 0o644);
  };
  await set(0);
  return {
    env: {
      LD_PRELOAD: path,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    set,
  };
}
