import { Agent, get, request } from 'node:http';
import { inspect } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newSecret } from '../../services/store/secret.ts';
import { type Figures, figureOf, figuresOf } from '../support/figures.ts';
import { ownAddress } from '../support/own-address.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { emptyFolder } from './embedded-rig.ts';
import { largeAccount } from './large-account.ts';
import { connectTo } from './live-demo.ts';
import { startProduct } from './product.ts';
import { type Attack, both, over, START, unfinished } from './siege-attacks.ts';

vi.setConfig({ testTimeout: 600_000 });

const OPERATOR = 'tcn_the-operators-token-in-these-tests';

/** How long it is quiet before each attack and how long that goes on, how often the neighbour calls and the metrics are looked at, in milliseconds. */
const QUIET_MS = 2_000;
const ATTACK_MS = 4_000;
const CALL_EVERY_MS = 25;
const LOOK_EVERY_MS = 250;
const WARM_UP_MS = 1_000;

/** How many ask at once: twice what a key may read, or an address may guess, before it is limited. */
const CROWD = 200;

/** How many connections never finish what they say. */
const UNFINISHED = 5_000;

/**
 * How many times the memory of before the attacks the process may hold after them. Of the heap nothing of theirs stays; of what
 * thousands of sockets took beside it, the system's allocator keeps some for the next ones.
 */
const MEMORY_AFTER = { heap: 1.25, rss: 2 } as const;

/**
 * What a neighbour hardly notices, however little it waited before: as long as so many reads of the state of 10,000 alarms take
 * while nobody attacks. In reads rather than in seconds, because attackers share its processors, and others may share them too.
 */
const HARDLY_READS = 25;
const READS = 5;

/** How long an attack may take until it shows, in milliseconds. */
const SHOWS_WITHIN_MS = 60_000;

/** Median waits of the neighbour's calls in milliseconds: for the 202, and from there until it was applied. */
interface Waits {
  answered: number;
  applied: number;
}

