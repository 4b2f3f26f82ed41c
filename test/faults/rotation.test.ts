import { randomBytes } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { startRotation } from '../../services/engine/keep/rotation.ts';
import { newId } from '../../services/store/id.ts';
import { createSeal } from '../../services/store/seal.ts';
import { newSecret, pepperId, pepperProof } from '../../services/store/secret.ts';
import { leftUnderOther } from '../../services/store/statements/adopt.ts';
import { personDigests } from '../../services/store/statements/sign-in.ts';
import { commandLine } from '../cli/command-line.ts';
import { consoleOf, newOwner } from '../support/console.ts';
import { makeDatabase, TEMPLATE } from '../support/database.ts';
import { logInto } from '../support/log.ts';
import { startSmtp } from '../support/smtp.ts';
import { PEPPER, startWorld, type World } from '../support/world.ts';
import { emptyDatabase, shelf, tocsin } from './backup-rig.ts';
import { call, startProduct } from './product.ts';

/* DECISIONS.md "Changing DATA_KEY and KEY_PEPPER": nobody notices, whatever dies meanwhile. */
vi.setConfig({ testTimeout: 180_000 });

const [BEFORE, AFTER] = [randomBytes(32), randomBytes(32)];
const NEXT = 'the next pepper of the tests, as long as the one before';
const KEY_AFTER = createSeal(AFTER).keyId;

async function sharedDatabase(): Promise<string> {
  const name = `rotation_${newId()}`;
  await makeDatabase(inject('postgresUrl'), { name, from: TEMPLATE });
  return name;
}

/** An owner with an alarm that tells one person by email, and a call of it. */
async function aHouse(world: World, mail: string) {
  const owner = await world.account({ ownerEmail: `owner-of-${mail}` });
  const contactId = await owner.contact('Anna', { email: mail });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const panicId = await owner.panicButton({ policyId });
  return { owner, contactId, path: `/v1/panic/${panicId}/trigger`, key: await owner.key() };
}

/** What is sealed in any table, by the key that it was sealed with: the id of the key, and how many. */
async function sealedBy(world: World): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const tables = await world.rows<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')",
  );
  for (const { name } of tables) {
    for (const { text } of await world.rows<{ text: string }>(`SELECT (t.*)::text AS text FROM "${name}" t`)) {
      for (const [, id] of text.matchAll(/v1\.([\w-]{8})\.[\w-]+\.[\w-]+\./g)) found[id!] = (found[id!] ?? 0) + 1;
    }
  }
  return found;
}

test('a new DATA_KEY beside the one before, under load: no call is refused, everybody is told, and nothing is left', async () => {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const database = await sharedDatabase();
  const before = await startWorld({ database, smtpUrl: smtp.url, dataKey: BEFORE, dataKeyAlso: AFTER });
  const houses: Awaited<ReturnType<typeof aHouse>>[] = [];
  for (let nth = 0; nth < 20; nth++) houses.push(await aHouse(before, `anna-${nth}@example.com`));
  const { console } = await newOwner(before);
  await console.contacts.createContact({
    contact: { name: 'Ben', channels: [{ channel: 'email', address: 'ben@example.com' }] },
  });
  const refused: number[] = [];
  let calls = 0;
  const load = async (world: World, house: (typeof houses)[number]) => {
    const { status } = await world.get(house.path, house.key);
    calls++;
    if (status !== 202) refused.push(status);
  };
  const round = (world: World) => Promise.all(houses.map(house => load(world, house)));
  await round(before);

  const after = await startWorld({ database, smtpUrl: smtp.url, dataKey: AFTER, dataKeyAlso: BEFORE });
  const moving = after.services.rotate();
  // Both at once: a process that still writes with the former key takes calls, and changes, too.
  for (let nth = 0; nth < 10; nth++) {
    await Promise.all([round(before), round(after)]);
    await aHouse(before, `late-${nth}@example.com`);
  }
  await moving;
  await before.settle();
  await after.services.rotate();
  await Promise.all([before.settle(), after.settle()]);
  expect(refused).toEqual([]);
  expect(calls).toBe(420);
  expect(Object.keys(await sealedBy(after))).toEqual([KEY_AFTER]);
  for (let nth = 0; nth < 20; nth++) {
    expect(
      smtp.mails.some(({ envelope }) => envelope.to.includes(`anna-${nth}@example.com`)),
      `${nth}`,
    ).toBe(true);
  }
  // The audit still says what it said.
  const { changes } = await console.audit.listChanges({});
  expect(JSON.stringify(changes.map(({ after }) => after))).toContain('ben@example.com');
  // The outsider's key is as unknown as before.
  expect((await after.get(houses[0]!.path, `toc_${'x'.repeat(36)}`)).status).toBe(401);
});

