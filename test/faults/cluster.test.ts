import { expect, test, vi } from 'vitest';
import { historyChecker } from '../support/history/checker.ts';
import { allCurrent, allDone } from './cluster/aftermath.ts';
import { type Part, startDeployment } from './cluster/deployment.ts';
import { Follower } from './cluster/follower.ts';
import { startLoad } from './cluster/load.ts';

/*
 * A cluster for real: three nats-servers, two services and two facades, with sockets on both facades and calls through both,
 * while one after the other is killed and started again.
 */
vi.setConfig({ testTimeout: 150_000 });

const checker = historyChecker('killed in turn in a cluster');

const ACCOUNTS = 6;
const ALARMS_EACH = 2;
const SOCKETS_EACH = 5;

/** Accepted calls at each living facade before a kill, while something is dead, and when it is back. */
const CALLS = 30;

test('every process is killed in turn under load: every socket becomes current again, and nothing accepted is lost or done twice', async () => {
  const cluster = await startDeployment(ACCOUNTS, ALARMS_EACH);
  const { accounts, nats, services, facades } = cluster;
  const urls = facades.map(({ url }) => url);
  const followers = accounts.flatMap((account, which) =>
    Array.from({ length: SOCKETS_EACH }, (_, nth) => {
      const name = `socket ${nth} of account ${which}`;
      return new Follower(name, account, nth % 2 === 0 ? urls : urls.toReversed());
    }),
  );
  await Promise.all(followers.map(follower => follower.start()));
  expect(new Set(followers.map(({ at }) => at)).size).toBe(2);
  const load = startLoad(accounts, urls);

  const rounds: { what: string; victims(): Promise<Part[]> }[] = [
    ...nats.map((part, nth) => ({ what: `nats-server ${nth}`, victims: async () => [part] })),
    ...services.map((part, nth) => ({ what: `services ${nth}`, victims: async () => [part] })),
    // What these had to say they could say to nobody, and with them dies the memory of it.
    { what: 'services 0 and its nats-server', victims: async () => [await cluster.natsOf(0), services[0]!] },
    ...facades.map((part, nth) => ({ what: `facade ${nth}`, victims: async () => [part] })),
  ];
  for (const [number, round] of rounds.entries()) {
    const when = `in round ${number}, which killed ${round.what}`;
    const victims = await round.victims();
    const dead = facades.filter(facade => victims.includes(facade)).map(({ url }) => url);
    const living = urls.filter(url => !dead.includes(url));
    // A signal hides that one shortly before or after it was lost. So most accounts rest before the kill and then have one
    // change more, a moment apart; another rests while something is dead, another when all is back. Each time others.
    const inTurn = accounts.map((_, which) => accounts[(which + number) % accounts.length]!);
    const [early, late, last] = [inTurn.slice(0, -2), inTurn.at(-2)!, inTurn.at(-1)!];

    load.goOn();
    await load.more(CALLS, urls);
    for (const account of early) load.rest(account);
    await load.rested(early);
    await load.more(CALLS, urls);
    const [during, ...after] = early;
    load.rest(during!, 1);
    await victims[0]!.kill();
    for (const account of after.slice(1)) load.rest(account, 1);
    await load.rested(after.slice(1));
    await victims[1]?.kill();
    load.rest(after[0]!, 1);
    await load.more(CALLS, living);
    load.rest(late);
    for (const victim of victims) await victim.restart();
    await load.more(CALLS, urls);
    load.rest(last);
    await load.rested(accounts);

    const { answered, unanswered } = load;
    expect(
      answered.filter(({ status }) => status !== 202),
      when,
    ).toEqual([]);
    expect(
      unanswered.filter(({ facade }) => !dead.includes(facade)),
      when,
    ).toEqual([]);
    checker.holds(await allDone(cluster, answered), when);
    await allCurrent(cluster, followers, when);
    for (const { name, at, ends } of followers) {
      expect(living, `${name}, ${when}`).toContain(at);
      expect(
        ends.splice(0).filter(end => !dead.includes(end.at)),
        `${name}, ${when}`,
      ).toEqual([]);
    }
  }
  expect(cluster.said()).not.toContain('unexpected error');
});
