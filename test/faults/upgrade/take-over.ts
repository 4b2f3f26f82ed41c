import { expect } from 'vitest';
import type { Checker } from '../../support/history/checker.ts';
import { nothingUndone } from '../../support/history/load.ts';
import { receivedMails } from '../../support/history/received.ts';
import type { Neighbour } from '../../support/neighbour.ts';
import { expectInTime } from '../../support/wait.ts';
import { allCurrent, allDone } from '../cluster/aftermath.ts';
import { makeAccount } from '../cluster/deployment.ts';
import { Follower } from '../cluster/follower.ts';
import { startLoad } from '../cluster/load.ts';
import { startRolling, type Version } from './deployment.ts';
import { aFamily } from './family.ts';

const ACCOUNTS = 4;
const ALARMS_EACH = 2;

/** Accepted calls at each door before the next step of the upgrade. */
const CALLS = 60;

/** Triggers of alarms that alert somebody, in each part of the upgrade. */
const ALERTS = 6;

/** How long a call may wait where nothing is to be noticed of the upgrade, in milliseconds. */
const LONGEST_MS = 5_000;

/**
 * An upgrade as operators do it: processes of this version and of the next one side by side on one database and one NATS,
 * with calls and sockets on them all the time, until those of one of them have stopped. `stays`: the next one, or this
 * one, where the upgrade is taken back. Throws what was lost, doubled, put elsewhere or not answered.
 */
export async function takeOver(next: Pick<Neighbour, 'folder'>, stays: Version, checker: Checker): Promise<void> {
  const rolling = await startRolling(next);
  const these = await rolling.services('this');
  const facade = await rolling.facade('this', these);
  const at = { rpcUrl: these.url, operator: rolling.operator };
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => makeAccount(at, ALARMS_EACH)));
  const family = await aFamily(rolling, these.url, 4 * ALERTS);
  /** Where calls go at this time. */
  const doors = [facade.url];
  const load = startLoad(accounts, doors);
  load.goOn();
  await family.trigger(ALERTS, doors);
  await load.more(CALLS, doors);

  // The database is brought up to date while this version works on it, and its windows and steps wait there.
  const those = await rolling.services('next');
  await family.trigger(ALERTS, doors);
  await load.more(CALLS, doors);

  // Each asks the other's services, and both hear of what is done at either.
  const crossed = [await rolling.facade('this', those), await rolling.facade('next', these)];
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
  const last = stays === 'next' ? await rolling.facade('next', those) : facade;
  await family.trigger(ALERTS, doors);
  // The other version stops while the windows of these are open.
  doors.splice(0, doors.length, last.url);
  for (const facades of reachable) facades.push(last.url);
  await load.more(CALLS, doors);
  const leaving = stays === 'next' ? [...crossed, facade, these] : [...crossed, those];
  for (const part of leaving) await part.stop();
  await load.more(CALLS, doors);
  for (const account of accounts) load.rest(account);
  await load.rested(accounts);

  const when = `when ${stays} version has stayed`;
  const byStatus = Map.groupBy(load.answered, ({ status }) => status);
  const answered = Object.fromEntries([...byStatus].map(([status, calls]) => [status, calls.length]));
  const longest = Math.max(...load.answered.map(call => call.answered - call.began));
  process.stdout.write(
    `upgrade, ${stays} stays: calls by answer ${JSON.stringify(answered)}, the longest ${Math.round(longest)} ms, ${rolling.smtp.mails.length} mails\n`,
  );
  expect(load.unanswered).toEqual([]);
  // A busy machine says 503, and the caller knows.
  expect(load.answered.filter(({ status }) => status !== 202 && status !== 503)).toEqual([]);
  expectInTime(longest, LONGEST_MS);
  await nothingUndone(rolling.rows);
  await family.toldOnce();
  const mails = { received: receivedMails(rolling.smtp.mails), heard: ['email'] };
  checker.holds(await allDone({ ...rolling, accounts }, load.answered, mails), when);
  await allCurrent(rolling, followers, when);
  expect(rolling.said()).not.toContain('unexpected error');
}
