import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { ALL_PAGES } from '../../facade/docs-pages.ts';
import { needsChromium, openPage } from '../support/chromium.ts';
import { eventually } from '../support/wait.ts';
import { startRig } from './rig.ts';

/* The pages where they are read: in a real browser, with its own policy on what a page may do. */

needsChromium();

const SEARCHES = ['/docs/search', '/docs/search?q=alarm', '/docs/search?q=qwertzuiop', '/docs/de/search?q=SMTP_URL'];
const PATHS = [...ALL_PAGES.map(({ path }) => path), ...SEARCHES, '/nothing/here'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe.each([
  ['a small telephone', 320],
  ['a desk', 1280],
])('on %s', (_name, width) => {
  test('every page fits the width, and the browser has nothing to complain of', { timeout: 120_000 }, async () => {
    const { url } = await startRig();
    const page = await openPage(`${url}/docs`, { width, height: 800, scripts: 'on' });
    const wide: string[] = [];
    for (const path of PATHS) {
      await page.open(url + path);
      const most = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (most > width) wide.push(`${path}: ${most}`);
    }
    expect(wide).toEqual([]);
    expect(page.complaints.filter(text => !text.includes('404 (Not Found)'))).toEqual([]);
  });
});

test('one click selects a command, or the whole of a file', async () => {
  const { url } = await startRig();
  const page = await openPage(`${url}/docs/guide`, { width: 1280, height: 800, scripts: 'on' });
  const selected = () => page.evaluate<string>('getSelection().toString().trim()');
  for (const selector of ['.commands span', '.whole']) {
    const there = `document.querySelector(${JSON.stringify(selector)})`;
    await page.evaluate(`${there}.scrollIntoView({ block: 'center' })`);
    await page.tap(selector);
    expect(await selected()).toBe(await page.evaluate(`${there}.textContent.trim()`));
  }
});

test('who types into the field of a page and presses Enter gets what was searched for, without a script', async () => {
  const { url } = await startRig();
  const page = await openPage(`${url}/docs/guide`, { width: 390, height: 800, scripts: 'on' });
  await page.tap('#q');
  await page.write('SMTP_URL');
  await page.key('Enter');
  await eventually(() => page.evaluate<boolean>(`document.querySelectorAll('.found mark').length > 0`), {
    what: 'results',
  });
  expect(await page.evaluate('location.pathname + location.search')).toBe('/docs/search?q=SMTP_URL');
  expect(await page.evaluate('document.scripts.length')).toBe(0);
  expect(page.complaints).toEqual([]);
});

test.each([
  ['by day', 'light'],
  ['in the dark', 'dark'],
] as const)(
  '%s axe has nothing to complain of, on a telephone and at a desk',
  { timeout: 120_000 },
  async (_, scheme) => {
    const { url } = await startRig();
    const page = await openPage(`${url}/docs`, { width: 390, height: 800, scripts: 'on', scheme });
    const faults: string[] = [];
    for (const path of ['/docs/people', '/docs/de/people', ...SEARCHES]) {
      for (const width of [320, 1280]) {
        await page.turnTo({ width, height: 800, scripts: 'on', scheme });
        await page.open(url + path);
        await page.evaluate(`${AXE}; undefined`);
        const found = await page.evaluate<string[]>(
          `axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
        );
        faults.push(...found.map(fault => `${path} at ${width}: ${fault}`));
      }
    }
    expect(faults).toEqual([]);
  },
);
