import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { AccountService } from '../../../gen/tocsin/console/v1/accounts_pb.ts';
import type { Page } from '../../support/browser.ts';
import { openBareRows, perFrame, type Scrolled, scrollThrough } from '../../support/scroll.ts';
import type { Ground } from '../bench.ts';
import { median } from '../numbers.ts';
import { fillWithAlarms } from '../seed.ts';
import { type Looked, openAt } from './looked.ts';

/** A long list scrolled from its top to its end. */
export interface Scroll {
  alarms: number;
  /** From opening the list until all of its rows are there, in seconds. */
  loaded: number;
  list: Frames;
  /** As many rows of nothing but a name: what the machine has left for a browser at that time. */
  bare: Frames;
}

/** Frames of all rounds. */
export interface Frames {
  /** The longest time between two of them, in milliseconds: of the middle round, and of the worst. */
  longest: number;
  worst: number;
  /** Those that took over 50 ms. */
  late: number;
  frames: number;
  /** What the page itself worked for one, in milliseconds of the processor: on average, and its longest task. */
  work: number;
  task: number;
}

/** How far one step of the wheel goes, in pixels. */
const STEP = 1_200;

/** Pages of the list are of this size (facade/console/page/alarms/block.tsx). */
const PAGE = 200;

/** Fills another account with alarms, opens all of them and scrolls to the end, so many times; then through bare rows. */
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

  const scrolled = (what: string) => framesOf(rounds, page, round => progress(`scrolling through ${what}, ${round}`));
  const list = await scrolled('them');
  await openBareRows(page, alarms);
  return { alarms, loaded, list, bare: await scrolled('as many bare rows') };
}

async function framesOf(rounds: number, page: Page, say: (round: string) => void): Promise<Frames> {
  const all: Scrolled[] = [];
  for (let round = 1; round <= rounds; round++) {
    say(`${round} of ${rounds}`);
    all.push(await scrollThrough(page, STEP));
  }
  const longest = all.map(({ gaps }) => Math.max(...gaps));
  const gaps = all.flatMap(one => one.gaps);
  return {
    longest: median(longest),
    worst: Math.max(...longest),
    late: gaps.filter(gap => gap > 50).length,
    frames: gaps.length,
    work: median(all.map(perFrame)),
    task: median(all.map(({ tasks }) => Math.max(...tasks))),
  };
}
