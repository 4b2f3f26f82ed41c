import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpackedFromDebian } from './debian.ts';

const run = promisify(execFile);

/**
 * Gives the nats-server to start: the one on the path, else Debian's package. Where neither can be had, one sentence says how
 * to get it.
 */
export async function natsServerProgram(): Promise<string> {
  const isOnPath = await run('nats-server', ['--version']).then(
    () => true,
    () => false,
  );
  if (isOnPath) return 'nats-server';
  try {
    return join(await unpackedFromDebian('nats-server'), 'usr', 'sbin', 'nats-server');
  } catch (cause) {
    throw new Error(
      'The tests of the NATS bus need nats-server, which is neither on the path nor could be had as a Debian package ' +
        `(${(cause as Error).message}). Install it and put it on the path: apt-get install nats-server, ` +
        'brew install nats-server, or a release from github.com/nats-io/nats-server.',
    );
  }
}
