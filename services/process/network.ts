import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type Reached, reachedFrom } from './public-address.ts';

/** From where links in messages open; `nowhere`: there are none. */
export type LinksLead = Reached | 'nowhere';

/** Tells from where links under a public URL open. Null: there are no links. */
export function linksLead(publicUrl: string | null): LinksLead {
  return publicUrl === null ? 'nowhere' : reachedFrom(publicUrl);
}

/** Returns the URL with each IPv4 address that this machine has in its networks, by which other machines may reach it. */
export function urlsInNetwork(publicUrl: string): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap(ofOne => ofOne ?? []);
  const { protocol, port } = new URL(publicUrl);
  return addresses
    .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))
    .map(({ address }) => `${protocol}//${address}${port === '' ? '' : `:${port}`}`);
}

/** Returns the URL at which this machine itself reaches what listens at `host` and `port`, without trailing slash. */
export function localUrl(scheme: 'http' | 'https', host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${name}:${port}`;
}

/** The path of the realtime channel's socket (DECISIONS.md "Wire protocol"). */
export const REALTIME_PATH = '/event/realtime';

/** Returns where sockets connect: http becomes ws, and https becomes wss. */
export function realtimeUrl(http: string): string {
  return `${http.replace(/^http/, 'ws')}${REALTIME_PATH}`;
}

/**
 * Returns what limits by address count: an IPv4 address stands for itself, or with `ipv4Bits` 24 for its neighbours too; of an
 * IPv6 address it is the /64, as whoever has one address of that has all. What is no address is returned as it is.
 */
export function networkOf(address: string, ipv4Bits: 24 | 32 = 32): string {
  const [, ipv4] = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address) ?? [];
  if (ipv4 !== undefined) return ipv4Bits === 32 ? ipv4 : `${ipv4.slice(0, ipv4.lastIndexOf('.'))}.0/24`;
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('%')[0]!.split('::');
  const [first, last] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  const groups = [...first, ...zeros, ...last].slice(0, 4);
  return `${groups.map(group => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** An IPv4 address at the end is two groups; they are never among the first four. */
function groupsOf(part: string): string[] {
  return part === '' ? [] : part.replace(/[\d.]+\.\d+$/, '0:0').split(':');
}
