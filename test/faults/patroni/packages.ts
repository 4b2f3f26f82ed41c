import { access, cp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SystemUser } from '../../../services/embedded/system.ts';
import { librariesIn, missingFor, unpackedFromDebian } from '../../support/debian.ts';
import { debianPostgres } from '../../support/postgres-program.ts';

/** Debian's Patroni, etcd and PostgreSQL, none of them installed. */
export interface Packages {
  python: string;
  patroni: string;
  etcd: string;
  /** The folder of PostgreSQL's programs. */
  postgres: string;
  /** What all of them need beyond our environment. */
  env: Record<string, string>;
}

/** What has to be there beside Patroni, which may run on several stores. */
const PACKAGES = ['patroni', 'python3-etcd', 'python3-psycopg2', 'etcd-server'];

/**
 * Unpacks them into `folder`, where `user` may get at them. `patroni`: `guarded` has the guard of 3.1.0, without which a leader
 * that stood still overwrites the key of the next one.
 */
export async function debianPatroni(
  folder: string,
  user: SystemUser | null,
  patroni: 'guarded' | 'as Debian has it',
): Promise<Packages> {
  const unpacked = await unpackedFromDebian('patroni', {
    packages: async apt => {
      const missing = await Promise.all(PACKAGES.map(name => missingFor(apt, name)));
      return [...new Set([...PACKAGES, ...missing.flat()])];
    },
  });
  const root = join(folder, 'debian');
  await cp(unpacked, root, { recursive: true, verbatimSymlinks: true });
  const modules = join(root, 'usr/lib/python3/dist-packages');
  if (patroni === 'guarded') await guard(join(modules, 'patroni/dcs/etcd3.py'));
  const [postgres, own] = [await debianPostgres(user, folder), join(root, 'usr/bin/python3')];
  const python = await access(own).then(
    () => own,
    () => '/usr/bin/python3',
  );
  return {
    python,
    patroni: join(root, 'usr/bin/patroni'),
    etcd: join(root, 'usr/bin/etcd'),
    postgres: dirname(postgres.program('postgres')),
    env: { ...(await librariesIn(root)), ...postgres.env, PYTHONPATH: modules },
  };
}

/** Where Patroni 3.0.2 puts the key of the leader, whoever has it by then. */
const OVERWRITES =
  /^( +)(self\._run_and_handle_exceptions\(self\._client\.put, self\.leader_path,\s+self\._name, self\._lease), retry=_retry\)$/m;

/** Lets a leader whose key is gone make a new one only where there is none (patroni#2689). */
async function guard(file: string): Promise<void> {
  const source = await readFile(file, 'utf8');
  if (!OVERWRITES.test(source)) throw new Error(`${file} is not that of Patroni 3.0.2.`);
  const guarded = source.replace(OVERWRITES, '$1if not $2, 0, retry=_retry):\n$1    return False');
  await writeFile(file, guarded);
}
