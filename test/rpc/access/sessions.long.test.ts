import { describe, expect, test } from 'vitest';
import { type Console, consoleOf, newOwner, refusal } from '../../support/console.ts';
import { nobody, twoHouses } from '../../support/members.ts';
import { consoleToken } from './sign-in-rig.ts';

describe('sessions', () => {
  test('one’s own are listed with where they are used, and end one by one or all at once: the next call is refused', async () => {
    const { world, signIn } = await twoHouses();
    const first = consoleOf(world, await signIn('anna@example.com'));
    await world.advance(60);
    const second = consoleOf(world, await signIn('anna@example.com'));
    const otto = consoleOf(world, await signIn('otto@example.org'));
    const listed = (await first.sessions.listSessions({})).sessions;
    expect(listed.map(({ current, address }) => [current, address])).toEqual(
      expect.arrayContaining([
        [true, '127.0.0.1'],
        [false, '127.0.0.1'],
      ]),
    );
    expect(listed).toHaveLength(2);
    const other = listed.find(({ current }) => !current)!;
    const ottos = (await otto.sessions.listSessions({})).sessions;
    expect(ottos).toHaveLength(1);
    // Another person's is as if there were none.
    const gone = await refusal(first.sessions.endSession({ sessionId: 'a'.repeat(32) }));
    expect(await refusal(first.sessions.endSession({ sessionId: ottos[0]!.id }))).toEqual(gone);
    expect(gone).toMatchObject({ code: 'NotFound', message: 'You have no such session.' });
    await first.sessions.endSession({ sessionId: other.id });
    expect(await refusal(second.locations.listLocations({}))).toMatchObject({ code: 'Unauthenticated' });
    expect(await first.sessions.endAllSessions({})).toMatchObject({ ended: 1 });
    expect(await refusal(first.locations.listLocations({}))).toMatchObject({ code: 'Unauthenticated' });
    await otto.locations.listLocations({});
  });

  test('a session goes on while it is used, and ends 30 days after; what ended is removed', async () => {
    const { world, signIn } = await twoHouses();
    const anna = consoleOf(world, await signIn('anna@example.com'));
    const idle = consoleOf(world, await signIn('otto@example.org'));
    await world.advance(20 * 86_400);
    await anna.locations.listLocations({}, { headers: { 'user-agent': 'B'.repeat(5_000) } });
    expect((await anna.sessions.listSessions({})).sessions).toMatchObject([{ agent: 'B'.repeat(200) }]);
    await world.advance(20 * 86_400);
    await anna.locations.listLocations({});
    expect(await refusal(idle.locations.listLocations({}))).toMatchObject({ code: 'Unauthenticated' });
    await world.sweep();
    expect(await world.rows('SELECT count(*)::int AS n FROM console_session')).toEqual([{ n: 1 }]);
  });

  test('a party has a hundred, all of them listed: one more ends the one that was unused for longest, and nobody else’s', async () => {
    const { world, elms, outsider } = await twoHouses();
    const signIn = async (token: string) => {
      const { secret } = await nobody(world).sessions.signIn(consoleToken(token));
      return consoleOf(world, secret);
    };
    const theirs = await signIn(outsider.token);
    const first = await signIn(elms.token);
    await world.advance(1);
    const used = await signIn(elms.token);
    for (let n = 2; n < 100; n++) await signIn(elms.token);
    await first.locations.listLocations({});
    await world.advance(60);
    await used.locations.listLocations({});
    const newest = await signIn(elms.token);
    expect(await refusal(first.locations.listLocations({}))).toMatchObject({ code: 'Unauthenticated' });
    for (const own of [used, newest, theirs]) await own.locations.listLocations({});
    expect((await newest.sessions.listSessions({})).sessions).toHaveLength(100);
    expect(await world.rows('SELECT count(*)::int AS n FROM console_session')).toEqual([{ n: 101 }]);
  });

  test('a stream ends with its session, and goes on for everybody else', async () => {
    const { world, elms, signIn } = await twoHouses();
    const secret = await signIn('anna@example.com');
    const mine = consoleOf(world, secret).incidents.watchIncidents({})[Symbol.asyncIterator]();
    const theirs = elms.console.incidents.watchIncidents({})[Symbol.asyncIterator]();
    expect((await mine.next()).value).toMatchObject({ kind: 'ready' });
    expect((await theirs.next()).value).toMatchObject({ kind: 'ready' });
    await consoleOf(world, secret).sessions.endAllSessions({});
    expect(await refusal(mine.next())).toMatchObject({ code: 'Unauthenticated' });
    await theirs.return?.();
  });

  test('a stream ends, and the very next call is refused, when its reader is removed, or is of another account now', async () => {
    const { world, elms, outsider, invite, signIn } = await twoHouses();
    const follow = async (own: Console) => {
      const events = own.incidents.watchIncidents({})[Symbol.asyncIterator]();
      expect((await events.next()).value).toMatchObject({ kind: 'ready' });
      return events;
    };
    const memberOf = async (name: string) =>
      (await elms.console.members.listMembers({})).members.find(member => member.name === name)!;
    const stays = await follow(elms.console);

    await invite('bert@example.com', 'viewer', 'Bert');
    const bert = consoleOf(world, await signIn('bert@example.com'));
    const berts = await follow(bert);
    await elms.console.members.removeMember({ memberId: (await memberOf('Bert')).id });
    expect(await refusal(bert.incidents.listIncidents({}))).toMatchObject({ code: 'Unauthenticated' });
    expect(await refusal(berts.next())).toMatchObject({ code: 'Unauthenticated' });

    await invite('cleo@example.com', 'owner', 'Cleo');
    const cleo = consoleOf(world, await signIn('cleo@example.com'));
    const cleos = await follow(cleo);
    await outsider.console.members.inviteMember({ email: 'cleo@example.com', role: 'viewer', name: 'Cleo' });
    await elms.console.members.removeMember({ memberId: (await memberOf('Cleo')).id });
    expect((await cleo.sessions.getSession({})).accounts).toMatchObject([{ id: outsider.accountId }]);
    expect(await refusal(cleos.next())).toMatchObject({
      code: 'NotFound',
      message: 'You are no longer a member of the account of this stream: call again.',
    });
    await stays.return?.();
  });

  test('a role that was lowered counts for the very next call, whatever streams are open', async () => {
    const { world, elms, invite, signIn } = await twoHouses();
    await invite('dora@example.com', 'editor', 'Dora');
    const dora = consoleOf(world, await signIn('dora@example.com'));
    const events = dora.incidents.watchIncidents({})[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ kind: 'ready' });
    await dora.locations.createLocation({ location: { name: 'Attic' } });
    const member = (await elms.console.members.listMembers({})).members.find(({ name }) => name === 'Dora')!;
    await elms.console.members.updateMember({ member: { ...member, role: 'viewer' } });
    expect(await refusal(dora.locations.createLocation({ location: { name: 'Cellar' } }))).toMatchObject({
      code: 'PermissionDenied',
    });
    await events.return?.();
  });

  test('with its account a token ends, and so does what it signed in and what that follows', async () => {
    const { world } = await twoHouses();
    const gone = await newOwner(world, 'Gone');
    const { secret } = await nobody(world).sessions.signIn(consoleToken(gone.token));
    const session = consoleOf(world, secret);
    const events = session.incidents.watchIncidents({})[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ kind: 'ready' });
    await consoleOf(world, world.operator, gone.accountId).accounts.deleteAccount({ accountId: gone.accountId });
    expect(await refusal(session.locations.listLocations({}))).toMatchObject({ code: 'Unauthenticated' });
    expect(await refusal(events.next())).toMatchObject({ code: 'Unauthenticated' });
  });

  test('with their only account the sessions of its members end for good, also when another account invites them', async () => {
    const { world, outsider, signIn } = await twoHouses();
    const gone = await newOwner(world, 'Gone');
    for (const name of ['bert', 'cleo']) {
      await gone.console.members.inviteMember({ email: `${name}@example.com`, role: 'owner', name });
    }
    await outsider.console.members.inviteMember({ email: 'cleo@example.com', role: 'viewer', name: 'Cleo' });
    const bert = consoleOf(world, await signIn('bert@example.com'));
    const cleo = consoleOf(world, await signIn('cleo@example.com'));
    await bert.locations.listLocations({});
    await consoleOf(world, world.operator, gone.accountId).accounts.deleteAccount({ accountId: gone.accountId });
    await outsider.console.members.inviteMember({ email: 'bert@example.com', role: 'viewer', name: 'Bert' });
    expect(await refusal(bert.locations.listLocations({}))).toMatchObject({ code: 'Unauthenticated' });
    expect(await refusal(bert.sessions.getSession({}))).toMatchObject({ code: 'Unauthenticated' });
    // Who is a member elsewhere stays signed in, and so does whoever signs in anew.
    expect((await cleo.sessions.getSession({})).accounts).toMatchObject([{ id: outsider.accountId }]);
    await world.advance(60);
    const again = consoleOf(world, await signIn('bert@example.com'));
    expect((await again.sessions.getSession({})).accounts).toMatchObject([{ id: outsider.accountId }]);
  });
});
