import { BlockList, isIPv6, type Server, type Socket } from 'node:net';
import type { Counter, Gauge } from 'prom-client';

/** How many connections are taken. */
export interface ConnectionLimits {
  all: number;
  /** From one address that is neither this machine nor a trusted proxy. */
  perAddress: number;
}

/** Of each address: more than a house, or the many behind one router, ever have; a quarter of all at most, so that none takes all. */
const PER_ADDRESS = 1_000;

/** Where the system sets no limit of its own. */
const ALL_MOST = 100_000;

/** Of the RPC port, which facades, owners and a few integrations use. */
const RPC_MOST = 1_000;

/** What is kept free of the files that this process may open, at least and at most: for the database, carriers, files and the RPC port. */
const KEPT_FREE = { least: 256, most: 256 + RPC_MOST };

/** The share of the files that each of these takes where files are few. */
const SHARE = 8;

/** Below this, whoever runs the product is told. */
const FEW = 1_000;

/** The limits of the facade of this process, from how many files it may open. */
export function connectionLimits(files: number | null = openFilesMost()): ConnectionLimits {
  if (files === null) return limitsOf(ALL_MOST);
  const kept = Math.min(KEPT_FREE.most, Math.max(KEPT_FREE.least, Math.floor(files / SHARE)));
  return limitsOf(Math.min(ALL_MOST, files - Math.min(kept, Math.floor(files / 2))));
}

/** The limits of the RPC port of this process: they fit into what the facade keeps free. */
export function rpcConnectionLimits(files: number | null = openFilesMost()): ConnectionLimits {
  return limitsOf(files === null ? RPC_MOST : Math.min(RPC_MOST, Math.floor(files / SHARE)));
}

function limitsOf(all: number): ConnectionLimits {
  return { all, perAddress: Math.min(PER_ADDRESS, Math.floor(all / 4)) };
}

/** What is to be said of the limits; null: nothing. */
export function connectionsSentence({ all }: ConnectionLimits): string | null {
  if (all >= FEW) return null;
  return `this process may open so few files that it takes ${all} connections at most: raise the limit with "ulimit -n 65536"`;
}

/** How many files this process may open (`ulimit -n`); null: the system does not say, or sets no limit. */
function openFilesMost(): number | null {
  // Without the network: names of hosts would be looked up for it. Node has it, its types do not.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isFinite(soft) && soft > 0 ? soft : null;
}

/** What counts the connections of one port. */
export interface ConnectionMeters {
  open: Gauge;
  /** By `limit`: `all` or `address`. */
  refused: Counter<'limit'>;
}

/**
 * Takes no more connections than the limits say. One too many is closed without a word, before it costs anything; where
 * `makeRoom` can end another one instead, it is taken. `trustedProxies`: addresses and networks behind which many callers stand.
 */
export function boundConnections(
  server: Server,
  { all, perAddress }: ConnectionLimits,
  { trustedProxies, meters, makeRoom }: { trustedProxies: string[]; meters: ConnectionMeters; makeRoom?(): void },
): void {
  const ofAddress = new Map<string, number>();
  const free = freeAddresses(trustedProxies);
  let open = 0;
  if (makeRoom === undefined) server.maxConnections = all;
  server.on('drop', () => meters.refused.inc({ limit: 'all' }));
  server.on('connection', (socket: Socket) => {
    open++;
    meters.open.inc();
    const address = socket.remoteAddress ?? '';
    const before = ofAddress.get(address) ?? 0;
    ofAddress.set(address, before + 1);
    socket.once('close', () => {
      open--;
      meters.open.dec();
      const left = ofAddress.get(address)! - 1;
      if (left === 0) ofAddress.delete(address);
      else ofAddress.set(address, left);
    });
    if (before >= perAddress && !free.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) {
      meters.refused.inc({ limit: 'address' });
      socket.destroy();
    } else if (open > all && makeRoom !== undefined) {
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
