import { lookup, Resolver } from 'node:dns';
import { readFile } from 'node:fs';
import { isIP, type LookupFunction } from 'node:net';
import { isIn, isPublic, listOf } from '../process/public-address.ts';
import { NotAllowed } from './http.ts';

/**
 * Whether an owner's URL may be requested. Pass `lookup` to the request: it checks the address that is connected to.
 */
export type Outbound = { kind: 'allowed'; url: URL; lookup: LookupFunction } | { kind: 'not_allowed'; reason: string };

/**
 * Creates the check that keeps owners' URLs out of the network in which this deployment runs (OWASP API7, server-side
 * request forgery): they must be https and lead to a public address. `networks` (OUTBOUND_NETWORKS, addresses or CIDR)
 * are allowed nevertheless, and by http too. `beside`: whether public addresses are allowed beside those. A login in the URL is sent as Basic authorization. The address is checked when connecting, so that a name cannot lead
 * elsewhere the second time. `resolve` replaces the usual resolver.
 */
export function createOutbound(
  networks: readonly string[],
  resolve: Resolve = networks.length === 0 ? resolveOutside() : resolveInside(),
  beside: 'public' | 'nothing' = 'public',
) {
  const allowed = listOf(networks);

  const mayConnect = (address: string, protocol: string) =>
    isIn(allowed, address) || (beside === 'public' && protocol === 'https:' && isPublic(address));

  return (text: string): Outbound => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null) return notAllowed('it is no URL');
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return notAllowed(ONLY_HTTPS);
    // No look-up happens for an address, and this name is this machine everywhere (RFC 6761).
    const literal = LOCALHOST.test(url.hostname) ? '127.0.0.1' : url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0 && !mayConnect(literal, url.protocol)) {
      return notAllowed(url.protocol === 'https:' || isPublic(literal) ? reasonFor(url.protocol) : NOT_PUBLIC);
    }
    return { kind: 'allowed', url, lookup: lookupFor(url.protocol) };
  };

  function lookupFor(protocol: string): LookupFunction {
    return (host, options, found) => {
      resolve(host, (error, addresses) => {
        if (error !== null) return found(error, '');
        const fits = addresses.filter(address => mayConnect(address, protocol));
        const [first] = fits;
        if (first === undefined) return found(new NotAllowed(reasonFor(protocol)), '');
        if (options.all)
          found(
            null,
            fits.map(address => ({ address, family: isIP(address) })),
          );
        else found(null, first, isIP(first));
      });
    };
  }
}

/** The start of every refusal. */
export const REFUSED = 'the address is not allowed';

const LOCALHOST = /(^|\.)localhost\.?$/;

const ONLY_HTTPS = 'it must begin with https://';
const NOT_PUBLIC = 'it does not lead to a public address';

function reasonFor(protocol: string): string {
  return protocol === 'https:' ? NOT_PUBLIC : ONLY_HTTPS;
}

function notAllowed(reason: string): Outbound {
  return { kind: 'not_allowed', reason: `${REFUSED}: ${reason}` };
}

/** Finds the addresses of a host, one or more, or the error. */
export type Resolve = (host: string, found: (error: Error | null, addresses: string[]) => void) => void;

/** How long a name server may take, in milliseconds, and how often it is asked. */
const PATIENCE = { timeout: 2_000, tries: 2 };

/** How many names the system looks up at once for owners: half of its places per process. */
const BY_SYSTEM = 2;

/**
 * Asks only name servers. The system's own look-up has four places per process: owners' names whose servers hang would
 * take them from everybody, including mail and carriers. `servers`: `address:port`, the system's if absent.
 */
export function resolveOutside(servers?: readonly string[]): Resolve {
  const resolver = new Resolver(PATIENCE);
  if (servers !== undefined) resolver.setServers(servers);
  return (host, found) => {
    const addresses: string[] = [];
    let missing = 2;
    const onAnswer = (error: Error | null, some: readonly string[] | undefined) => {
      addresses.push(...(some ?? []));
      missing--;
      if (missing > 0) return;
      if (addresses.length > 0) found(null, addresses);
      else found(error ?? new Error(`${host} has no address`), []);
    };
    resolver.resolve4(host, onAnswer);
    resolver.resolve6(host, onAnswer);
  };
}

/**
 * Asks for a network with names that no outside name server knows: those without a dot and under `.local` as the system
 * finds them, with its hosts file, search domains and mDNS, and only few at once; all others as resolveOutside, after
 * the hosts file. So nobody's slow names take the system's places from mail and carriers. `servers` as there; `hosts`:
 * the path of the hosts file; `bySystem` replaces the system's look-up.
 */
export function resolveInside(servers?: readonly string[], hosts = HOSTS_FILE, bySystem: Resolve = askSystem): Resolve {
  const outside = resolveOutside(servers);
  const waiting: (() => void)[] = [];
  let free = BY_SYSTEM;

  const askInTurn: Resolve = (host, found) => {
    const ask = () => {
      free--;
      bySystem(host, (error, addresses) => {
        free++;
        waiting.shift()?.();
        found(error, addresses);
      });
    };
    if (free > 0) ask();
    else waiting.push(ask);
  };

  return (host, found) => {
    const name = host.toLowerCase().replace(/\.$/, '');
    if (!name.includes('.') || name.endsWith('.local')) return askInTurn(name, found);
    readFile(hosts, 'utf8', (error, text) => {
      const listed = error === null ? addressesIn(text, name) : [];
      if (listed.length > 0) found(null, listed);
      else outside(name, found);
    });
  };
}

const HOSTS_FILE = '/etc/hosts';

/** Returns the addresses that a hosts file gives to a name. */
function addressesIn(hosts: string, name: string): string[] {
  return hosts.split('\n').flatMap(line => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return isIP(address) !== 0 && names.includes(name) ? [address] : [];
  });
}

const askSystem: Resolve = (host, found) => {
  lookup(host, { all: true }, (error, addresses) => {
    found(error, error === null ? addresses.map(({ address }) => address.replace(/%.*$/, '')) : []);
  });
};
