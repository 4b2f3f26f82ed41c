import { BlockList, isIPv6, type Server, type Socket } from 'node:net';
import type { Counter, Gauge } from 'prom-client';
import { networkOf } from '../process/network.ts';

/** How many connections are taken. */
export interface ConnectionLimits {
  all: number;
  /** From one address (of IPv6 a /64) that is neither this machine nor a trusted proxy. */
  perAddress: number;
}

/**
 * How many new connections may wait to be taken: as many as Linux keeps. Of a burst of more than Node's 511 the system resets some, which
 * a caller cannot tell from a crash.
 */
export const BACKLOG = 4_096;

/** The limit for each address: more than a house, or all clients behind one router, need. At most a quarter of all connections. */
const PER_ADDRESS = 1_000;

/** Where the system sets no limit of its own. */
const ALL_MOST = 100_000;

/** The limit of the RPC port, which facades, owners and a few integrations use. */
const RPC_MOST = 1_000;

/** How many file descriptors are reserved, at least and at most, for the database, carriers, files and the RPC port. */
const KEPT_FREE = { least: 256, most: 256 + RPC_MOST };

/** The share of the file descriptors that each of these gets where there are few: one in so many. */
const SHARE = 8;

/** Fewer connections than this are worth a warning to the operator. */
const FEW = 1_000;

/** Returns the limits of the facade of this process, given how many files it may open. */
export function connectionLimits(files: number | null = openFilesMost()): ConnectionLimits {
  if (files === null) return limitsOf(ALL_MOST);
  const kept = Math.min(KEPT_FREE.most, Math.max(KEPT_FREE.least, Math.floor(files / SHARE)));
  return limitsOf(Math.min(ALL_MOST, files - Math.min(kept, Math.floor(files / 2))));
}

/** Returns the limits of the RPC port of this process. They fit into what the facade reserves. */
export function rpcConnectionLimits(files: number | null = openFilesMost()): ConnectionLimits {
  return limitsOf(files === null ? RPC_MOST : Math.min(RPC_MOST, Math.floor(files / SHARE)));
}

function limitsOf(all: number): ConnectionLimits {
  return { all, perAddress: Math.min(PER_ADDRESS, Math.floor(all / 4)) };
}

/** Returns a warning about low limits; null if there is none. */
export function connectionsSentence({ all }: ConnectionLimits): string | null {
  if (all >= FEW) return null;
  return `this process may open so few files that it takes ${all} connections at most: raise the limit with "ulimit -n 65536"`;
}

/** Asked once: the report takes 20 ms. */
let openFiles: number | null | undefined;

/** Returns how many files this process may open (`ulimit -n`); null if the system does not say or sets no limit. */
function openFilesMost(): number | null {
  openFiles ??= reportedFiles();
  return openFiles;
}

function reportedFiles(): number | null {
  // The network section would look up host names. Node has this option, its types do not.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isFinite(soft) && soft > 0 ? soft : null;
}

/** The meters of one port's connections. */
export interface ConnectionMeters {
  open: Gauge;
  /** By `limit`: `all` or `address`. */
  refused: Counter<'limit'>;
}

/**
 * Limits the connections of a server. One too many of an address is closed silently, before it costs anything; one too many of
 * all is accepted, and `makeRoom` ends another. `trustedProxies`: addresses and networks that many callers share.
 */
export function boundConnections(
  server: Server,
  { all, perAddress }: ConnectionLimits,
  { trustedProxies, meters, makeRoom }: { trustedProxies: string[]; meters: ConnectionMeters; makeRoom(): void },
): void {
  const ofNetwork = new Map<string, number>();
  const free = freeAddresses(trustedProxies);
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open++;
    meters.open.inc();
    const address = socket.remoteAddress ?? '';
    const network = networkOf(address);
    const before = ofNetwork.get(network) ?? 0;
    ofNetwork.set(network, before + 1);
    socket.once('close', () => {
      open--;
      meters.open.dec();
      const left = ofNetwork.get(network)! - 1;
      if (left === 0) ofNetwork.delete(network);
      else ofNetwork.set(network, left);
    });
    if (before >= perAddress && !free.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) {
      meters.refused.inc({ limit: 'address' });
      socket.destroy();
    } else if (open > all) {
      meters.refused.inc({ limit: 'all' });
      makeRoom();
    }
  });
}

function freeAddresses(trustedProxies: readonly string[]): BlockList {
  const free = new BlockList();
  for (const network of ['127.0.0.0/8', '::1', ...trustedProxies]) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) free.addAddress(address, family);
    else free.addSubnet(address, Number(bits), family);
  }
  return free;
}
