import { expect, test, vi } from 'vitest';
import { acceptedOnce, allCurrent, nothingWaits, openedOnce } from './cluster/aftermath.ts';
import { type Part, startDeployment } from './cluster/deployment.ts';
import { Follower } from './cluster/follower.ts';
import { startLoad } from './cluster/load.ts';

/*
 * A cluster for real: three nats-servers, two services and two facades, with sockets on both facades and calls through both,
 * while one after the other is killed and started again.
 */
vi.setConfig({ testTimeout: 150_000 });

const ACCOUNTS = 6;
const ALARMS_EACH = 2;
const SOCKETS_EACH = 5;

/** Accepted calls at each living facade before a kill, while something is dead, and when it is back. */
const CALLS = 30;

test('each is killed in turn under load: every socket becomes current again, and nothing accepted is lost or done twice', async () => {
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

  const rounds: { victims: Part[]; what: string }[] = [
    ...nats.map((part, nth) => ({ victims: [part], what: `nats-server ${nth}` })),
    ...services.map((part, nth) => ({ victims: [part], what: `services ${nth}` })),
    { victims: [nats[0]!, services[0]!], what: 'nats-server 0 and services 0' },
    ...facades.map((part, nth) => ({ victims: [part], what: `facade ${nth}` })),
  ];
  for (const [number, { victims, what }] of rounds.entries()) {
    const when = `in round ${number}, which killed ${what}`;
    const dead = facades.filter(facade => victims.includes(facade)).map(({ url }) => url);
    const living = urls.filter(url => !dead.includes(url));
    // A change hides that the signal of an earlier one was lost. So a third of the accounts have their last one about the
    // kill, a third while something is dead, and the others when it is back.
    const rest = (third: number) =>
      accounts.filter((_, which) => (which + number) % 3 === third).forEach(account => void load.rest(account));

    load.goOn();
    await load.more(CALLS, urls);
    rest(0);
    await Promise.all(victims.map(victim => victim.kill()));
    await load.more(CALLS, living);
    rest(1);
    for (const victim of victims) await victim.restart();
    await load.more(CALLS, urls);
    rest(2);
    await load.idle();

    const { answered, unanswered } = load;
    expect(
      answered.filter(({ status }) => status !== 202),
      when,
    ).toEqual([]);
    expect(
      unanswered.filter(({ facade }) => !dead.includes(facade)),
      when,
    ).toEqual([]);
    await nothingWaits(cluster, when);
    await acceptedOnce(cluster, answered, when);
    await openedOnce(cluster, when);
    await allCurrent(cluster, followers, when);
    for (const { name, at, ends } of followers) {
      expect(living, `${name}, ${when}`).toContain(at);
      expect(
        ends.splice(0).filter(end => !dead.includes(end.at)),
        `${name}, ${when}`,
      ).toEqual([]);
    }
  }
  expect(cluster.said()).not.toContain('nobody foresaw');
});
