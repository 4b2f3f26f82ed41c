import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import { choose, DESK, openConsole, PHONE, press, shows, startConsole, text, type } from './console-rig.ts';
import { byKeyboard } from './hands.ts';

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

/** What stands in a column of a table, and which heads say that it is in their order. */
const inTable = (page: Page, links: string) =>
  page.evaluate<{ names: string; sorted: string[] }>(`({
    names: [...document.querySelectorAll(${JSON.stringify(links)})].map(one => one.innerText).join(),
    sorted: [...document.querySelectorAll('th[aria-sort]')].map(one => one.innerText + ' ' + one.ariaSort),
  })`);

test('keys stand in columns whose heads put them in order, by keyboard too; a phone has a list for that', async () => {
  const { world, owner, url } = await startConsole();
  const { apiKeys } = consoleOf(world, world.operator, owner.accountId);
  const hour = async (hours: number) => {
    const [now] = await world.rows<{ s: number }>('SELECT extract(epoch FROM tocsin_now())::float8 AS s');
    return timestampFromMs((now!.s + hours * 3_600) * 1_000);
  };
  const secrets = new Map<string, string>();
  for (const [label, hours] of [
    ['Shed', 20],
    ['attic', 0],
    ['Door', 30],
  ] as const) {
    const expiresAt = hours === 0 ? {} : { expiresAt: await hour(hours) };
    const { secret } = await apiKeys.createApiKey({ apiKey: { label, ...expiresAt } });
    secrets.set(label, secret);
    if (label !== 'Door') expect((await world.get('/v1/integration/describe', secret)).status).toBe(200);
    await world.settle();
    await world.advance(120);
  }
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/keys`);
  const stand = async (names: string, sorted: string[]) => {
    await eventually(async () => (await inTable(page, '.key b')).names === names, { what: names });
    expect((await inTable(page, '.key b')).sorted).toEqual(sorted);
  };
  await stand('Shed,attic,Door', []);
  const { taps } = byKeyboard(page);
  await taps('Name');
  await stand('attic,Door,Shed', ['Name ascending']);
  expect(await page.evaluate('location.search')).toBe('?order=name');
  await taps('Name');
  await stand('Shed,attic,Door', []);
  await press(page, 'Last used');
  await stand('attic,Shed,Door', ['Last used descending']);
  await press(page, 'Last used');
  await stand('Door,Shed,attic', ['Last used ascending']);
  await press(page, 'Expires');
  await stand('Shed,Door,attic', ['Expires ascending']);

  // What somebody is at, or edits, stays where it is until they leave it.
  await page.open(`${url}/keys?order=unused`);
  await stand('Door,Shed,attic', ['Last used ascending']);
  const used = async (label: string) => {
    await world.advance(60);
    expect((await world.get('/v1/integration/describe', secrets.get(label)!)).status).toBe(200);
    await world.settle();
  };
  const first = () => page.evaluate<string>(`document.querySelector('.key').innerText`);
  await page.evaluate(`document.querySelector('.key a').focus()`);
  await used('Door');
  await eventually(async () => !(await first()).includes('Never used'), { what: 'that it was used' });
  await stand('Door,Shed,attic', ['Last used ascending']);
  await page.evaluate(`document.activeElement.blur()`);
  await stand('Shed,attic,Door', ['Last used ascending']);
  await press(page, 'Edit');
  await shows(page, 'Cancel');
  await page.evaluate(`document.activeElement.blur()`);
  await used('Shed');
  await world.rows(`UPDATE api_key SET label = 'Hall' WHERE label = 'attic'`);
  await eventually(async () => (await inTable(page, '.key b')).names.includes('Hall'), { what: 'the new name' });
  await stand('Shed,Hall,Door', ['Last used ascending']);
  await press(page, 'Cancel');
  await stand('Hall,Door,Shed', ['Last used ascending']);
  await world.rows(`UPDATE api_key SET label = 'attic' WHERE label = 'Hall'`);
  const lefts = `[...document.querySelectorAll('thead tr, .key')].map(row =>
    [...row.children].slice(0, 3).map(one => Math.round(one.getBoundingClientRect().left)).join())`;
  const desk = await page.evaluate<string[]>(lefts);
  expect([new Set(desk).size, new Set(desk[0]!.split(',')).size]).toEqual([1, 3]);

  await page.turnTo(PHONE);
  expect(await page.evaluate(`document.querySelector('thead').checkVisibility()`)).toBe(false);
  await choose(page, 'select[name=order]', 'Longest unused first');
  await stand('attic,Door,Shed', ['Last used ascending']);
  await page.open(`${url}/keys?order=nonsense`);
  await stand('Shed,attic,Door', []);
}, 120_000);

test('alarms are in order at each location where all of them are there, and are not offered it where they are not', async () => {
  const { world, owner, url } = await startConsole();
  const key = await owner.key();
  const { locations } = consoleOf(world, world.operator, owner.accountId);
  const { location } = await locations.createLocation({ location: { name: 'Barn' } });
  for (const name of ['Gate', 'cellar', 'Yard']) await owner.alarm({ name, modes: { away: {} } });
  for (const name of ['Stable', 'Hay']) await owner.alarm({ name, locationId: location!.id, modes: { away: {} } });
  const seen = consoleOf(world, world.operator, owner.accountId);
  const { alarms } = await seen.alarms.listAlarms({});
  for (const name of ['Yard', 'cellar']) {
    await world.get(`/v1/alarm/${alarms.find(alarm => alarm.name === name)!.id}/arm/away`, key);
    await world.settle();
    await world.advance(60);
  }
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/alarms`);
  const stand = (names: string) =>
    eventually(async () => (await inTable(page, '.pick a')).names === names, { what: names });
  await stand('Gate,cellar,Yard,Stable,Hay');
  await press(page, 'Last call');
  await stand('cellar,Yard,Gate,Stable,Hay');
  expect((await inTable(page, '.pick a')).sorted).toEqual(['Last call descending']);
  await press(page, 'Name');
  await stand('cellar,Gate,Yard,Hay,Stable');
  expect(await page.evaluate('location.search')).toBe('?order=name');
  // The columns are named once, and stand alike at all locations.
  const lefts = `[...document.querySelectorAll('thead:not(.unseen) tr, .pick')].map(row =>
    [...row.children].map(one => Math.round(one.getBoundingClientRect().left)).join())`;
  const columns = await page.evaluate<string[]>(lefts);
  expect([columns.length, new Set(columns).size, new Set(columns[0]!.split(',')).size]).toEqual([6, 1, 4]);
  await page.turnTo(PHONE);
  await choose(page, 'select[name=order]', 'Last call first');
  await stand('cellar,Yard,Gate,Stable,Hay');
  await page.turnTo(DESK);

  // Of an alarm that was called before the calls that are here, nobody could say where it stands.
  await world.rows(
    `INSERT INTO logged_call (account_seq, id, at, applied_at, trace_id, source_seq, verb, outcome)
     SELECT c.account_seq, c.id + n, c.at, c.applied_at, gen_random_uuid(), c.source_seq, c.verb, c.outcome
     FROM (SELECT * FROM logged_call ORDER BY id DESC LIMIT 1) c CROSS JOIN generate_series(1, 200) n`,
  );
  await page.open(`${url}/alarms?order=called`);
  await stand('Gate,cellar,Yard,Stable,Hay');
  expect((await inTable(page, '.pick a')).sorted).toEqual([]);
  expect(await page.evaluate(`[...document.querySelectorAll('thead button')].map(one => one.innerText).join()`)).toBe(
    'Name',
  );
  expect(
    await page.evaluate(`[...document.querySelector('select[name=order]').options].map(one => one.value).join()`),
  ).toBe(',name');

  for (let count = 0; count < 200; count++) await owner.alarm({ name: `Sensor ${count}` });
  await page.open(`${url}/alarms?order=name`);
  await shows(page, 'Show more', 30_000);
  await eventually(async () => (await inTable(page, '.pick a')).names.startsWith('Gate,cellar'), { what: 'as added' });
  expect(await rows(page, 'thead button, select[name=order]')).toBe(0);
}, 120_000);
