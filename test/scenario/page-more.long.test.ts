import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { needsChromium, openPage, type Page } from '../support/chromium.ts';
import { eventually } from '../support/wait.ts';
import { aNight } from './page-rig.ts';

needsChromium();

/** What is further down is scrolled to first, as people do. For a moment after a change no touch is taken. */
async function touch(page: Page, selector: string): Promise<void> {
  await eventually(() => page.evaluate<boolean>(`!document.querySelector('main').inert`), {
    what: 'touches to be taken',
  });
  await page.evaluate(`document.querySelector('${selector}').scrollIntoView({ block: 'center' })`);
  await page.tap(selector);
}

const text = (page: Page) => page.evaluate<string>(`document.querySelector('main').innerText.replace(/\\u00a0/g, ' ')`);

async function picture(page: Page, name: string): Promise<void> {
  await page.evaluate(`document.querySelector('.more').scrollIntoView()`);
  await writeFile(join(tmpdir(), `tocsin-page-more-${name}.png`), await page.screenshot());
}

test.each([
  { name: 'phone', width: 360, height: 740 },
  { name: 'desk', width: 1280, height: 800 },
])('by touch on a $name: the next now, a note that stays while others act, handing over', async ({ name, ...size }) => {
  const { world, owner, act, linkTo, smtp } = await aNight();
  await act('trigger');
  const page = await openPage(await linkTo('anna@example.com'), { ...size, scripts: 'on' });
  await picture(page, name);
  const heights = await page.evaluate<number[]>(
    `[...document.querySelectorAll('.more button, .more summary')].filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().height)`,
  );
  expect(heights).toHaveLength(4);
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(56);

  await touch(page, '.note summary');
  await page.evaluate(
    `(field => { field.focus(); field.value = 'It was the cat'; })(document.querySelector('textarea'))`,
  );
  await act('trigger');
  await eventually(async () => (await text(page)).includes('2 times'), { what: 'the page to follow' });
  expect(await page.evaluate(`document.querySelector('textarea').value`)).toBe('It was the cat');
  await eventually(() => page.evaluate<boolean>(`document.activeElement.tagName === 'TEXTAREA'`), {
    what: 'typing to go on',
  });
  await picture(page, `${name}-note`);
  await touch(page, 'button.note');
  // The page after it: what is seen before may be the one that is about to go.
  await eventually(() => page.evaluate<boolean>(`location.search === '?said=noted'`), {
    what: 'the page after the note',
  });
  await eventually(async () => /Anna, 3:12 AM: It was the cat/.test(await text(page)), { what: 'the note' });

  await touch(page, 'button.next');
  await eventually(async () => (await text(page)).includes('Anna, 3:12 AM: alerted the next'), {
    what: 'the next step',
  });
  await world.settle();
  expect(smtp.mails.filter(({ envelope }) => envelope.to.includes('ben@example.com'))).toHaveLength(1);

  await eventually(() => page.evaluate<boolean>(`location.search === '?said=stepped'`), { what: 'the page after it' });
  await touch(page, '.hand-over summary');
  await picture(page, `${name}-hand-over`);
  await touch(page, 'button.hand-over');
  await eventually(async () => (await text(page)).includes('They are being told now.'), { what: 'what became of it' });
  expect(await text(page)).toContain('Anna, 3:12 AM: handed over to Ben');
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ acknowledgedBy: '', status: 'open' });
  expect(page.complaints).toEqual([]);
  await smtp.stop();
});
