import pg, { type Pool } from 'pg';
import type { Logger } from 'pino';
import type { Limits } from '../../services/engine/apply/limits.ts';
import { NO_RATE_LIMITS } from '../../services/limits/rate-limits.ts';
import { carriersFor } from './carriers.ts';
import { clients, endWaiting, gatedFor, ops } from './client.ts';
import { count, type Life, moment, type Running, say } from './life.ts';
import { THIS_VERSION, type Version } from './version.ts';
import { dropTimersOf, type Process, steadyNow, time, within } from './virtual.ts';
import { PEPPER, seal } from './world.ts';

/** By how much the wall clocks of processes may be wrong, in milliseconds. */
const SKEW_MS = 2_000;

/** Within how long a dead process is started again, in milliseconds. */
const STARTS_WITHIN_MS = 20_000;

/** How soon leases and sessions of a process that is gone have run out, and what it left is done, in milliseconds. */
export const MADE_GOOD_MS = 60_000;

/** How often a nudge of the accepting part reaches the engine: the poll has to find the rest. */
const NUDGED = 0.9;

/** So little of everything that calls line up, lose their turn, and open incidents that are too heavy. */
const SMALL: Limits = { groups: 2, calls: 3, timers: 1, messages: 3, messagesOfAccount: 3 };

/**
 * Starts a process of the product: accept, engine and, where the life has one, the keeper of the clock. Where there is a version
 * beside this one, every other process is of that.
 */
export function start(life: Life): Running {
  const { beside } = life.world;
  const nth = life.born++;
  const [product, version] =
    nth % 2 === 1 && beside !== null ? ([beside, 'next'] as const) : ([THIS_VERSION, 'this'] as const);
  const of: Process = {
    name: `${version === 'next' ? 'n' : 'p'}${nth}`,
    version,
    state: 'up',
    wakesAt: 0,
    skewMs: life.dice.between(-SKEW_MS, SKEW_MS),
  };
  const running: Running = { process: of, inHands: new Map(), leased: new Map() };
  within(of, () => void open(life, running, product).catch(error => failed(life, running, error)));
  return running;
}

/** A start that fails ends the process, as it does in the product; it is started again. */
function failed(life: Life, { process: of }: Running, error: unknown): void {
  say(life, `${of.name} could not start: ${(error as Error).message}`);
  of.state = 'dead';
  of.wakesAt = time.now + 1_000;
  dropTimersOf(of);
}

async function open(life: Life, running: Running, product: Version): Promise<void> {
  const of = running.process;
  const { world, plan, dice } = life;
  const log = logOf(life, running);
  const pool = (max: number, statementMs: number, pipeline: boolean): Pool => {
    const made = new pg.Pool({
      connectionString: world.url,
      max,
      options: product.session(statementMs, 'on', 'by_index'),
      idleTimeoutMillis: 0,
      Client: gatedFor(of),
      pipeline,
    } as pg.PoolConfig);
    made.on('connect', client => client.on('error', () => {}));
    made.on('error', () => {});
    return made;
  };
  const [working, accepting, reading] = [pool(6, 5_000, true), pool(3, 1_200, false), pool(4, 5_000, false)];
  // One machine, whose uptime both processes count by.
  const steady = { boot: 'the machine', uptimeMs: steadyNow };
  const clock =
    plan.clock === 'keepers' &&
    (await product.startClock({ pool: accepting, log, steady, onNotice: () => engine.noticed() }));
  const links = product.createLinks({ pepper: PEPPER, publicUrl: () => 'https://tocsin.example' });
  const bus = { publish() {}, subscribe: () => () => {}, onReconnect: () => () => {} };
  const engine = product.startEngine({
    pool: working,
    bus: bus as never,
    channels: { byKind: carriersFor(life, running), unconfigured: ['push', 'webhook'] },
    seal,
    links,
    ...(clock && { clock }),
    log,
    ...(plan.limits === 'small' && { limits: SMALL }),
  });
  const accept = product.createAccept({
    pool: accepting,
    digests: product.createKeyDigests(PEPPER),
    limits: NO_RATE_LIMITS,
    engagedOf: engine.engagedOf,
    believed: clock ? clock.believed : () => undefined,
    refusals: product.createRefusalLog(reading, log),
    keyUses: { note() {} },
    onStored() {
      if (dice.chance(NUDGED)) engine.accepted();
      else count(life, 'nudge lost');
    },
  });
  running.product = { engine, accept, working, reading };
}

