import { expect, test, vi } from 'vitest';
import { historyChecker } from '../support/history/checker.ts';
import { nothingUndone } from '../support/history/load.ts';
import { receivedMails } from '../support/history/received.ts';
import { allCurrent, allDone } from './cluster/aftermath.ts';
import { makeAccount } from './cluster/deployment.ts';
import { Follower } from './cluster/follower.ts';
import { startLoad } from './cluster/load.ts';
import { startRolling } from './rolling/deployment.ts';
import { aFamily } from './rolling/family.ts';

/*
 * An upgrade as operators do it: processes of the version before and of this one side by side on one database and one NATS, with
 * calls and sockets on them all the time, until those of the version before have stopped.
 */
vi.setConfig({ testTimeout: 300_000 });

const checker = historyChecker('upgraded under load');

const ACCOUNTS = 4;
const ALARMS_EACH = 2;

/** Accepted calls at each door before the next step of the upgrade. */
const CALLS = 60;

/** Triggers of alarms that alert somebody, in each part of the upgrade. */
const ALERTS = 6;

test('one version takes over from the other under load: nothing accepted is lost, every timer fires once, and no message goes out twice', async () => {
  const rolling = await startRolling();
  const oldServices = await rolling.services('before');
  const oldFacade = await rolling.facade('before', oldServices);
  const at = { rpcUrl: oldServices.url, operator: rolling.operator };
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => makeAccount(at, ALARMS_EACH)));
  const family = await aFamily(rolling, oldServices.url, 4 * ALERTS);
  /** Where calls go at this time. */
  const doors = [oldFacade.url];
  const load = startLoad(accounts, doors);
  load.goOn();
  await family.trigger(ALERTS, doors);
  await load.more(CALLS, doors);

  // The database is brought up to date while the version before works on it, and its windows and steps wait there.
  const newServices = await rolling.services('now');
  await family.trigger(ALERTS, doors);
  await load.more(CALLS, doors);

  // Each asks the other's services, and both hear of what is done at either.
  const crossed = [await rolling.facade('before', newServices), await rolling.facade('now', oldServices)];
  const urls = crossed.map(({ url }) => url);
  doors.splice(0, doors.length, ...urls);
  /** Where sockets try, one of each account first at one facade and one at the other. */
  const reachable = [[...urls], urls.toReversed()];
  const followers = accounts.flatMap((account, which) =>
    reachable.map((facades, nth) => new Follower(`socket ${nth} of account ${which}`, account, facades)),
  );
  await Promise.all(followers.map(follower => follower.start()));
  expect(new Set(followers.map(follower => follower.at))).toEqual(new Set(urls));
  await family.trigger(ALERTS, doors);
  await load.more(CALLS, doors);
  for (const account of accounts) load.rest(account);
  await load.rested(accounts);
  await nothingUndone(rolling.rows);
  await allCurrent(rolling, followers, 'while both versions run');

  for (const account of accounts) load.rest(account, Number.POSITIVE_INFINITY);
  const newFacade = await rolling.facade('now', newServices);
  await family.trigger(ALERTS, doors);
  // The version before stops while the windows of these are open.
  doors.splice(0, doors.length, newFacade.url);
  for (const facades of reachable) facades.push(newFacade.url);
  await load.more(CALLS, doors);
  for (const part of [...crossed, oldFacade, oldServices]) await part.stop();
  await load.more(CALLS, doors);
  for (const account of accounts) load.rest(account);
  await load.rested(accounts);

  const when = 'when the version before has stopped';
  const byStatus = Map.groupBy(load.answered, ({ status }) => status);
  const answered = Object.fromEntries([...byStatus].map(([status, calls]) => [status, calls.length]));
  process.stdout.write(`rolling upgrade: calls by answer ${JSON.stringify(answered)}\n`);
  expect(load.unanswered).toEqual([]);
  // A busy machine says 503, and the caller knows.
  expect(load.answered.filter(({ status }) => status !== 202 && status !== 503)).toEqual([]);
  await family.toldOnce();
  const mails = { received: receivedMails(rolling.smtp.mails), heard: ['email'] };
  checker.holds(await allDone({ ...rolling, accounts }, load.answered, mails), when);
  await allCurrent(rolling, followers, when);
  expect(rolling.said()).not.toContain('unexpected error');
});
