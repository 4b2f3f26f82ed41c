import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import { choose, DESK, openConsole, PHONE, press, shows, startConsole, text, type } from './console-rig.ts';

needsChromium();

const PEOPLE = 1_300;
const CHANGES = 230;

const rows = (page: Page, selector: string) =>
  page.evaluate<number>(`document.querySelectorAll(${JSON.stringify(selector)}).length`);

test('people are found by name or address among more than a thousand, and the list goes on to its end', async () => {
  const { world, owner, url } = await startConsole();
  await world.rows(
    `INSERT INTO contact (account_id, id, key, name)
     SELECT $1, 'p' || lpad(n::text, 31, '0'), 'person-' || n, 'Person ' || n FROM generate_series(1, $2::int) n`,
    [owner.accountId, PEOPLE],
  );
  await owner.contact('Zoë', { email: 'somebody.else@example.com' });
  const beside = await world.account();
  await beside.contact('Person of another account', { email: 'other@example.com' });
  const page = await openConsole(url, world.operator, DESK);
  await page.evaluate(`localStorage.setItem('tocsin.account', ${JSON.stringify(owner.accountId)})`);
  await page.open(`${url}/people`);
  await shows(page, `of ${PEOPLE + 1} cannot be reached`, 30_000);
  expect(await rows(page, '.thing')).toBe(50);
  await press(page, 'Show more');
  await eventually(async () => (await rows(page, '.thing')) === 200, { what: '200 of them' });

  const find = (words: string) => type(page, 'input[name=search]', words);
  await find('person 1277');
  await eventually(async () => (await rows(page, '.thing')) === 1, { what: 'the one' });
  await shows(page, 'Person 1277');
  expect(await page.evaluate('location.search')).toBe('?search=person+1277');
  await find('SOMEBODY.ELSE@');
  await shows(page, 'Zoë');
  await find('another account');
  await shows(page, 'No person matches.');
  await press(page, 'Show everybody');
  await shows(page, 'Person 50');

  const first = () => page.evaluate<string>(`document.querySelector('.thing a').innerText`);
  expect(await first()).toBe('Person 1');
  await choose(page, 'select[name=order]', 'By name');
  await find('person 12');
  await eventually(async () => (await first()) === 'Person 12', { what: 'the first by name' });
  expect(await page.evaluate('location.search')).toBe('?order=name&search=person+12');
  await find('');
  await world.rows(
    `UPDATE contact_channel SET verified_at = tocsin_now(), proven_at = tocsin_now() WHERE account_id = $1`,
    [owner.accountId],
  );
  await choose(page, 'select[name=order]', 'Longest without an answer first');
  await eventually(async () => (await first()) === 'Person 1', { what: 'who never answered' });
  const columns = `[...document.querySelectorAll('.thing')].slice(0, 9).map(row =>
    [...row.querySelectorAll('a, small, .chips')].map(one => Math.round(one.getBoundingClientRect().left)).join())`;
  const lefts = await page.evaluate<string[]>(columns);
  expect(new Set(lefts).size).toBe(1);
  expect(new Set(lefts[0]!.split(',')).size).toBe(3);
  await page.turnTo(PHONE);
  expect(new Set((await page.evaluate<string[]>(columns))[0]!.split(',')).size).toBeLessThan(3);
  await page.turnTo(DESK);

  await page.open(`${url}/people?show=2000`);
  await eventually(async () => (await rows(page, '.thing')) === PEOPLE + 1, { what: 'all of them', within: 30_000 });
  expect(await text(page)).not.toContain('Show more');
}, 120_000);

test('changes go on beyond two hundred, and nothing jumps when more are shown', async () => {
  const { world, owner, url } = await startConsole();
  await world.rows(
    `INSERT INTO audit (account_id, at, actor, actor_kind, kind, thing_id, name, action)
     SELECT $1, tocsin_now(), 'Somebody', 'account', 'location', 'l' || n, 'Barn ' || n, 'create' FROM generate_series(1, $2::int) n`,
    [owner.accountId, CHANGES],
  );
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/notices/changes`);
  await shows(page, `Barn ${CHANGES}`);
  await eventually(async () => (await rows(page, '.call')) === 50, { what: 'the first page' });
  // What is open stays open when a newer one comes above it.
  await page.evaluate(`document.querySelector('.call details').open = true`);
  await world.rows(
    `INSERT INTO audit (account_id, at, actor, actor_kind, kind, thing_id, name, action)
     VALUES ($1, tocsin_now() + interval '1 second', 'Somebody', 'account', 'location', 'newer', 'Newer', 'create')`,
    [owner.accountId],
  );
  await shows(page, 'Newer');
  expect(await page.evaluate(`document.querySelector('.call details[open] b').innerText`)).toBe(`Barn ${CHANGES}`);
  await page.evaluate(`document.querySelector('main > .button').scrollIntoView()`);
  const top = () => page.evaluate<number>(`document.querySelectorAll('.call')[49].getBoundingClientRect().top`);
  const place = await top();
  await press(page, 'Show more');
  await eventually(async () => (await rows(page, '.call')) === 200, { what: 'the second page' });
  expect(Math.abs((await top()) - place)).toBeLessThan(2);
  await press(page, 'Show more');
  await eventually(async () => (await rows(page, '.call')) >= CHANGES, { what: 'all of them' });
  expect(await text(page)).not.toContain('Show more');
  expect(await page.evaluate('location.search')).toBe('?show=400');
}, 120_000);
