import { expect, onTestFinished, test, vi } from 'vitest';
import { newOwner, refusal } from '../support/console.ts';
import { makeDatabase } from '../support/database.ts';
import { eventually } from '../support/wait.ts';
import { type Answer, startWorld } from '../support/world.ts';
import { emptyFolder, query, setting, start } from './embedded-rig.ts';

vi.setConfig({ testTimeout: 90_000 });

/** A world whose Postgres can be told to wait, at each commit, for a standby that does not exist. */
async function aWorldWithoutStandby() {
  const { ownerUrl: server } = await start(await emptyFolder());
  const database = 'standby';
  const there = await makeDatabase(server, { name: database, from: 'template0' });
  // As an operator may have set it for a quiet log: the warning has to be heard all the same.
  await query(server, `ALTER DATABASE ${database} SET client_min_messages = error`);
  const world = await startWorld({ server, database });

  /** Sets it for the server, and waits until it is in force. */
  const waitFor = async (standby: string) => {
    await query(server, `ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
    await query(server, 'SELECT pg_reload_conf()');
    await eventually(async () => (await setting(there, 'synchronous_standby_names')) === standby, {
      what: `commits to wait for "${standby}"`,
    });
  };
  onTestFinished(() => waitFor(''));
  return {
    world,
    waitFor,
    /** What an operator does who sees that commits hang: cancels all that wait, until `ended`. */
    async cancelUntil<T>(ended: Promise<T>): Promise<T> {
      let over = false;
      const end = () => {
        over = true;
      };
      ended.then(end, end);
      await eventually(
        async () => {
          await query(server, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
          return over;
        },
        { what: 'what waited to end' },
      );
      return ended;
    },
  };
}

test('a commit that a standby may lack is a 503 for every account, never a 202; without that standby all goes on', async () => {
  const { world, waitFor, cancelUntil } = await aWorldWithoutStandby();
  const callers = await Promise.all(
    [1, 2].map(async () => {
      const owner = await world.account();
      const [alarm, key] = [await owner.alarm(), await owner.key()];
      return { owner, call: (verb: string) => world.get(`/v1/alarm/${alarm}/${verb}`, key) };
    }),
  );
  const all = (verb: string): Promise<Answer[]> => Promise.all(callers.map(({ call }) => call(verb)));
  const statuses = (answers: Answer[]) => answers.map(({ status }) => status);
  expect(statuses(await all('arm'))).toEqual([202, 202]);

  await waitFor('nobody');
  const doubtful = await cancelUntil(all('trigger'));
  expect(statuses(doubtful)).toEqual([503, 503]);
  expect(doubtful.map(({ headers }) => headers.get('retry-after'))).toEqual(['1', '1']);

  await waitFor('');
  const certain = await all('clear');
  expect(statuses(certain)).toEqual([202, 202]);
  await world.settle();
  // Stored here after all, so they were applied: what is sent again after a 503 may count twice, but is never lost.
  for (const [index, { owner }] of callers.entries()) {
    expect((await owner.call(doubtful[index]!)).outcome).toBe('opened');
    expect((await owner.incidents()).map(({ status }) => status)).toEqual(['closed']);
  }
});

test('no owner is told that a change is stored while a standby may lack it', async () => {
  const { world, waitFor, cancelUntil } = await aWorldWithoutStandby();
  const { console: own } = await newOwner(world);
  await waitFor('nobody');
  const refused = await cancelUntil(refusal(own.locations.createLocation({ location: { name: 'Home' } })));
  expect(refused).toMatchObject({ code: 'Unavailable', message: expect.stringContaining('may be stored or not') });
  await waitFor('');
  expect((await own.locations.listLocations({})).locations.map(({ key }) => key)).toEqual(['home']);
});
