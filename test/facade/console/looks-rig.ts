import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import { DESK, PHONE, shows } from './console-rig.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const NARROW = { ...PHONE, width: 320 };

/**
 * Nothing is drawn as a placeholder, and for 150 ms nothing has arrived: a picture shows, and axe reads, what people get. A screen
 * that is not up to date goes on asking.
 */
const IS_SETTLED = `document.querySelector('#stale') !== null || document.querySelector('.skeleton') === null &&
  performance.now() - Math.max(0, ...performance.getEntriesByType('resource').map(one => one.responseEnd)) > 150`;

/** The same in another language, for whoever wants to see it: `LOOKS_LANGUAGE=de`. The pictures are called `<name>-de` then. */
const LANGUAGE = process.env.LOOKS_LANGUAGE ?? 'en';

/** The screens of somebody who acknowledges and closes. */
const ACTING = ['home', 'confirm', 'incidents-picked', 'incident'];

/** The placeholder is what is to be seen: nothing will arrive. */
export const IS_WAITING = `document.querySelector('.skeleton') !== null`;

/**
 * What is wrong with what is seen once it is there, on phone and desktop, light and dark; the pictures are left to be
 * looked at.
 */
export async function faultsOf(page: Page, screen: string, isThere = IS_SETTLED): Promise<string[]> {
  const name = LANGUAGE === 'en' ? screen : `${screen}-${LANGUAGE}`;
  await speak(page, LANGUAGE);
  const faults = await faultsNow(page, name, isThere);
  // German words are longer.
  await speak(page, 'de');
  await page.turnTo(NARROW);
  await eventually(() => page.evaluate<boolean>(isThere), { what: `all of ${name} to be there in German` });
  faults.push(...(await sidewaysNow(page, `${screen}-de`)));
  await page.turnTo(DESK);
  await speak(page, 'en');
  return faults;
}

/**
 * What is wider than a screen of 320 px, the page itself or what scrolls in it; tables and lines of code may. The width is given: what a browser calls
 * the inner width of a telephone grows along with what is in it.
 */
export async function sidewaysNow(page: Page, name: string): Promise<string[]> {
  const wide = await page.evaluate<string[]>(`[...document.querySelectorAll('*')]
    .filter(one => one === document.documentElement
      ? one.scrollWidth > ${NARROW.width}
      : one.checkVisibility() && !one.matches('.scrolls, .unseen, pre, textarea, input') && one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1
        && getComputedStyle(one).overflowX !== 'visible')
    .map(one => one.outerHTML.slice(0, 160) + ' is ' + one.scrollWidth + ' px wide')`);
  return [
    ...wide.map(what => `${name}: scrolls sideways at ${NARROW.width} px: ${what}`),
    ...(await tightNow(page, name)),
  ];
}

/** The buttons whose words come to their edge, or over it. */
async function tightNow(page: Page, name: string): Promise<string[]> {
  const tight = await page.evaluate<string[]>(`[...document.querySelectorAll('.button:not(.bare)')]
    .filter(one => one.checkVisibility())
    .filter(one => {
      const [words, of] = [document.createRange(), one.getBoundingClientRect()];
      const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
      while (texts.nextNode() !== null) {
        if (texts.currentNode.parentElement.closest('.unseen') !== null) continue;
        words.selectNodeContents(texts.currentNode);
        const within = words.getBoundingClientRect();
        if (within.width > 0 && (within.left < of.left + 4 || within.right > of.right - 4)) return true;
      }
      return false;
    })
    .map(one => one.outerHTML.slice(0, 160))`);
  return tight.map(what => `${name}: too narrow for its words at ${NARROW.width} px: ${what}`);
}

/** Goes on in a language, where the page offers one. */
async function speak(page: Page, to: string): Promise<void> {
  await page.evaluate(`(() => {
    const offer = [...document.querySelectorAll('select')].find(({ options }) => [...options].some(({ text }) => text === 'Deutsch'));
    if (offer === undefined || document.documentElement.lang === '${to}') return;
    offer.value = '${to}';
    offer.dispatchEvent(new Event('change', { bubbles: true }));
    return new Promise(spoken => new MutationObserver(spoken).observe(document.documentElement, { attributeFilter: ['lang'] }));
  })()`);
}

async function faultsNow(page: Page, name: string, isThere: string): Promise<string[]> {
  const faults: string[] = [];
  for (const [size, screen] of Object.entries({ desk: DESK, phone: PHONE })) {
    for (const scheme of ['light', 'dark'] as const) {
      await page.turnTo({ ...screen, scheme });
      await eventually(() => page.evaluate<boolean>(isThere), { what: `all of ${name} to be there` });
      await writeFile(join(tmpdir(), `tocsin-console-${name}-${size}-${scheme}.png`), await page.screenshot());
      await page.evaluate(`${AXE}; 0`);
      const options = JSON.stringify({ runOnly: { type: 'tag', values: RULES } });
      const found = await page.evaluate<string[]>(
        `axe.run(document, ${options}).then(({ violations }) =>
          violations.flatMap(({ id, nodes }) => nodes.map(node => id + ' ' + node.html.slice(0, 160) + ' ' + node.failureSummary)))`,
      );
      faults.push(...found.map(fault => `${name}, ${size}, ${scheme}: ${fault}`));
    }
  }
  await page.turnTo(NARROW);
  faults.push(...(await sidewaysNow(page, name)));
  const targets = await page.evaluate<
    { html: string; least: number }[]
  >(`[...document.querySelectorAll('.acknowledge, .close')]
    .map(one => ({ html: one.outerHTML, least: Math.min(one.getBoundingClientRect().height, one.getBoundingClientRect().width) }))`);
  if (targets.length === 0 && ACTING.includes(name)) faults.push(`${name}: nothing to acknowledge or close with`);
  faults.push(...targets.filter(({ least }) => least < 44).map(({ html }) => `${name}: smaller than 44 px: ${html}`));
  await page.turnTo(DESK);
  return faults;
}

/** Opens another screen, and waits for what it says. */
export async function go(page: Page, url: string, wanted: string): Promise<void> {
  await page.open(url);
  await shows(page, wanted);
}
