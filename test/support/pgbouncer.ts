import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { librariesIn, missingFor, unpackedFromDebian } from './debian.ts';
import { eventually } from './wait.ts';

/**
 * Starts a real PgBouncer in transaction mode before the database of `url`, and gives the URL that leads through it; it ends with
 * the test. `settings`: further lines of its configuration.
 */
export async function startPgBouncer(url: string, settings = ''): Promise<string> {
  const unpacked = await unpackedFromDebian('pgbouncer', { packages: apt => missingFor(apt, 'pgbouncer') });
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-pgbouncer-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // It does not run as root, but as a user who has to get at its file.
  await chmod(folder, 0o755);
  const { hostname, port, username, password, pathname } = new URL(url);
  const through = new URL(url);
  through.port = String(await freePort());
  const file = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `${pathname.slice(1)} = host=${hostname} port=${port} user=${username} password=${password}`,
    '[pgbouncer]',
    `listen_addr = ${hostname}`,
    `listen_port = ${through.port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    settings,
  ];
  await writeFile(file, lines.join('\n'));
  const asUser = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const program = join(unpacked, 'usr', 'sbin', 'pgbouncer');
  const env = { ...process.env, ...(await librariesIn(unpacked)) };
  const child = spawn(program, [...asUser, file], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', text => (said += text));
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const end = once(child, 'close');
    child.kill('SIGKILL');
    await end;
  });
  await eventually(() => said.includes('process up'), { what: 'PgBouncer to be up' }).catch(() => {
    throw new Error(`PgBouncer did not start: ${said}`);
  });
  const client = new pg.Client({ connectionString: through.href });
  await client.connect();
  await client.end();
  return through.href;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