test('whoever reads too much, guesses keys or only holds connections, one at a time or all together, is hardly noticed by a neighbour', async () => {
  const dataDir = await emptyFolder();
  const product = startProduct({ DATA_DIR: dataDir, CONSOLE_TOKEN: OPERATOR, RATE_LIMITS: 'on' });
  const ready = await product.ready();
  const pool = await connectTo(dataDir);
  const { rows } = await pool.query<{ id: string }>("SELECT id FROM source WHERE name = 'Counter button'");
  const buttonId = rows[0]!.id;
  const neighbour = new Agent({ keepAlive: true, maxSockets: 1 });
  const crowd = new Agent({ keepAlive: true, maxSockets: 2 * CROWD });
  onTestFinished(() => [neighbour, crowd].forEach(agent => void agent.destroy()));

  /** One GET; the status once all of the answer was read. */
  const ask = (path: string, apiKey: string, agent: Agent) =>
    new Promise<number>((resolve, reject) => {
      get(`${ready.http}/v1/${path}`, { agent, headers: { 'x-api-key': apiKey } }, answer => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? 0)).on('error', reject);
      }).on('error', reject);
    });

  /** One call at the console's door, as a page of it makes them. */
  const knock = (method: string, body: object, cookie = '') =>
    new Promise<number>((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'connect-protocol-version': '1',
        origin: ready.http,
        cookie,
      };
      const asking = request(`${ready.http}/rpc/${method}`, { agent: crowd, method: 'POST', headers }, answer => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? 0)).on('error', reject);
      });
      asking.on('error', reject).end(JSON.stringify(body));
    });

  /** The neighbour calls at an even pace until `isOver`. */
  async function callUntil(isOver: () => boolean): Promise<Waits> {
    const began = new Date();
    const answered: number[] = [];
    const refused: number[] = [];
    while (!isOver()) {
      const at = performance.now();
      const status = await ask(`panic/${buttonId}/trigger`, ready.apiKey ?? '', neighbour);
      if (status !== 202) refused.push(status);
      answered.push(performance.now() - at);
      await new Promise(resolve => setTimeout(resolve, CALL_EVERY_MS));
    }
    // Two processors are shared with whoever attacks: one in a hundred may be told to try again.
    expect(refused.length, refused.join()).toBeLessThanOrEqual(Math.ceil(answered.length / 100));
    const waits = () =>
      pool.query<{ ms: number }>(
        `SELECT extract(epoch FROM applied_at - at)::float8 * 1000 AS ms FROM call_log WHERE source_id = $1 AND at >= $2`,
        [buttonId, began],
      );
    await eventually(async () => (await waits()).rows.length >= answered.length - refused.length, {
      what: 'all to be applied',
      within: 30_000,
    });
    return { answered: median(answered), applied: median((await waits()).rows.map(({ ms }) => ms)) };
  }

  const large = await largeAccount(ready.rpc, OPERATOR);
  const attacks: Record<string, Siege> = {
    'reads of 10,000 alarms': {
      begin: () =>
        both(
          over(CROWD / 2, () => ask('integration/describe', large.apiKey, crowd)),
          over(CROWD / 2, () => ask('integration/state', large.apiKey, crowd)),
        ),
      shows: [[LIMITED, SHED]],
    },
    'keys that are made up': {
      begin: () => over(CROWD, () => ask(`panic/${buttonId}/trigger`, newSecret('toc'), crowd)),
      shows: [[SLOWLY]],
    },
    'sessions that are made up, and codes for somebody’s address': {
      begin: () =>
        both(
          over(CROWD / 2, () => knock(LIST, {}, `tocsin-session=${newSecret('tcs')}`)),
          over(CROWD / 2, () => knock(START, { email: 'somebody@example.com' })),
        ),
      shows: [[SLOWLY]],
    },
    'connections that never finish what they say': {
      begin: () => unfinished(ready.http, UNFINISHED),
      shows: [[CONNECTIONS]],
    },
    'such connections of another machine': {
      begin: () => unfinished(ready.http.replace('localhost', ownAddress()), UNFINISHED),
      shows: [[REFUSED]],
    },
  };
  const together: Siege = {
    begin: () => both(...Object.values(attacks).map(({ begin }) => begin())),
    // All at once share two processors, and are slower at what each does alone: the limit of an address is not reached for certain.
    shows: [[SLOWLY], [CONNECTIONS]],
  };
  /** How long a read of the state of all alarms takes, in milliseconds, once the key may read again; anew, as what is kept takes no time. */
  async function read(): Promise<number> {
    return eventually(
      async () => {
        await pool.query('UPDATE account_version SET version = gen_random_uuid()');
        const began = performance.now();
        return (await ask('integration/state', large.apiKey, crowd)) === 200 && performance.now() - began;
      },
      { what: 'the large account to read', within: 30_000 },
    );
  }

  await callUntil(after(WARM_UP_MS));
  // An inventory stays in memory once it was read, under attack or not.
  await ask('integration/describe', large.apiKey, crowd);
  await read();
  let before: Figures | undefined;
  for (const [name, { begin, shows }] of Object.entries({ ...attacks, 'all of it together': together })) {
    await eventually(async () => (await figureOf(ready.metrics, CONNECTIONS)) <= 2 * CROWD, {
      what: 'the unfinished connections of the attack before to be gone',
      within: 30_000,
    });
    // Right before, as others may slow the machine at any time.
    const undisturbed = await callUntil(after(QUIET_MS));
    const reads: number[] = [];
    while (reads.length < READS) reads.push(await read());
    const hardly = HARDLY_READS * median(reads);
    const was = await figuresOf(ready.metrics);
    before ??= was;
    const most: Record<string, number> = {};
    const hasShown = () => shows.every(some => some.some(series => (most[series] ?? 0) >= SHOWN[series]!));
    const attack = begin();
    const look = over(1, async () => {
      const is = await figuresOf(ready.metrics);
      for (const series of shows.flat()) most[series] = Math.max(most[series] ?? 0, is(series) - was(series));
      await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS));
    });
    const [isOver, isTooLate] = [after(ATTACK_MS), after(SHOWS_WITHIN_MS)];
    const waits = await callUntil(() => isOver() && (hasShown() || isTooLate()));
    const { status } = await fetch(`${ready.http}/readyz`);
    await Promise.all([look.stop(), attack.stop()]);
    expect(status, name).toBe(200);
    expectInTime(waits.answered, Math.max(2 * undisturbed.answered, hardly), name);
    expectInTime(waits.applied, Math.max(2 * undisturbed.applied, hardly), name);
    expect(hasShown(), `${name}: ${inspect(most)}`).toBe(true);
  }

  crowd.destroy();
  await eventually(
    async () => {
      // What is garbage is collected when something is asked for again.
      await read();
      const is = await figuresOf(ready.metrics);
      const held = {
        connections: is(CONNECTIONS),
        inFlight: is('tocsin_http_calls_in_flight'),
        rss: is(RSS) / before!(RSS),
        heap: is(HEAP) / before!(HEAP),
      };
      const isIdle = held.connections <= 10 && held.inFlight === 0;
      if (isIdle && held.rss <= MEMORY_AFTER.rss && held.heap <= MEMORY_AFTER.heap) return 'back';
      throw new Error(inspect(held));
    },
    { what: 'memory and connections to come back', within: 120_000 },
  );
  expect(product.printed().stderr).not.toMatch(/unforeseen|unexpected error|EMFILE/);
});

/** Tells from now on whether so many milliseconds have passed. */
function after(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() >= end;
}

const LIST = 'tocsin.incident.v1.IncidentService/ListIncidents';
const LIMITED = 'tocsin_http_calls_limited_total{class="read"}';
const SHED = 'tocsin_http_calls_shed_total{class="read"}';
const CONNECTIONS = 'tocsin_http_connections';
const REFUSED = 'tocsin_http_connections_refused_total{limit="address"}';
const SLOWLY = 'tocsin_bad_credentials_total{door="http",answered="slowly"}';
const RSS = 'process_resident_memory_bytes';
const HEAP = 'nodejs_heap_size_used_bytes';

/** By how much a series of the metrics grows at least while an attack goes on. */
const SHOWN: Record<string, number> = {
  [LIMITED]: 1,
  [SHED]: 1,
  [SLOWLY]: 1,
  [CONNECTIONS]: UNFINISHED / 10,
  [REFUSED]: 1,
};

/** An attack, and the series that show it: of each row one. */
interface Siege {
  begin(): Attack;
  shows: string[][];
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