test('killed after each of its statements, it goes on and nothing is lost', async () => {
  const database = await sharedDatabase();
  const world = await startWorld({ database, dataKey: BEFORE });
  const house = await aHouse(world, 'anna@example.com');
  expect((await world.get(house.path, house.key)).status).toBe(202);
  await world.settle();
  const had = await sealedBy(world);
  const all = Object.values(had).reduce((sum, count) => sum + count, 0);
  await world.rows("UPDATE secret_proof SET proof = $1 WHERE name = 'DATA_KEY'", [createSeal(AFTER).seal('tocsin')]);
  await world.rows("UPDATE secret_proof SET proof = $1 WHERE name = 'KEY_PEPPER'", [pepperProof(NEXT)]);
  const [seal, pepper] = [createSeal(AFTER, BEFORE), { now: NEXT, also: PEPPER }];
  let deaths = 0;
  for (let statements = 1; ; statements++) {
    const mortal = mortalPool(world.store.pool, statements);
    const rotation = startRotation({ pool: mortal.pool, seal, pepper, log: logInto(undefined) });
    await Promise.race([rotation.move(), mortal.died]);
    await rotation.close();
    const sealed = await sealedBy(world);
    expect(Object.values(sealed).reduce((sum, count) => sum + count, 0)).toBe(all);
    if (!mortal.isDead()) break;
    deaths++;
  }
  expect(deaths).toBeGreaterThan(10);
  expect(await sealedBy(world)).toEqual({ [KEY_AFTER]: all });
  const persons = await world.rows<{ digest: Buffer }>('SELECT email_digest AS digest FROM member');
  expect(persons.map(({ digest }) => digest)).toEqual([personDigests(NEXT, 'owner-of-anna@example.com')[0]]);
});

test('a new KEY_PEPPER beside the one before, under load: keys, tokens, sessions and links go on, and can then do without it', async () => {
  const database = await sharedDatabase();
  const before = await startWorld({ database, dataKey: BEFORE, pepper: { now: PEPPER, also: NEXT } });
  const house = await aHouse(before, 'anna@example.com');
  const { token } = await newOwner(before);
  const keys = await Promise.all(Array.from({ length: 40 }, () => house.owner.key()));
  const unused = [await house.owner.key(), house.key];
  const { secret: session } = await consoleOf(before, token).sessions.signIn({
    way: { case: 'consoleToken', value: { token } },
  });
  const after = await startWorld({ database, dataKey: BEFORE, pepper: { now: NEXT, also: PEPPER } });
  const refused: (number | string)[] = [];
  const asked = async (world: World) => {
    await Promise.all(
      keys.map(async key => {
        const { status } = await world.get(house.path, key);
        const state = await world.get('/v1/integration/state', key);
        refused.push(...[status, state.status].filter(one => one >= 400));
      }),
    );
    // Both processes move them to their own pepper, to and fro.
    for (let times = 0; times < 20; times++) {
      await Promise.all(
        [token, session, token, session].map(one =>
          consoleOf(world, one)
            .locations.listLocations({})
            .catch(error => refused.push(String(error))),
        ),
      );
    }
  };
  for (let nth = 0; nth < 5; nth++) {
    await Promise.all([asked(before), asked(after)]);
    keys.push(await house.owner.key());
  }
  expect(refused).toEqual([]);
  expect((await after.get('/v1/integration/state', newSecret('toc'))).status).toBe(401);

  // Each process stores what it makes under the pepper that it writes with, and the other reads it.
  const late = await house.owner.key();
  expect((await after.get('/v1/integration/state', late)).status).toBe(200);
  await asked(after);
  await after.services.rotate();
  // The key and the operator's token that nobody has used since.
  expect(await leftUnderOther(after.store.pool, pepperId(NEXT))).toEqual({ keys: 2, tokens: 1 });

  // Its owner sees each secret once, however many digests are stored of it.
  const { apiKeys } = await consoleOf(before, before.operator, house.owner.accountId).apiKeys.listApiKeys({});
  expect(apiKeys.length).toBeGreaterThan(40);
  expect(apiKeys.filter(({ secrets }) => secrets.length !== 1)).toEqual([]);
  const as = { TOCSIN_RPC_URL: after.rpcUrl, TOCSIN_TOKEN: before.operator };
  const { json } = await commandLine(as).json('doctor');
  expect(json.checks.find(({ name }: { name: string }) => name === 'secrets')).toMatchObject({
    verdict: 'warn',
    // The operator's token has just been used.
    found: expect.stringMatching(
      /^KEY_PEPPER is being changed.* Nobody has used 2 API keys and 0 console tokens since\.$/,
    ),
  });

  // Without the former one: what was used goes on, what was not is what the count said.
  const alone = await startWorld({ database, dataKey: BEFORE, pepper: NEXT });
  for (const key of [...keys, late]) expect((await alone.get('/v1/integration/state', key)).status).toBe(200);
  for (const key of unused) expect((await alone.get('/v1/integration/state', key)).status).toBe(401);
  for (const one of [token, session]) await consoleOf(alone, one).locations.listLocations({});
  await alone.services.rotate();
  const digests = await alone.rows<{ n: number }>('SELECT count(*)::int AS n FROM api_key_secret');
  expect(digests[0]!.n).toBe(keys.length + 1 + unused.length);
});

