import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { AccountService } from '../../../gen/tocsin/console/v1/accounts_pb.ts';
import type { Ground } from '../bench.ts';
import { median } from '../numbers.ts';
import { fillWithAlarms } from '../seed.ts';
import { type Looked, openAt } from './looked.ts';

/** A long list scrolled from its top to its end. */
export interface Scroll {
  alarms: number;
  /** From opening the list until all of its rows are there, in seconds. */
  loaded: number;
  /** The longest time between two frames, in milliseconds: of the middle round, and of the worst. */
  longest: number;
  worst: number;
  /** Frames that took over 50 ms, of all rounds, and all frames. */
  late: number;
  frames: number;
}

/** How far one step of the wheel goes, in pixels. */
const STEP = 1_200;

/** Pages of the list are of this size (facade/console/page/alarms/block.tsx). */
const PAGE = 200;

/** Fills another account with alarms, opens all of them and scrolls to the end, so many times. */
export async function measureScroll(
  { progress }: Ground,
  { page, pool, rpcUrl, token, url }: Looked,
  { rounds, alarms }: { rounds: number; alarms: number },
): Promise<Scroll> {
  progress(`filling an account with ${alarms} alarms`);
  const accounts = createClient(AccountService, createConnectTransport({ baseUrl: rpcUrl, httpVersion: '1.1' }));
  const { account } = await accounts.createAccount(
    { account: { name: 'Many' } },
    { headers: { authorization: `Bearer ${token}` } },
  );
  await fillWithAlarms(pool, account!.id, alarms);
  await pool.query('ANALYZE');

  progress('opening all of them');
  await page.evaluate(`localStorage.setItem('tocsin.account', ${JSON.stringify(account!.id)})`);
  const began = performance.now();
  const isThere = `document.querySelectorAll('.pick').length === ${alarms}`;
  await openAt(page, `${url}/alarms?show=${Math.ceil(alarms / PAGE)}`, isThere);
  const loaded = (performance.now() - began) / 1_000;

  const longest: number[] = [];
  let [late, frames] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    progress(`scrolling through them, ${round + 1} of ${rounds}`);
    const gaps = await page.evaluate<number[]>(SCROLLED);
    longest.push(Math.max(...gaps));
    late += gaps.filter(gap => gap > 50).length;
    frames += gaps.length;
  }
  return { alarms, loaded, longest: median(longest), worst: Math.max(...longest), late, frames };
}

/** Runs in the page: scrolls a step in each frame, from the top to the end, and gives the times between frames. */
const SCROLLED = `new Promise(resolve => {
  scrollTo(0, 0);
  const gaps = [];
  let last = null;
  const step = now => {
    if (last !== null) gaps.push(now - last);
    last = now;
    scrollBy(0, ${STEP});
    if (scrollY + innerHeight < document.documentElement.scrollHeight - 10) requestAnimationFrame(step);
    else resolve(gaps);
  };
  setTimeout(() => requestAnimationFrame(step), 1_000);
})`;
