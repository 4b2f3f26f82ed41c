import { type OutgoingHttpHeaders, request } from 'node:http';
import { expect } from 'vitest';
import { newSecret } from '../../services/store/secret.ts';
import { WAITING_CALLS } from './waiting.ts';
import { startWorld, type World } from './world.ts';

/** The eight actions of SPEC.md 4. */
export const ACTIONS = [
  '/v1/alarm/{alarm}/arm',
  '/v1/alarm/{alarm}/arm/night',
  '/v1/alarm/{alarm}/disarm',
  '/v1/alarm/{alarm}/trigger',
  '/v1/alarm/{alarm}/trigger/home',
  '/v1/alarm/{alarm}/clear',
  '/v1/panic/{panic}/trigger',
  '/v1/panic/{panic}/clear',
];

/** The two reads of SPEC.md 4. */
export const READS = ['/v1/integration/describe', '/v1/integration/state'];

/** Paths that SPEC.md does not know, each with a word that no answer may repeat. */
export const UNKNOWN_PATHS = [
  '/v1',
  '/v1/',
  '/v1/echo',
  '/v1/echo?echo=echo',
  '/v1/alarm/{alarm}',
  '/v1/alarm/{alarm}/echo',
  '/v1/alarm/{alarm}/Trigger',
  '/v1/alarm/{alarm}/disarm/away',
  '/v1/alarm/{alarm}/clear/away',
  '/v1/alarm/{alarm}/arm/away/echo',
  '/v1/alarm//arm',
  '/v1/panic/{panic}/arm',
  '/v1/panic/{panic}/disarm',
  '/v1/panic/{panic}/trigger/away',
  '/v1/integration/echo',
  '/v1/alarm/%ZZecho/arm',
];

/** Where an identifier stands in a path. */
export const ID = /\{(alarm|panic)\}/;

