import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { librariesIn, missingFor, type Program, unpackedFromDebian } from './debian.ts';

const run = promisify(execFile);

/** Gives a Python that has grpcio: the one on the path, else Debian's with its package, unpacked into the cache folder. */
export async function pythonWithGrpc(): Promise<Program> {
  const works = await run('python3', ['-c', 'import grpc, google.protobuf'], { timeout: 20_000 }).then(
    () => true,
    () => false,
  );
  if (works) return { path: 'python3', env: {} };
  const folder = await unpackedFromDebian('python3-grpcio', {
    packages: async apt => [...new Set(['python3-grpcio', ...(await missingFor(apt, 'python3-grpcio'))])],
  });
  const own = join(folder, 'usr/bin/python3');
  const path = await access(own).then(
    () => own,
    () => '/usr/bin/python3',
  );
  return { path, env: { ...(await librariesIn(folder)), PYTHONPATH: join(folder, 'usr/lib/python3/dist-packages') } };
}
