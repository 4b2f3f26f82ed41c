import type { Pool, PoolClient } from 'pg';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { DRILLS_OF_SWEEP, startDrills } from '../../services/engine/watch/drills.ts';
import { KEEP_ALL } from '../../services/limits/kept.ts';
import { FIRST_PLACE, readPeopleToDrill } from '../../services/store/statements/drill.ts';
import { newOwner, refusal } from '../support/console.ts';
import type { World } from '../support/world.ts';
import { aDrilledHome } from './drill-rig.ts';

/* Who is drilled by themselves, and at what cost to everybody else (DECISIONS.md "Drill"). */

/** One pass over all people, as one process makes it. */
async function onePass(world: World, pool: Pool = world.store.pool): Promise<void> {
  const watcher = startDrills({
    pool,
    carriers: ['text', 'email'],
    kept: KEEP_ALL,
    log: pino({ level: 'silent' }),
    onOpened: () => {},
    onNotice: () => {},
  });
  await watcher.drain();
  await watcher.close();
}

/** Somebody else's transaction, open until `end`, that locked the rows of a statement. */
async function locking(world: World, sql: string, values: unknown[]) {
  const client = await world.store.pool.connect();
  await client.query('BEGIN');
  await client.query(`${sql} FOR UPDATE`, values);
  let end = async () => {
    end = async () => {};
    await client.query('ROLLBACK');
    client.release();
  };
  onTestFinished(() => end());
  return { end: () => end() };
}

/** A pool of which `then` happens after each statement of that name. */
function after(pool: Pool, name: string, then: () => Promise<void>): Pool {
  const connect = async () => {
    const client = await pool.connect();
    const query = async (...asked: unknown[]) => {
      const answer = await (client.query as (...asked: unknown[]) => Promise<unknown>)(...asked);
      if ((asked[0] as { name?: string }).name === name) await then();
      return answer;
    };
    return new Proxy(client, {
      get: (of, property) => {
        if (property === 'query') return query;
        const value = of[property as keyof PoolClient] as unknown;
        return typeof value === 'function' ? value.bind(of) : value;
      },
    });
  };
  return new Proxy(pool, { get: (of, property) => (property === 'connect' ? connect : Reflect.get(of, property)) });
}

test('people whom a policy names through a duty alone are drilled too, those of another account are not', async () => {
  const { world, owner, console, drilled } = await aDrilledHome();
  const ben = await owner.contact('Ben', { email: 'ben@example.com' });
  await owner.contact('Cleo', { email: 'cleo@example.com' });
  const { duty } = await console.duties.createDuty({
    duty: { key: 'nights', name: 'Nights', timeZone: 'UTC', otherwise: { contactIds: [ben] } },
  });
  await owner.policy([{ delayS: 0, contacts: [{ dutyId: duty!.id, channels: [] }] }]);
  const outsider = await newOwner(world, 'Somebody else');
  await outsider.console.contacts.createContact({ contact: { name: 'Ben', key: 'ben', channels: [] } });
  await world.rows("UPDATE account SET drills = 'monthly'");
  await world.settle();
  expect(await drilled()).toEqual(['Anna', 'Ben']);
});

test('a look goes over so many people, whether a policy names them or not', async () => {
  const { world, owner, anna } = await aDrilledHome();
  for (const name of ['Ben', 'Cleo', 'Dora', 'Emil']) await owner.contact(name, { email: `${name}@example.com` });
  const { pool } = world.store;
  const first = await readPeopleToDrill(pool, FIRST_PLACE, 2);
  expect(first.people.map(({ contact }) => contact.id)).toEqual([anna]);
  const second = await readPeopleToDrill(pool, first.next!, 2);
  expect(second.people).toEqual([]);
  const third = await readPeopleToDrill(pool, second.next!, 2);
  expect(third).toEqual({ people: [], next: null });
});

test('once the cap of a day is reached, a drill goes over what costs nothing', async () => {
  const { world, owner, drills } = await aDrilledHome();
  await world.rows(
    `INSERT INTO spend (account_id, day, text_parts, cents)
     SELECT id, (tocsin_now() AT TIME ZONE 'UTC')::date, 200, daily_spend_cap_cents FROM account WHERE id = $1`,
    [owner.accountId],
  );
  await onePass(world);
  expect(await drills()).toEqual(['email open Fri 10:00']);
});

