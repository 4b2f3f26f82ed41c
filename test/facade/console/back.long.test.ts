import { test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import { DESK, openConsole, shows, startConsole } from './console-rig.ts';

needsChromium();

/** A page that shows a long list of people, scrolled to a place in it. */
async function inLongList(place: number) {
  const { world, owner, url } = await startConsole();
  await world.rows(
    `INSERT INTO contact (account_id, id, key, name)
     SELECT $1, 'p' || lpad(n::text, 31, '0'), 'person-' || n, 'Person ' || n FROM generate_series(1, 40) n`,
    [owner.accountId],
  );
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/people`);
  await shows(page, 'Person 40');
  await page.evaluate(`scrollTo(0, ${place})`);
  return { page, url };
}

const comesTo = (page: Page, place: number, within = 10_000) =>
  eventually(async () => Math.abs((await page.evaluate<number>('scrollY')) - place) < 2, {
    what: `the page to be at ${place}`,
    within,
  });

/** What scrolls by itself is not pulled back for long. */
const letsGo = (page: Page) =>
  eventually(
    () =>
      page.evaluate<boolean>(`new Promise(resolve => {
        scrollTo(0, 0);
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(scrollY === 0)));
      })`),
    { what: 'the page to stay where its reader puts it', within: 4_000 },
  );

const goTo = async (page: Page, screen: string, shown: string) => {
  await page.evaluate(`document.querySelector('nav a[href$="/${screen}"]').click()`);
  await shows(page, shown);
};

/** Leaves Calls far below what it is high: as a list that has become shorter meanwhile. */
async function leaveCallsFarBelow(page: Page): Promise<void> {
  await goTo(page, 'calls', 'Nothing has called yet.');
  await page.evaluate(`document.querySelector('main').style.minHeight = '9000px'; scrollTo(0, 7000)`);
  await goTo(page, 'keys', 'API keys');
  await page.evaluate(`document.querySelector('main').style.minHeight = ''`);
}

test('comes back to where one was after a load of the page', async () => {
  const { page } = await inLongList(600);
  await eventually(() => page.evaluate('history.state?.y === 600'), { what: 'the place to be noted' });
  await page.ask('Page.reload');
  await eventually(() => page.evaluate('scrollY === 0'), { what: 'the load' });
  await shows(page, 'Person 40');
  await comesTo(page, 600);
});

test('two quick steps back lead to where one was, and let go of their reader soon', async () => {
  const { page } = await inLongList(300);
  await leaveCallsFarBelow(page);
  await page.evaluate(`new Promise(resolve => {
    addEventListener('popstate', () => { history.back(); resolve(); }, { once: true });
    history.back();
  })`);
  await shows(page, 'Person 40');
  await comesTo(page, 300);
  await letsGo(page);
});

test('a list that has become shorter lets go of its reader soon', async () => {
  const { page } = await inLongList(0);
  await leaveCallsFarBelow(page);
  await page.evaluate(`document.querySelector('main').style.minHeight = '3000px'; history.back()`);
  await shows(page, 'Nothing has called yet.');
  await letsGo(page);
});
