import type { ConnectionOptions } from 'nats';
import { type Kind, schemaOf } from '../process/settings.ts';

/** One NATS server, ready to dial. */
export interface NatsServer {
  /** `host:port` without credentials, for people and logs. */
  name: string;
  options: Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls'>;
}

/**
 * Reads a NATS address: `nats://host:4222`, `tls://host:4222` (never without TLS), `host:4222`; with credentials as
 * `user:password@host` or `token@host`, percent-encoded. Several may be given, separated by commas or as a list. Throws
 * one sentence that names what is wrong, without the credentials.
 */
export function readNatsServers(servers: string | readonly string[]): NatsServer[] {
  const addresses = [servers].flat().flatMap(text => text.split(','));
  const wanted = addresses.map(address => address.trim()).filter(address => address !== '');
  if (wanted.length === 0) throw new Error('NATS_URL names no server: give one such as nats://127.0.0.1:4222.');
  return wanted.map(readServer);
}

/** nats.js takes credentials and TLS from its options only; in an address it ignores both. */
function readServer(address: string): NatsServer {
  const url = parse(address);
  const name = `${url.hostname}:${url.port || '4222'}`;
  const user = decodeURIComponent(url.username);
  const pass = decodeURIComponent(url.password);
  const credentials = pass !== '' ? { user, pass } : user !== '' ? { token: user } : {};
  return { name, options: { servers: name, ...credentials, ...(url.protocol === 'tls:' && { tls: {} }) } };
}

function parse(address: string): URL {
  const text = address.includes('://') ? address : `nats://${address}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname === '' || !['nats:', 'tls:'].includes(url.protocol) || !decodable(url)) {
    const shown = address.replace(/^(.*:\/\/)?.*@/s, '$1***@');
    throw new Error(
      `NATS_URL holds "${shown}", which is no NATS address: it takes nats://host:port or tls://host:port, with user:password@ or token@ (percent-encoded) before the host.`,
    );
  }
  return url;
}

function decodable(url: URL): boolean {
  try {
    decodeURIComponent(url.username + url.password);
    return true;
  } catch {
    return false;
  }
}

/** NATS_URL: one or more servers. */
export const natsUrl: Kind<string> = {
  takes: 'a URL such as nats://host:4222 or tls://user:password@host:4222, or several separated by commas',
  schema: schemaOf(text => (isNatsAddress(text) ? text : null)),
  shown: 'length',
  credentials: 'in_each_url',
};

function isNatsAddress(text: string): boolean {
  try {
    return readNatsServers(text).length > 0;
  } catch {
    return false;
  }
}
