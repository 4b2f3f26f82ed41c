import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from 'nats';
import { backoffMs, jittered } from '../process/backoff.ts';
import type { NatsServer } from './nats-url.ts';

/** The servers to dial, and when to give up. */
export interface Dialling {
  servers: readonly NatsServer[];
  /** After how long a silent server is given up, in milliseconds. */
  silenceMs: number;
}

const DIAL_MS = 5_000;
const BACKOFF = { firstMs: 200, mostMs: 5_000 };

/**
 * Connects to any of the servers within a time limit (milliseconds). Throws one sentence that says which server did not
 * answer and why; throws at once if waiting would not help.
 */
export async function connectWithin(dialling: Dialling, withinMs: number): Promise<NatsConnection> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const tried = await tryEach(dialling, deadline);
    if (tried.connection !== null) return tried.connection;
    if (tried.retry === 'useless') throw new Error(`${tried.why} Check NATS_URL and the server.`);
    if (performance.now() + BACKOFF.firstMs >= deadline) {
      throw new Error(`${tried.why} Tried for ${withinMs / 1000} s. Check NATS_URL and that the server runs.`);
    }
    await sleep(BACKOFF.firstMs);
  }
}

/**
 * Connects to any of the servers, however long it takes, with pauses that grow to 5 s and jitter, so that a thousand
 * processes do not return at once. Returns null if `ended` comes first.
 */
export async function connectEventually(dialling: Dialling, ended: AbortSignal): Promise<NatsConnection | null> {
  for (let failures = 1; ; failures++) {
    const paused = sleep(jittered(backoffMs(failures, BACKOFF)), 'over', { signal: ended });
    if ((await paused.catch(() => 'ended')) === 'ended') return null;
    const { connection } = await tryEach(dialling, Number.POSITIVE_INFINITY);
    if (connection !== null && ended.aborted) await connection.close();
    else if (connection !== null) return connection;
  }
}

type Tried = { connection: NatsConnection } | ({ connection: null } & Fault);

interface Fault {
  why: string;
  retry: 'useful' | 'useless';
}

/** Dials the servers one after the other, in a new order each time, until one answers. */
async function tryEach({ servers, silenceMs }: Dialling, deadline: number): Promise<Tried> {
  let tried: Tried = { connection: null, why: '', retry: 'useful' };
  for (const server of shuffled(servers)) {
    try {
      const timeout = Math.min(DIAL_MS, silenceMs, Math.max(deadline - performance.now(), 1));
      return { connection: await dial(server, timeout, silenceMs) };
    } catch (err) {
      tried = { connection: null, ...fault(server, err) };
    }
  }
  return tried;
}

/**
 * Does not use the reconnect of nats 2.29.3: all sockets it ever opened share one state, so once a server that hung
 * comes back, every message arrives twice and the good connection is torn down repeatedly
 * (https://github.com/nats-io/nats.js/issues/302; fixed in @nats-io/transport-node 3.4.0).
 * The package is loaded only where there is a server to dial.
 */
async function dial({ options }: NatsServer, timeout: number, silenceMs: number): Promise<NatsConnection> {
  const { connect } = await import('nats');
  const pings = { pingInterval: silenceMs / 3, maxPingOut: 2 };
  return connect({ ...options, ...pings, name: 'tocsin', timeout, reconnect: false });
}

/** By their codes in the package (`ErrorCode`). */
function fault({ name, options }: NatsServer, err: unknown): Fault {
  const code = err instanceof Error && 'code' in err ? String(err.code) : 'no answer';
  if (code === 'AUTHORIZATION_VIOLATION') {
    return { why: `NATS at ${name} refused the user, password or token.`, retry: 'useless' };
  }
  if (code === 'SERVER_OPT_NA' && options.tls) {
    return { why: `NATS at ${name} speaks no TLS, which tls:// asks for.`, retry: 'useless' };
  }
  return { why: `Cannot reach NATS at ${name} (${code}).`, retry: 'useful' };
}

function shuffled<T>(list: readonly T[]): T[] {
  const shuffledByKey = list.map(item => ({ item, key: Math.random() })).sort((a, b) => a.key - b.key);
  return shuffledByKey.map(({ item }) => item);
}
