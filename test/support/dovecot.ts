import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ImapFlow } from 'imapflow';
import { onTestFinished } from 'vitest';
import { ownPort } from '../faults/cluster/ports.ts';
import { librariesIn, missingFor, unpackedFromDebian } from './debian.ts';
import { eventually } from './wait.ts';

/** Who may log in. */
export const MAILBOX = { user: 'bounces@tocsin.test', password: 'p@ss:word' };

/** A mail as it lies in the mailbox. */
export interface KeptMail {
  subject: string;
  flags: string[];
}

/** A real IMAP server with a mailbox of its own for a test; it ends with the test. */
export interface Dovecot {
  /** What MAIL_BOUNCE_IMAP takes. */
  url: string;
  /** The same with another host, login or folder. */
  urlWith(change: { host?: string; password?: string; folder?: string }): string;
  /** Puts a mail into the mailbox, as its mail server does. */
  deliver(mail: string): Promise<void>;
  /** What lies there, in the order in which it came. */
  kept(): Promise<KeptMail[]>;
  /** SIGKILL: all connections end. */
  kill(): Promise<void>;
  /** Starts it again on the same port with the same mailbox. */
  restart(): Promise<void>;
}

/** Starts Debian's dovecot as a user who is not root. */
export async function startDovecot(): Promise<Dovecot> {
  const unpacked = await unpackedFromDebian('dovecot-imapd', { packages: apt => missingFor(apt, 'dovecot-imapd') });
  const folder = await mkdtemp(FOLDER);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const port = await ownPort();
  const { user, ids } = whoRuns();
  if (ids !== null) await chown(folder, ids.uid, ids.gid);
  await chmod(folder, 0o755);
  const libraries = `${await movedLibraries(unpacked, folder)}:${(await librariesIn(unpacked)).LD_LIBRARY_PATH}`;
  const config = join(folder, 'dovecot.conf');
  await writeFile(config, configuration({ folder, unpacked, port, user, libraries }));
  // It would look for doveconf in /usr/bin: told its settings by doveconf, it does not look.
  const program = join(unpacked, 'usr', 'bin', 'doveconf');
  const dovecot = [join(unpacked, 'usr', 'sbin', 'dovecot'), '-F', '-c', config];
  const settings = ['-f', 'service=master', '-c', config, '-m', 'master', '-e', ...dovecot];

  const launch = async () => {
    const env = { ...process.env, LD_LIBRARY_PATH: libraries };
    const child = spawn(program, settings, { env, ...ids, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
    onTestFinished(() => end(child));
    let said = '';
    child.stderr.setEncoding('utf8').on('data', text => (said += text));
    await eventually(() => withClient(port, async () => true), {
      what: 'dovecot to take a login',
      within: 10_000,
    }).catch(cause => {
      throw new Error(`dovecot did not start: ${said}${cause}`);
    });
    return child;
  };
  let running = await launch();

  const urlWith: Dovecot['urlWith'] = ({ host = '127.0.0.1', password = MAILBOX.password, folder = 'INBOX' }) =>
    `imap://${encodeURIComponent(MAILBOX.user)}:${encodeURIComponent(password)}@${host}:${port}/${folder}`;
  return {
    url: urlWith({}),
    urlWith,
    deliver: mail => withClient(port, async client => void (await client.append('INBOX', mail))),
    kept: () =>
      withClient(port, async client => {
        await client.mailboxOpen('INBOX', { readOnly: true });
        const mails = await client.fetchAll('1:*', { envelope: true, flags: true });
        return mails.map(({ envelope, flags }) => ({
          subject: envelope?.subject ?? '',
          flags: [...(flags ?? [])].filter(flag => flag !== '\\Recent'),
        }));
      }),
    kill: () => end(running),
    async restart() {
      await end(running);
      running = await launch();
    },
  };
}

/** Where Debian's libraries look for modules, of which TLS is needed even where it is off; and a folder of a test, whose path is as long. */
const MODULES = '/usr/lib/dovecot/modules';
const FOLDER = '/tmp/tocsin-dovec-';

/** Copies the libraries that want MODULES to be there so that `folder` does for it, and gives where they are. */
async function movedLibraries(unpacked: string, folder: string): Promise<string> {
  if (folder.length !== MODULES.length) throw new Error(`${folder} is not as long as ${MODULES}.`);
  const moved = join(folder, 'lib');
  await mkdir(moved);
  for (const name of ['libdovecot.so.0', 'libdovecot-login.so.0']) {
    const library = await readFile(join(unpacked, 'usr', 'lib', 'dovecot', name), 'latin1');
    await writeFile(join(moved, name), library.replaceAll(MODULES, folder), 'latin1');
  }
  const tls = 'libssl_iostream_openssl.so';
  await symlink(join(unpacked, 'usr', 'lib', 'dovecot', 'modules', tls), join(folder, tls));
  return moved;
}

async function withClient<T>(port: number, work: (client: ImapFlow) => Promise<T>): Promise<T> {
  const { user, password: pass } = MAILBOX;
  const client = new ImapFlow({ host: '127.0.0.1', port, secure: false, auth: { user, pass }, logger: false });
  client.on('error', () => {
    // The command that waits fails too.
  });
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.close();
  }
}

/** Root may start it; it then runs as nobody, because its mail processes refuse to be root. */
function whoRuns() {
  if (process.getuid?.() !== 0) return { user: process.env.USER ?? process.env.LOGNAME ?? '', ids: null };
  return { user: 'nobody', ids: { uid: 65_534, gid: 65_534 } };
}

/** Its helpers are in its process group, and hold the connections. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  process.kill(-child.pid!, 'SIGKILL');
  await exited;
}

function configuration(on: { folder: string; unpacked: string; port: number; user: string; libraries: string }) {
  const { folder, unpacked, port, user, libraries } = on;
  return [
    'protocols = imap',
    'listen = 127.0.0.1, 127.0.0.2',
    `base_dir = ${folder}/run`,
    `state_dir = ${folder}/state`,
    `libexec_dir = ${unpacked}/usr/lib/dovecot`,
    'log_path = /dev/stderr',
    'ssl = no',
    'disable_plaintext_auth = no',
    'auth_failure_delay = 0',
    `default_internal_user = ${user}`,
    'default_internal_group = ',
    `default_login_user = ${user}`,
    'first_valid_uid = 1',
    `mail_location = maildir:${folder}/mail`,
    `import_environment = TZ LD_LIBRARY_PATH=${libraries}`,
    `passdb {\n  driver = static\n  args = user=${MAILBOX.user} password=${MAILBOX.password}\n}`,
    `userdb {\n  driver = static\n  args = home=${folder}/mail\n}`,
    `service imap-login {\n  chroot =\n  inet_listener imap {\n    port = ${port}\n  }\n  inet_listener imaps {\n    port = 0\n  }\n}`,
    'service anvil {\n  chroot =\n}',
    '',
  ].join('\n');
}
