import { describe, expect, test } from 'vitest';
import { DOCS_PAGES } from '../../facade/docs-pages.ts';
import { needsChromium, openPage } from '../support/chromium.ts';
import { startRig } from './rig.ts';

/* The pages where they are read: in a real browser, with its own policy on what a page may do. */

needsChromium();

const PATHS = [...DOCS_PAGES.map(({ path }) => path), '/nothing/here'];

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
