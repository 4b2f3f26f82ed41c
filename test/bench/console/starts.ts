import type { Page } from '../../support/browser.ts';
import { eventually } from '../../support/wait.ts';
import type { Ground } from '../bench.ts';
import { median } from '../numbers.ts';
import { type Looked, signIn } from './looked.ts';

/** How a page starts, with nothing kept from before; medians. Milliseconds from the click, and bytes. */
export interface Start {
  page: 'sign_in' | 'home';
  /** The first text or picture is on the screen. */
  painted: number;
  /** What the page is for is there, and no task of over 50 ms follows within two seconds. */
  interactive: number;
  /** What tasks of over 50 ms took beyond these 50 ms until then: so long a key would have waited. */
  blocked: number;
  /** Scripts as they came over the line, and unpacked. */
  scripts: number;
  unpacked: number;
}

/** How much slower the processor is made: about a telephone of the middle. */
const SLOWER = 4;

/** After this time without a long task a page is taken to have settled, in milliseconds. */
const QUIET_MS = 2_000;

/** What says that a page is there: its field, and its verdict with all that stands below. */
const IS_THERE: Readonly<Record<Start['page'], string>> = {
  sign_in: `document.querySelector('input[name=email]') !== null`,
  home: `document.querySelector('.verdict') !== null && document.querySelector('.skeleton') === null`,
};

/** Loads the sign-in and Home anew, so many times each, on a slow processor. Leaves the browser signed in. */
export async function measureStarts({ progress }: Ground, looked: Looked, rounds: number): Promise<Start[]> {
  const { page, token, url } = looked;
  await page.ask('Network.enable');
  const starts: Start[] = [];
  for (const name of ['sign_in', 'home'] as const) {
    progress(`loading ${name} anew`);
    if (name === 'sign_in') await page.ask('Network.clearBrowserCookies');
    else await signIn(page, token);
    const loads: Load[] = [];
    for (let round = 0; round < rounds; round++) loads.push(await load(page, url, IS_THERE[name]));
    const middle = (of: keyof Load) => median(loads.map(one => one[of]));
    starts.push({
      page: name,
      painted: middle('painted'),
      interactive: middle('interactive'),
      blocked: middle('blocked'),
      scripts: middle('scripts'),
      unpacked: middle('unpacked'),
    });
  }
  return starts;
}

type Load = Omit<Start, 'page'>;

async function load(page: Page, url: string, isThere: string): Promise<Load> {
  await page.ask('Network.clearBrowserCache');
  const { identifier } = await page.ask<{ identifier: string }>('Page.addScriptToEvaluateOnNewDocument', {
    source: notingScript(isThere),
  });
  await page.ask('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  try {
    await page.open(url);
    const noted = await eventually(() => page.evaluate<Noted | null>(settledNow()), {
      what: `${url} to settle`,
      within: 120_000,
    });
    return loadOf(noted);
  } finally {
    await page.ask('Emulation.setCPUThrottlingRate', { rate: 1 });
    await page.ask('Page.removeScriptToEvaluateOnNewDocument', { identifier });
  }
}

/** What the page itself noted, in milliseconds since it was asked for. */
interface Noted {
  painted: number;
  there: number;
  /** Tasks of over 50 ms: when they began and ended. */
  tasks: [began: number, ended: number][];
  scripts: number;
  unpacked: number;
}

/** Tasks that follow one another within QUIET_MS hold up what is there already. */
function loadOf({ painted, there, tasks, scripts, unpacked }: Noted): Load {
  let interactive = Math.max(painted, there);
  for (const [began, ended] of tasks) if (began < interactive + QUIET_MS) interactive = Math.max(interactive, ended);
  const until = tasks.filter(([began]) => began >= painted && began < interactive);
  const blocked = until.reduce((sum, [began, ended]) => sum + Math.max(0, ended - began - 50), 0);
  return { painted, interactive, blocked, scripts, unpacked };
}

/** Runs in the page before its own scripts. */
function notingScript(isThere: string): string {
  return `
    window.noted = { there: null, tasks: [] };
    new PerformanceObserver(list => {
      for (const { startTime, duration } of list.getEntries()) noted.tasks.push([startTime, startTime + duration]);
    }).observe({ type: 'longtask', buffered: true });
    new MutationObserver(() => {
      if (noted.there === null && ${isThere}) noted.there = performance.now();
    }).observe(document, { subtree: true, childList: true });
  `;
}

/** What the page noted, once it has been quiet for long enough; null before. */
function settledNow(): string {
  return `(() => {
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    const last = Math.max(noted.there ?? Infinity, ...noted.tasks.map(([, ended]) => ended));
    if (paint === undefined || performance.now() < last + ${QUIET_MS}) return null;
    const scripts = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'));
    const sum = of => scripts.reduce((all, script) => all + script[of], 0);
    return { ...noted, painted: paint.startTime, scripts: sum('encodedBodySize'), unpacked: sum('decodedBodySize') };
  })()`;
}
