import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isRoot, run } from '../../services/embedded/system.ts';
import { eventually } from './wait.ts';

/** A disk of its own, with a file system as servers have it, whose power can be cut. */
export interface Disk {
  /** A folder on it. */
  folder: string;
  /**
   * Takes its power away: from now on it neither writes nor reads, and what was not synced is forgotten. Whoever uses it has to
   * be killed then.
   */
  cutPower(): Promise<void>;
  /** Gives it its power back, once nobody uses it any more: its file system recovers from its journal, as after any power cut. */
  restorePower(): Promise<void>;
}

/**
 * Makes ext4 in a file, mounted over a loop device. It ends with the test. Throws where the machine lets nobody mount: it takes
 * root, or sudo without a password.
 */
export async function startDisk(megabytes: number): Promise<Disk> {
  const place = await mkdtemp(join(tmpdir(), 'tocsin-disk-'));
  const [file, at] = [join(place, 'disk'), join(place, 'at')];
  await mkdir(at);
  onTestFinished(async () => {
    await unmount(at).catch(() => {});
    await rm(place, { recursive: true, force: true });
  });
  const mount = () => asRoot('mount', '-o', 'loop', file, at);
  await run('truncate', ['-s', `${megabytes}M`, file], null, place);
  await run('/usr/sbin/mkfs.ext4', ['-q', '-F', file], null, place);
  await run('chmod', ['755', place], null, place);
  await mount();
  const folder = join(at, 'data');
  await asRoot('install', '-d', '-m', '755', '-o', String(process.getuid?.()), folder);
  return {
    folder,
    cutPower: () => asRoot('perl', '-e', SHUTDOWN, at),
    async restorePower() {
      await unmount(at);
      await mount();
    },
  };
}

/** EXT4_IOC_SHUTDOWN (linux/fs/ext4/ext4.h) without a last flush of the journal, which no program brings along. */
const SHUTDOWN =
  'open(my $at, "<", $ARGV[0]) or die $!; my $flags = pack("L", 2); ioctl($at, 0x8004587d, $flags) or die $!';

/** The children of a killed server end a moment after it, and hold the disk until then. */
async function unmount(at: string): Promise<void> {
  await eventually(() => asRoot('umount', at).then(() => true), { what: `nobody to use ${at}` });
}

async function asRoot(...command: string[]): Promise<void> {
  const [program, ...args] = [...(isRoot() ? [] : ['sudo', '-n']), ...command];
  await run(program!, args, null, '/');
}