/** A pool whose connections end, with the transaction that is open, after so many statements. */
function mortalPool(pool: Pool, statements: number) {
  let left = statements;
  const death = Promise.withResolvers<void>();
  const mortal = {
    async connect() {
      const client = await pool.connect();
      return new Proxy(client, {
        get(target, name) {
          if (name === 'query') return (...asked: unknown[]) => query(target, asked);
          const value = Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    },
    query: (...asked: unknown[]) => query(pool as unknown as PoolClient, asked),
  };

  async function query(on: PoolClient, asked: unknown[]) {
    // Whoever is dead does not even roll back: the server does.
    if (left <= 0) {
      await Reflect.apply(on.query, on, ['ROLLBACK']).catch(() => {});
      death.resolve();
      throw new Error('dead');
    }
    left--;
    return Reflect.apply(on.query, on, asked);
  }
  return { pool: mortal as unknown as Pool, died: death.promise, isDead: () => left <= 0 };
}

test('a backup from before is restored with the former key named beside the new one, and without it refused', async () => {
  const [filled, target, folder] = [await emptyDatabase(), await emptyDatabase(), await shelf()];
  const first = startProduct(filled);
  const { apiKey = '' } = await first.ready();
  const file = `${folder}/before.backup`;
  expect(await tocsin(['backup', file], filled)).toMatchObject({ code: 0 });
  first.signal('SIGTERM');
  expect(await first.ended()).toBe(0);
  const DATA_KEY = '1'.repeat(64);
  expect(await tocsin(['restore', file], { ...target, DATA_KEY })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^DATA_KEY is not the one .* as DATA_KEY_ALSO/),
  });
  const settings = { ...target, DATA_KEY, DATA_KEY_ALSO: filled.DATA_KEY };
  expect(await tocsin(['restore', file], settings)).toMatchObject({ code: 0 });
  const product = startProduct(settings);
  expect(await call(await product.ready(), 'integration/state', apiKey)).toBe(200);
});

test('of the audit nothing but what is sealed can become something else, whoever asks', async () => {
  const world = await startWorld({ tables: 'fresh', roles: 'two' });
  const { console } = await newOwner(world);
  await console.contacts.createContact({
    contact: { name: 'Ben', channels: [{ channel: 'email', address: 'ben@example.com' }] },
  });
  const [row] = await world.rows<{ account_id: string; id: string; after: Record<string, unknown> }>(
    "SELECT account_id, id::text AS id, after FROM audit WHERE kind = 'contact'",
  );
  const reseal = async (after: unknown) => {
    const changed = [{ ...row, before: null, new_before: null, new_after: after }];
    const [{ moved } = { moved: -1 }] = await world.rows<{ moved: number }>(
      'SELECT tocsin_reseal_audit($1::json) AS moved',
      [JSON.stringify(changed)],
    );
    return moved;
  };
  expect(await reseal({ ...row!.after, name: 'Somebody else' })).toBe(0);
  expect(await reseal({})).toBe(0);
  const sealed = JSON.parse(JSON.stringify(row!.after).replace(/v1\.[\w-]{8}\.[\w.-]+/, createSeal(AFTER).seal('x')));
  expect(sealed).not.toEqual(row!.after);
  expect(await reseal(sealed)).toBe(1);
});
