import { expect, test, vi } from 'vitest';
import { consoleOf, refusal } from '../../support/console.ts';
import { twoHouses } from '../../support/members.ts';
import { sharedByProcesses } from '../../support/shared.ts';
import { startWorld, type World } from '../../support/world.ts';
import { consoleToken } from './sign-in-rig.ts';

/*
 * Whatever opened something opens nothing on the very next call once it is ended, in whichever of two processes it was ended and in
 * whichever it is shown, however lately it was good there (DECISIONS.md "Who opens what").
 */

const ROUNDS = 250;

vi.setConfig({ testTimeout: 120_000 });

/** Two processes on one database, with the first one's houses and mail. */
async function twoProcesses() {
  const shared = await sharedByProcesses();
  const houses = await twoHouses(shared);
  const other = await startWorld({ ...shared, publicUrl: 'https://alarm.example.com' });
  const worlds = [houses.world, other] as const;
  return {
    ...houses,
    /** Each of both, ended here and shown there. */
    async rounds(round: (here: World, there: World) => Promise<void>): Promise<void> {
      for (let nth = 0; nth < ROUNDS; nth++) await round(worlds[nth % 2]!, worlds[Math.floor(nth / 2) % 2]!);
    },
  };
}

test('a key that is revoked', async () => {
  const { rounds, elms } = await twoProcesses();
  await rounds(async (here, there) => {
    const own = consoleOf(here, elms.token).apiKeys;
    const { apiKey, secret } = await own.createApiKey({ apiKey: { label: 'Camera' } });
    for (const world of [here, there]) expect((await world.get('/v1/integration/state', secret)).status).toBe(200);
    await own.revokeApiKey({ apiKeyId: apiKey!.id });
    for (const world of [there, here]) expect((await world.get('/v1/integration/state', secret)).status).toBe(401);
  });
});

test('a console token that is revoked, and the session that it opened', async () => {
  const { rounds, elms, world } = await twoProcesses();
  const operator = (of: World) => consoleOf(of, world.operator, elms.accountId);
  await rounds(async (here, there) => {
    const { token, secret } = await operator(here).accounts.createToken({ label: 'Script' });
    const session = await consoleOf(here, 'nothing').sessions.signIn(consoleToken(secret));
    const shown = (of: World) => [consoleOf(of, secret), consoleOf(of, session.secret)];
    for (const one of [...shown(here), ...shown(there)]) await one.locations.listLocations({});
    await operator(here).accounts.revokeToken({ tokenId: token!.id });
    for (const one of [...shown(there), ...shown(here)]) {
      expect(await refusal(one.locations.listLocations({}))).toMatchObject({ code: 'Unauthenticated' });
    }
  });
});

test('a session that is ended', async () => {
  const { rounds, elms } = await twoProcesses();
  await rounds(async (here, there) => {
    const { secret } = await consoleOf(here, 'nothing').sessions.signIn(consoleToken(elms.token));
    for (const world of [here, there]) await consoleOf(world, secret).locations.listLocations({});
    const { sessions } = await consoleOf(here, secret).sessions.listSessions({});
    await consoleOf(here, secret).sessions.endSession({ sessionId: sessions.find(({ current }) => current)!.id });
    for (const world of [there, here]) {
      const shown = consoleOf(world, secret).locations.listLocations({});
      expect(await refusal(shown)).toMatchObject({ code: 'Unauthenticated' });
    }
  });
});

test('a member who is removed', async () => {
  const { rounds, elms, outsider, signIn, world } = await twoProcesses();
  // At home in the other account all along, so that the session itself goes on.
  await outsider.console.members.inviteMember({ email: 'anna@example.com', role: 'owner', name: 'Anna' });
  await elms.console.members.inviteMember({ email: 'ben@example.com', role: 'owner', name: 'Ben' });
  const secret = await signIn('anna@example.com');
  const [row] = await world.rows<{ id: string; row: unknown }>(
    'SELECT id, to_jsonb(m) AS row FROM member m WHERE account_id = $1 AND name = $2',
    [elms.accountId, 'Anna'],
  );
  await rounds(async (here, there) => {
    for (const of of [here, there]) await consoleOf(of, secret, elms.accountId).locations.listLocations({});
    await consoleOf(here, elms.token).members.removeMember({ memberId: row!.id });
    for (const of of [there, here]) {
      const shown = consoleOf(of, secret, elms.accountId).locations.listLocations({});
      expect(await refusal(shown)).toMatchObject({ code: 'NotFound' });
      await consoleOf(of, secret, outsider.accountId).locations.listLocations({});
    }
    await world.rows(
      'INSERT INTO member OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_record(NULL::member, $1)',
      [row!.row],
    );
  });
});
