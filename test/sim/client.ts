import pg from 'pg';
import { giveBack, type Session, takeSession } from './sessions.ts';
import { type Process, real } from './virtual.ts';

/** A statement, or a connection to be opened, that waits until the simulation lets it go. */
export interface Op {
  client: GatedClient;
  kind: 'connect' | 'sql';
  /** The name of a prepared statement, or how the text begins. */
  label: string;
  /** Empty for one that is not prepared. */
  name: string;
  values: readonly unknown[];
  go(): Promise<unknown>;
  done(end: Ended): void;
}

/** How a statement ended. */
export type Ended = { state: 'done'; result: unknown } | Failed;

interface Failed {
  state: 'failed';
  error: unknown;
}

/** What waits, in the order in which it was asked. */
export const ops: Op[] = [];

/** The connections that stand. */
export const clients = new Set<GatedClient>();

let control: pg.Client;

/** Gives the connection by which the simulation itself looks at the server's sessions. */
export function useControl(client: pg.Client): void {
  control = client;
}

/** What the server does with an open transaction when its owner stands still, in seconds; 0: none is open. */
type IdleEndsS = 0 | 2 | 10;

type Callback = (fault: unknown, result?: unknown) => void;

/** How pg tells its pool that a connection is of no use any more: its types leave it out. */
interface Told {
  _queryable: boolean;
}

/**
 * A connection of a simulated process: opening it and each of its statements wait until the simulation lets them go, and are
 * done then by a session that may have served another one before (sessions.ts). The pool opens connections from within callbacks
 * of sockets too, which belong to nobody, so that each process has a class of its own (`gatedFor`).
 */
export abstract class GatedClient extends pg.Client {
  abstract readonly of: Process;
  /** How soon its open transaction is ended when its owner stands still. */
  idleEndsS: IdleEndsS = 0;
  /** The traces of calls that its open transaction has applied. */
  applied: string[] = [];
  readonly #config: pg.ClientConfig;
  #session: Session | null = null;

  constructor(config: pg.ClientConfig) {
    super(config);
    this.#config = config;
    clients.add(this);
    this.on('error', () => {});
  }

  get pid(): number {
    return this.#session?.pid ?? 0;
  }

  override connect(callback?: unknown): never {
    const go = async () => {
      this.#session = await takeSession(this.of.version, this.#config, fault => this.#lose(fault));
      return this;
    };
    return this.#wait(
      { kind: 'connect', label: 'connect', name: '', values: [], go },
      callback as Callback | undefined,
    );
  }

  override query(asked: unknown, values?: unknown, callback?: unknown): never {
    const done = [values, callback].find(one => typeof one === 'function') as Callback | undefined;
    const { text, name = '', ...rest } = (typeof asked === 'string' ? { text: asked } : asked) as pg.QueryConfig;
    const given = typeof values === 'function' ? undefined : values;
    const config = name === '' ? { text, ...rest } : { text, name, ...rest };
    const label = name === '' ? text.trim().replace(/\s+/g, ' ').slice(0, 60) : name;
    const go = async () => {
      if (this.#session === null) throw lineLost().error;
      return this.#session.client.query(config, given as never);
    };
    return this.#wait({ kind: 'sql', label, name, values: rest.values ?? [], go }, done);
  }

  override end(callback?: unknown): never {
    void this.#leave();
    return super.end(callback as never) as never;
  }

  #wait(asked: Pick<Op, 'kind' | 'label' | 'name' | 'values' | 'go'>, callback: Callback | undefined): never {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const done = (end: Ended) => (end.state === 'done' ? resolve(end.result) : reject(end.error));
    if (this.of.state !== 'dead') ops.push({ client: this, ...asked, done });
    if (callback === undefined) return promise as never;
    promise.then(
      result => callback(null, result),
      error => callback(error),
    );
    return undefined as never;
  }

  /** A pool asks for both; its own socket is never used. */
  ref(): void {}
  unref(): void {}

  /** Ends the connection for good; resolves when nothing is left of what its session had under way. */
  async cut(): Promise<void> {
    this.#lose(lineLost().error);
    await this.#leave();
  }

  async #leave(): Promise<void> {
    clients.delete(this);
    const session = this.#session;
    this.#session = null;
    if (session !== null) await giveBack(session);
  }

  /** Ends the session as idle_in_transaction_session_timeout does: the client learns it with its next statement. */
  async endSession(): Promise<void> {
    await endOf(this.pid);
    await real.sleep(2);
  }

  /** Tells its pool that it is of no use any more. */
  #lose(fault: unknown): void {
    const told = this as unknown as Told;
    if (!told._queryable) return;
    told._queryable = false;
    this.emit('error', fault);
  }
}

/** Returns the class of connections that belong to a process. */
export function gatedFor(of: Process): typeof pg.Client {
  class Own extends GatedClient {
    override readonly of = of;
  }
  return Own as unknown as typeof pg.Client;
}

/** The fault of a statement whose connection is cut. */
export function lineLost(): Failed {
  return { state: 'failed', error: new Error('Connection terminated unexpectedly') };
}

/** Returns which of these sessions wait for a lock. */
export async function waitingForLocks(pids: readonly number[]): Promise<ReadonlySet<number>> {
  const { rows } = await control.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE pid = ANY($1) AND wait_event_type = 'Lock' AND cardinality(pg_blocking_pids(pid)) > 0",
    [pids],
  );
  return new Set(rows.map(({ pid }) => pid));
}

/** Ends a session that waits for a lock: its client is gone, which Postgres notices only once it has the lock. */
export async function endWaiting(pid: number): Promise<void> {
  await endOf(pid);
}

/** Looks itself: given a time limit, Postgres looks no sooner than a tenth of a second later, which were most of a life. */
async function endOf(pid: number): Promise<void> {
  await control.query('SELECT pg_terminate_backend($1)', [pid]);
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const { rowCount } = await control.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid]);
    if (rowCount === 0) return;
    await real.sleep(1);
  }
  throw new Error(`The session ${pid} does not end.`);
}

/** How long a statement usually takes at most, in milliseconds; then it is asked whether it waits for a lock. */
const USUAL_MS = 3;

/** After so many looks a statement is taken for stuck. */
const MOST_LOOKS = 5_000;

/** Runs a statement to its end, or until it waits for a lock. Throws if it does neither. */
export async function toEnd(op: Op): Promise<Ended | { state: 'waits'; later: Promise<Ended> }> {
  const later = op.go().then(
    (result): Ended => ({ state: 'done', result }),
    (error): Ended => ({ state: 'failed', error }),
  );
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const end = await within(later, USUAL_MS);
    if (end !== null) return end;
    if (op.kind === 'sql' && (await waitingForLocks([op.client.pid])).size > 0) {
      return (await within(later, 0)) ?? { state: 'waits', later };
    }
  }
  throw new Error(`"${op.label}" neither ends nor waits for a lock.`);
}

/** Returns what a promise resolves to within `ms` of real time; null if it does not. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  const { promise: over, resolve } = Promise.withResolvers<null>();
  const timer = real.setTimeout(() => resolve(null), ms);
  try {
    return await Promise.race([promise, over]);
  } finally {
    real.clearTimeout(timer);
  }
}