/** An answer as it came, without what the connection adds to it. */
export interface Got {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** One request on a connection of its own; the path goes out exactly as it is written. */
export function ask(
  world: World,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: OutgoingHttpHeaders; body?: string } = {},
): Promise<Got> {
  const { hostname, port } = new URL(world.url);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method, headers, agent: false }, incoming => {
      let text = '';
      incoming.setEncoding('utf8').on('data', chunk => (text += chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const { date: _, connection: __, ...own } = incoming.headers;
        resolve({ status: incoming.statusCode ?? 0, headers: own, body: text });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** An account with one of everything, its neighbour, and all the keys that a caller may hold. */
export async function aHouse() {
  const world = await startWorld();
  const owner = await world.account();
  const neighbour = await world.account();
  const ids = {
    alarm: await owner.alarm({ name: 'House' }),
    panic: await owner.panicButton({ name: 'Button' }),
    barn: await owner.alarm({ name: 'Barn' }),
    disabledAlarm: await owner.alarm(),
    disabledPanic: await owner.panicButton(),
    deactivatedAlarm: await owner.alarm(),
    deactivatedPanic: await owner.panicButton(),
    neighboursAlarm: await neighbour.alarm({ name: 'Next door' }),
    neighboursPanic: await neighbour.panicButton(),
  };
  await world.rows('UPDATE source SET disabled = true WHERE id IN ($1, $2)', [ids.disabledAlarm, ids.disabledPanic]);
  const deactivated = [ids.deactivatedAlarm, ids.deactivatedPanic];
  await world.rows('UPDATE source SET deactivated = true WHERE id IN ($1, $2)', deactivated);
  const account = await owner.key();
  const good = {
    account: { 'x-api-key': account },
    scoped: { 'x-api-key': await owner.key(ids.alarm) },
    neighbour: { 'x-api-key': await neighbour.key() },
  };
  return { world, owner, neighbour, ids, good, bad: await badKeys(world, owner, account) };
}

export type House = Awaited<ReturnType<typeof aHouse>>;

/** Everything that SPEC.md 5 calls a missing or invalid key, as the headers that carry it. */
async function badKeys(
  world: World,
  owner: Awaited<ReturnType<World['account']>>,
  good: string,
): Promise<Record<string, OutgoingHttpHeaders>> {
  const [revoked, expired, rotated] = [await owner.keyWithId(), await owner.keyWithId(), await owner.keyWithId()];
  await world.rows('UPDATE api_key SET revoked_at = tocsin_now() WHERE id = $1', [revoked.id]);
  await world.rows('UPDATE api_key SET expires_at = tocsin_now() WHERE id = $1', [expired.id]);
  await world.rows('UPDATE api_key_secret SET ends_at = tocsin_now() WHERE key_id = $1', [rotated.id]);
  const lastOne = good.endsWith('0') ? '1' : '0';
  const keys = {
    empty: '',
    malformed: 'hello',
    mistyped: good.slice(0, -1) + lastOne,
    'in another case': good.toUpperCase(),
    'of 8 KB': 'k'.repeat(8_192),
    'with a quote': "toc_' OR 1=1 --",
    'behind a Bearer': `Bearer ${good}`,
    unknown: newSecret('toc'),
    'a console token': world.operator,
    revoked: revoked.secret,
    expired: expired.secret,
    'rotated away': rotated.secret,
    doubled: [good, good],
    'doubled with a bad one': [good, 'hello'],
  };
  const named = Object.entries(keys).map(([name, key]) => [name, { 'x-api-key': key }]);
  return { missing: {}, bearer: { authorization: `Bearer ${good}` }, ...Object.fromEntries(named) };
}

export function fill(path: string, { alarm, panic }: { alarm: string; panic: string }): string {
  return path.replace('{alarm}', alarm).replace('{panic}', panic);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An answer to compare with `answer`: its body read, and its length checked against the bytes that came. */
export function seen({ status, headers, body }: Got) {
  const { 'content-length': length, ...others } = headers;
  return {
    status,
    headers: others,
    lengthIsRight: length === String(Buffer.byteLength(body)),
    body: body && JSON.parse(body),
  };
}

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** What a caller should see (SPEC.md 2 "Response envelope"). */
export function answer(
  status: number,
  { headers = {}, ...body }: { headers?: Record<string, string>; data?: unknown; message?: unknown; links?: unknown },
) {
  const error = status >= 400;
  const envelope = { error, message: null, links: {}, traceId: expect.stringMatching(UUID), data: {}, ...body };
  return { status, headers: { ...HEADERS, ...headers }, lengthIsRight: true, body: envelope };
}

const REFUSAL = '{"message":"The API key is missing or not valid. Send a valid key in the X-API-Key header."}';

/** The one answer to every bad key: a message and nothing else (SPEC.md 7). */
export const UNAUTHORIZED: Got = {
  status: 401,
  headers: { ...HEADERS, 'content-length': String(REFUSAL.length) },
  body: REFUSAL,
};

/** The generic text: it says neither what exists nor what was asked. */
const ID_NOT_FOUND = 'ID not found. Check the ID, the rest of the path, and which alarms the API key may use.';

/** The one answer to everything that is out of reach or cannot fire (SPEC.md 7). */
export const NOT_FOUND = answer(404, { message: ID_NOT_FOUND });

/** An answer with everything that may differ between two calls taken out: the traceId. */
export function withoutTrace(got: Got): Got {
  return { ...got, body: got.body.replace(/"traceId":"[0-9a-f-]{36}"/, '"traceId":""') };
}

/** How many actions wait, and how many calls are in the log, once everything is applied and written. */
export async function recorded(world: World, accountId?: string): Promise<{ actions: number; calls: number }> {
  await world.settle();
  const [row] = await world.rows<{ actions: number; calls: number }>(
    `SELECT (SELECT count(*)::int FROM (${WAITING_CALLS}) w WHERE account_id = $1 OR $1 IS NULL) AS actions,
       (SELECT count(*)::int FROM call_log WHERE account_id = $1 OR $1 IS NULL) AS calls`,
    [accountId ?? null],
  );
  return row!;
}
