import { Socket } from 'node:net';
import pg from 'pg';
import { hostUrls } from '../process/database-url.ts';

/**
 * In milliseconds: how long each step of asking a host whether it takes writes may take, and how long the answer is
 * cached.
 */
const ASK_MS = 1_000;
const HOLDS_MS = 500;

/** No host of a database takes writes. The message continues a sentence that starts with the database's name. */
export class NoWritableHost extends Error {
  override readonly name = 'NoWritableHost';
}

/** What the driver needs to know about a database. `stream` creates the socket of a connection. */
export interface Target {
  connectionString: string;
  stream?: () => Socket;
}

/**
 * Returns what the driver is to connect to. If a URL names several hosts, each connection goes to the one that takes
 * writes at that time, so that the product follows a failover; a standby is never written to.
 */
export function targetOf(url: string): Target {
  const hosts = hostUrls(url);
  if (hosts.length === 1) return { connectionString: url };
  return { connectionString: hosts[0]!, stream: () => new WritableSocket(hosts) };
}

/** A socket that connects to the host that takes writes, whatever host it is asked for. */
class WritableSocket extends Socket {
  readonly #hosts: readonly string[];

  constructor(hosts: readonly string[]) {
    super();
    this.#hosts = hosts;
  }

  override connect(): this {
    writableOf(this.#hosts).then(
      host => {
        const { hostname, port } = new URL(host);
        if (!this.destroyed) super.connect(Number(port || 5432), hostname.replace(/^\[|\]$/g, ''));
      },
      fault => this.destroy(fault),
    );
    return this;
  }
}

const asked = new Map<string, { at: number; answer: Promise<string> }>();

/** Connections opened together ask only once. */
function writableOf(hosts: readonly string[]): Promise<string> {
  const name = hosts.join();
  const last = asked.get(name);
  if (last !== undefined && performance.now() - last.at < HOLDS_MS) return last.answer;
  const answer = findWritable(hosts);
  asked.set(name, { at: performance.now(), answer });
  return answer;
}

/** Returns the first in the stated order, so that all processes find the same one. Throws NoWritableHost. */
async function findWritable(hosts: readonly string[]): Promise<string> {
  const states = hosts.map(host => stateOf(host));
  for (const [index, state] of states.entries()) if ((await state) === 'writable') return hosts[index]!;
  const found = await Promise.all(states);
  const each = hosts.map((host, index) => `${new URL(host).host} ${SHOWN[found[index] as keyof typeof SHOWN]}`);
  throw new NoWritableHost(`has no host that takes writes: ${each.join(', ')}`);
}

const SHOWN = { standby: 'is a standby', no_answer: 'does not answer' };

/** Never rejects. */
async function stateOf(host: string): Promise<'writable' | keyof typeof SHOWN> {
  const client = new pg.Client({ connectionString: host, connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ state: 'writable' | 'standby' }>(
      "SELECT CASE WHEN current_setting('transaction_read_only') = 'off' THEN 'writable' ELSE 'standby' END AS state",
    );
    return rows[0]!.state;
  } catch {
    return 'no_answer';
  } finally {
    void client.end().catch(() => {});
  }
}