test('whoever has nothing but a phone waits for another day once the ceiling is reached', async () => {
  const { world, owner, drills } = await aDrilledHome();
  await world.rows("DELETE FROM contact_channel WHERE channel <> 'text'");
  await world.rows(
    `WITH limits AS (UPDATE account SET daily_spend_cap_cents = 0, daily_spend_ceiling_cents = 50 WHERE id = $1)
     INSERT INTO spend (account_id, day, text_parts, cents) VALUES ($1, (tocsin_now() AT TIME ZONE 'UTC')::date, 10, 50)`,
    [owner.accountId],
  );
  await onePass(world);
  expect(await drills()).toEqual([]);
  await world.rows('DELETE FROM spend');
  await onePass(world);
  expect(await drills()).toEqual(['text open Fri 10:00']);
});

test('of many who are due at once, so many are drilled at a time', async () => {
  const { world, owner, drills } = await aDrilledHome();
  const people: string[] = [];
  for (let place = 1; place <= DRILLS_OF_SWEEP; place++) {
    people.push(await owner.contact(`Person ${place}`, { email: `person-${place}@example.com` }));
  }
  await owner.policy([{ delayS: 0, contacts: people.map(contactId => ({ contactId, channels: [] })) }]);
  const atEachLook: number[] = [];
  const look = async () => void atEachLook.push((await drills()).length);
  await onePass(world, after(world.store.pool, 'people_to_drill', look));
  await onePass(world);
  expect([...new Set([...atEachLook, (await drills()).length])]).toEqual([0, DRILLS_OF_SWEEP, DRILLS_OF_SWEEP + 1]);
});

test('deleting a person ends their drill, and an account can be deleted while one is open', async () => {
  const { world, owner, anna, console, drills } = await aDrilledHome();
  await onePass(world);
  expect(await drills()).toEqual(['text open Fri 10:00']);
  await world.rows('UPDATE mode SET policy_id = NULL');
  await console.policies.deletePolicy({ policyId: (await console.policies.listPolicies({})).policies[0]!.id });
  await console.contacts.deleteContact({ contactId: anna });
  await world.settle();
  expect(await drills()).toEqual(['text closed Fri 10:00']);
  expect((await console.incidents.listCalls({})).calls).toEqual([]);

  const ben = await owner.contact('Ben', { email: 'ben@example.com' });
  await owner.policy([{ delayS: 0, contacts: [{ contactId: ben, channels: [] }] }]);
  await onePass(world);
  expect((await drills()).at(-1)).toBe('email open Fri 10:00');
  await console.accounts.deleteAccount({ accountId: owner.accountId, withContents: true });
  expect((await drills()).at(-1)).toBe('email closed Fri 10:00');
});

test.each([
  ['its account is being changed', 'SELECT FROM account WHERE id = $1'],
  ['the last drill is being written', 'SELECT FROM source_state WHERE account_id = $1'],
])('while %s a drill waits for the next pass, and one by hand is refused', async (_, sql) => {
  const { world, owner, anna, console, drills } = await aDrilledHome();
  await world.rows("UPDATE account SET drills = 'off'");
  await console.drills.startDrill({ contactId: anna, channel: 'email' });
  await world.settle();
  const before = await drills();
  await world.advance(31 * 24 * 3600);
  await world.rows("UPDATE account SET drills = 'monthly'");
  const other = await locking(world, sql, [owner.accountId]);
  await onePass(world);
  expect(await refusal(console.drills.startDrill({ contactId: anna, channel: 'text' }))).toMatchObject({
    code: 'Unavailable',
    message: expect.stringContaining('try again in a moment'),
  });
  expect((await drills()).length).toBe(before.length);
  await other.end();
  await console.drills.startDrill({ contactId: anna, channel: 'text' });
  expect((await drills()).length).toBe(before.length + 1);
});

test('whoever was drilled by hand while a pass looked at them is not drilled again', async () => {
  const { world, anna, console, drills } = await aDrilledHome();
  const byHand = async () => {
    if ((await drills()).length === 0) await console.drills.startDrill({ contactId: anna, channel: 'email' });
  };
  await onePass(world, after(world.store.pool, 'people_to_drill', byHand));
  expect(await drills()).toEqual(['email open Fri 10:00']);
});