/** Listens to what the product logs: what it has recorded, and faults that no harm explains. */
function logOf(life: Life, running: Running): Logger {
  const { name } = running.process;
  type About = { err?: Error & { code?: string }; delivery?: string; attempt?: number };
  const log = {
    level: 'silent',
    info({ delivery, attempt }: About, message: string) {
      if (message.startsWith('a message was tried')) running.inHands.delete(`${delivery}/${attempt}`);
    },
    warn: (about: About, message: string) => told('warn', about, message),
    error: (about: About, message: string) => told('error', about, message),
    debug() {},
    trace() {},
    fatal() {},
    child: () => log,
  };
  const told = (level: string, { err }: About, message: string) => {
    say(life, `${name} ${level}: ${message}${err === undefined ? '' : ` (${err.message})`}`);
    if (err === undefined) return;
    const isOurs = err instanceof TypeError || err instanceof RangeError || err instanceof ReferenceError;
    if (isOurs || /^(22|23|42)/.test(err.code ?? '')) life.lived.surprises.push(`${message}: ${err.stack}`);
  };
  return log as unknown as Logger;
}

/** Returns what a process has in its hands, and excuses each attempt of it for one more message, once. */
export function takeFromHands({ inHands }: Running): string[] {
  const messages = [...inHands.values()];
  inHands.clear();
  return messages;
}

/** Ends a process at once, as kill -9 does; it starts again some time later. */
export async function kill(life: Life, running: Running, startsAgainMs?: number): Promise<void> {
  const of = running.process;
  const wakesAt = time.now + (startsAgainMs ?? life.dice.between(0, STARTS_WITHIN_MS));
  harm(life, 'death', running, wakesAt + MADE_GOOD_MS);
  of.state = 'dead';
  of.wakesAt = wakesAt;
  for (const client of [...clients].filter(client => client.of === of)) {
    const waiting = life.parked.findIndex(({ op }) => op.client === client);
    if (waiting >= 0) {
      life.parked.splice(waiting, 1);
      await endWaiting(client.pid);
    }
    await client.cut();
  }
  ops.splice(0, ops.length, ...ops.filter(({ client }) => client.of !== of));
  life.answers = life.answers.filter(answer => answer.of !== of);
  dropTimersOf(of);
  for (const [call, at] of life.calling) if (at === of) life.calling.delete(call);
  for (const [change, at] of life.changes) if (at === of) life.ended.push(change);
}

/** Lets a process stand still, as a machine does whose host moves it: its open transactions are ended by the server. */
export async function freeze(life: Life, running: Running, forMs: number): Promise<void> {
  const of = running.process;
  of.state = 'frozen';
  of.wakesAt = time.now + forMs;
  harm(life, 'standstill', running, of.wakesAt + MADE_GOOD_MS);
  say(life, `${of.name} STANDS STILL for ${forMs} ms`);
  for (const client of clients) {
    const { idleEndsS } = client;
    if (client.of !== of || idleEndsS === 0 || forMs < idleEndsS * 1_000) continue;
    say(life, `${of.name} loses a session`);
    await client.endSession();
  }
}

/** Writes harm down. */
export function harm(life: Life, what: string, hit: Running, until: number): void {
  count(life, what);
  life.lived.harm.push({ what, at: moment(life).at, until, inHands: takeFromHands(hit) });
}
