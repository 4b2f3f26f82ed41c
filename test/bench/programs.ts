import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cached } from '../support/cache.ts';
import { librariesIn, missingFor, type Program, unpackedFromDebian } from '../support/debian.ts';

/*
 * The programs that the bench measures with or compares to: what is on the path, else Debian's package, unpacked and not
 * installed. Each throws apt's last words where it cannot be had.
 */

/** Gives wrk, the load generator. */
export async function wrkProgram(): Promise<Program> {
  if (await answers('wrk', '--version', /^wrk /)) return { path: 'wrk', env: {} };
  const folder = await unpackedFromDebian('wrk', { packages: apt => missingFor(apt, 'wrk') });
  return { path: join(folder, 'usr', 'bin', 'wrk'), env: await librariesIn(folder) };
}

/** Gives pgbench, of whatever major version the distribution has: it measures servers of every other. */
export async function pgbenchProgram(): Promise<Program> {
  if (await answers('pgbench', '--version', /^pgbench /)) return { path: 'pgbench', env: {} };
  const folder = await unpackedFromDebian('pgbench', {
    packages: async apt => [
      ...(await missingFor(apt, 'postgresql')).filter(name => /^postgresql-\d+$/.test(name)),
      ...(await missingFor(apt, 'libpq5')),
    ],
  });
  const found = (await readdir(folder, { recursive: true })).find(file => file.endsWith('/bin/pgbench'));
  if (found === undefined) throw new Error("Debian's package of PostgreSQL holds no pgbench.");
  return { path: join(folder, found), env: await librariesIn(folder) };
}

/** Gives Prometheus Alertmanager and the folder to start it in. */
export async function alertmanagerProgram(): Promise<Program & { folder: string }> {
  const name = 'prometheus-alertmanager';
  for (const path of [name, 'alertmanager']) {
    if (await answers(path, '--version', /^alertmanager, /)) return { path, env: {}, folder: tmpdir() };
  }
  const unpacked = await unpackedFromDebian(name);
  const path = await cached(`${name}-anywhere`, async folder => {
    const program = await readFile(join(unpacked, 'usr', 'bin', name));
    const made = join(folder, name);
    await writeFile(made, anywhere(program, TEMPLATES), { mode: 0o755 });
    return made;
  });
  return { path, env: {}, folder: join(unpacked, TEMPLATES) };
}

/** Where Debian's Alertmanager looks for its templates: it does not start without them, and no setting says otherwise. */
const TEMPLATES = '/usr/share/prometheus/alertmanager';

/** The same program, looking in the folder that it is started in: a path of the same length stands in the place of this one. */
function anywhere(program: Buffer, path: string): Buffer {
  const here = '/proc/self/cwd/'.padEnd(path.length, './');
  const changed = Buffer.from(program);
  for (let at = changed.indexOf(path); at !== -1; at = changed.indexOf(path, at + 1)) changed.write(here, at, 'latin1');
  return changed;
}

/** Whether a program on the path says what it is; with which exit code does not matter, wrk's is 1. */
async function answers(program: string, flag: string, says: RegExp): Promise<boolean> {
  const { stdout, stderr } = await promisify(execFile)(program, [flag], { timeout: 20_000 }).catch(fault => fault);
  return says.test(stdout ?? '') || says.test(stderr ?? '');
}
