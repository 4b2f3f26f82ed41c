import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ownPort } from '../faults/cluster/ports.ts';
import { certificateFiles, makeCertificate } from './certificate.ts';
import { librariesIn, missingFor, type Program, unpackedFromDebian } from './debian.ts';
import { eventually } from './wait.ts';

/*
 * Real proxies in front of a facade, with the configuration of facade/docs/proxies.md: only name, port, certificate and the
 * facade's address are the test's.
 */

/** A proxy that speaks TLS with a certificate that vouches for itself. */
export interface RunningProxy {
  /** `https://localhost:PORT`, and the path where one was asked for. Certificate checks have to be off, or know `ca`. */
  url: string;
  /** The certificate, as PEM. */
  ca: string;
  /** What the proxy has written into its log of requests; empty where it writes none. */
  logged(): string;
}

export interface ProxyOptions {
  /** Under this path instead of at the top, such as `/tocsin`. */
  path?: string;
  /** The port, where the facade's PUBLIC_URL has to know it before: ownPort(). */
  port?: number;
}

export const PROXIES_PAGE = readFileSync(new URL('../../facade/docs/proxies.md', import.meta.url), 'utf8');

/** The examples of a page in this language, in order. */
export function examplesIn(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text!);
}

/** Starts Debian's Caddy in front of the facade at this URL. It ends with the test. */
export async function startCaddy(facadeUrl: string, { path = '', port }: ProxyOptions = {}): Promise<RunningProxy> {
  const started = await prepare(port);
  const [atTop, underPath] = examplesIn(PROXIES_PAGE, 'caddy');
  const site = (path === '' ? atTop! : underPath!)
    .replaceAll('127.0.0.1:8080', new URL(facadeUrl).host)
    .replaceAll('/tocsin/', `${path}/`)
    .replace(
      /^(alarm\.)?example\.com \{$/m,
      `https://localhost:${started.port} {\n\ttls ${started.cert} ${started.key}`,
    );
  const file = join(started.folder, 'Caddyfile');
  await writeFile(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
  const unpacked = await unpackedFromDebian('caddy', { packages: apt => missingFor(apt, 'caddy') });
  const program = { path: join(unpacked, 'usr', 'bin', 'caddy'), env: await librariesIn(unpacked) };
  const home = { HOME: started.folder, XDG_DATA_HOME: started.folder, XDG_CONFIG_HOME: started.folder };
  await run(
    'Caddy',
    { ...program, env: { ...program.env, ...home } },
    ['run', '--config', file, '--adapter', 'caddyfile'],
    started,
  );
  return { url: `https://localhost:${started.port}${path}`, ca: started.ca, logged: () => '' };
}

/** Starts Debian's nginx in front of the facade at this URL. It ends with the test. */
export async function startNginx(facadeUrl: string, { path = '', port }: ProxyOptions = {}): Promise<RunningProxy> {
  const started = await prepare(port);
  const { folder } = started;
  const [server, underPath] = examplesIn(PROXIES_PAGE, 'nginx');
  const location = server!.slice(server!.indexOf('    location / {'), server!.lastIndexOf('}'));
  const lines = location.split('\n').slice(2, -2);
  const moved = underPath!.replaceAll('/tocsin/', `${path}/`).replace(/^\}$/m, `${lines.join('\n')}\n}`);
  const socket = location.replace('location / {', 'location = /event/realtime {');
  const log = join(folder, 'requests.log');
  const site = (path === '' ? server! : server!.replace(location, `${moved}${socket}`))
    .replaceAll('127.0.0.1:8080', new URL(facadeUrl).host)
    .replace('listen 443', `listen 127.0.0.1:${started.port}`)
    .replace('server_name alarm.example.com', 'server_name localhost')
    .replace(/ssl_certificate .*;/, `ssl_certificate ${started.cert};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${started.key};`)
    .replace(/access_log \S+ /, `access_log ${log} `);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    of => `${of}_temp_path ${join(folder, of)};`,
  );
  const user = process.getuid?.() === 0 ? 'user root;\n' : '';
  const file = join(folder, 'nginx.conf');
  const main = `${user}daemon off;\npid ${join(folder, 'pid')};\nerror_log stderr warn;\nworker_processes 1;\nevents {}\n`;
  await writeFile(file, `${main}http {\n${temporary.join('\n')}\n${site}\n}\n`);
  const unpacked = await unpackedFromDebian('nginx', { packages: apt => missingFor(apt, 'nginx') });
  const program = { path: join(unpacked, 'usr', 'sbin', 'nginx'), env: await librariesIn(unpacked) };
  await run('nginx', program, ['-e', 'stderr', '-p', folder, '-c', file], started);
  return {
    url: `https://localhost:${started.port}${path}`,
    ca: started.ca,
    logged: () => readFileSync(log, 'utf8'),
  };
}

/** A folder, a certificate and a port for a proxy. */
interface Prepared {
  folder: string;
  cert: string;
  key: string;
  ca: string;
  port: number;
}

async function prepare(port?: number): Promise<Prepared> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-proxy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const certificate = makeCertificate();
  const files = await certificateFiles(certificate);
  return { folder, ...files, ca: certificate.cert, port: port ?? (await ownPort()) };
}

async function run(name: string, { path, env }: Program, flags: string[], { folder, port }: Prepared): Promise<void> {
  const child = spawn(path, flags, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', text => (said = (said + text).slice(-4_000)));
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const end = once(child, 'close');
    child.kill('SIGTERM');
    const impatience = setTimeout(() => child.kill('SIGKILL'), 3_000);
    await end;
    clearTimeout(impatience);
  });
  await eventually(() => child.exitCode !== null || listens(port), { what: `${name} to listen` }).catch(() => {});
  if (child.exitCode !== null || !(await listens(port))) throw new Error(`${name} did not start: ${said}`);
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const outcome = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return outcome;
}
