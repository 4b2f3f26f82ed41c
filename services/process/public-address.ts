import { BlockList, isIP } from 'node:net';
import type { Reached } from './vocabulary.ts';

export type { Reached } from './vocabulary.ts';

/** Names that no name server outside knows (RFC 6762, RFC 8375, ICANN's `.internal`, and those that routers give). */
const NETWORK_NAME = /(^[^.]+|\.(local|internal|lan|home|home\.arpa|localdomain|intranet|corp|private|fritz\.box))$/;

/** Tells from where a URL can be reached, by its host alone. A name that others know is presumed to lead to all. */
export function reachedFrom(url: string): Reached {
  const host = new URL(url).hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '');
  if (/^(localhost|.*\.localhost|127\..*|0\.0\.0\.0|::1?)$/.test(host)) return 'this_machine';
  if (isIP(host) === 4) return isPublic(host) ? 'anywhere' : 'network';
  // Carriers, and many phones, ask over IPv4 alone.
  if (isIP(host) === 6) return 'network';
  return NETWORK_NAME.test(host) ? 'network' : 'anywhere';
}

/** IPv4 that is not public (IANA special-purpose addresses, multicast, and reserved ones). */
const NOT_PUBLIC_IPV4 = listOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/**
 * The public part of IPv6, and the ranges within it that are reserved or wrap an IPv4 address. Mapped addresses are
 * outside of it.
 */
const GLOBAL_IPV6 = listOf(['2000::/3']);
const NOT_PUBLIC_IPV6 = listOf(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** Tells whether an address, IPv4 or IPv6, is public. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !isIn(NOT_PUBLIC_IPV4, address);
  return isIn(GLOBAL_IPV6, address) && !isIn(NOT_PUBLIC_IPV6, address);
}

/** Tells whether an address is in a list. */
export function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/** Makes a list of addresses and networks (CIDR). */
export function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/', 2);
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
