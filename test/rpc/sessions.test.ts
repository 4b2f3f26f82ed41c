import { describe, expect, test } from 'vitest';
import { consoleOf, refusal } from '../support/console.ts';
import { twoHouses } from '../support/members.ts';

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
    expect(gone).toMatchObject({ code: 'NotFound', message: 'There is no such session of yours.' });
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
    expect(await world.rows('SELECT count(*)::int AS n FROM sign_in_code')).toEqual([{ n: 0 }]);
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
});
