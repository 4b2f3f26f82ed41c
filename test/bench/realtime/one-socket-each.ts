import { setTimeout as sleep } from 'node:timers/promises';
import { Crowd } from './crowd.ts';
import { call } from './measure.ts';
import type { Account } from './seed.ts';

/** Arms and disarms in turn, so that each call changes something. Resolves with the moment of the 202. */
export function change(url: string, account: Account): Promise<number> {
  account.calls += 1;
  return call(`${url}/v1/alarm/${account.alarmId}/${account.calls % 2 === 1 ? 'arm' : 'disarm'}`, account.apiKey);
}

/**
 * One socket for each account, and a call every so often, of each account in turn: none may come again before the window in
 * which its signals are held together has passed. Returns from the 202 to the socket's signal, in milliseconds, of each call.
 */
export async function oneSocketEach(
  url: string,
  accounts: readonly Account[],
  { calls, everyMs }: { calls: number; everyMs: number },
): Promise<number[]> {
  const crowds = await Promise.all(
    accounts.map(async ({ accountId, apiKey }) => {
      const crowd = new Crowd();
      await crowd.open(1, url, apiKey, `/account/${accountId}`);
      return crowd;
    }),
  );
  const times: Promise<number>[] = [];
  for (let n = 0, next = performance.now(); n < calls; n += 1) {
    // What is late is not made up for: calls that come closer than asked for would be held back together.
    next = Math.max(next + everyMs, performance.now());
    await sleep(Math.max(0, next - performance.now()));
    await times[n - crowds.length];
    const crowd = crowds[n % crowds.length]!;
    const signal = crowd.expect(1).then(() => crowd.lastAt);
    const answer = change(url, accounts[n % accounts.length]!);
    times.push(Promise.all([signal, answer]).then(([heardAt, answeredAt]) => Math.max(0, heardAt - answeredAt)));
  }
  const measured = await Promise.all(times);
  for (const crowd of crowds) crowd.close();
  return measured;
}
