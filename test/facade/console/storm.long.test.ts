import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import { openConsole, PHONE, press, shows, startConsole, text } from './console-rig.ts';
import { faultsOf, sidewaysNow } from './looks-rig.ts';

needsChromium();

const PLACES = ['Home', 'Bakery', 'בית הקיץ', 'Warehouse', 'Boat'];
const SOURCES = 65;
const INCIDENTS = 30;

const SCREENS = [{ ...PHONE }, { ...PHONE, width: 1280, height: 800 }];

/** A storm: 65 alarms at five places, of which thirty have fired, three of them in test, and four wait for somebody. */
async function aStorm() {
  const started = await startConsole();
  const { world, owner } = started;
  const seen = consoleOf(world, world.operator, owner.accountId);
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['email'] }] }]);
  const placeIds = [owner.locationId];
  for (const name of PLACES.slice(1))
    placeIds.push((await seen.locations.createLocation({ location: { name } })).location!.id);
  const key = await owner.key();
  const ids: string[] = [];
  for (let at = 0; at < SOURCES; at++) {
    const test = at >= 27 && at < INCIDENTS;
    const locationId = placeIds[at % PLACES.length]!;
    // What is never triggered is what is in the way: nobody is told of it.
    const modes = at < INCIDENTS ? { away: { policyId } } : { away: {} };
    ids.push(await owner.alarm({ name: `Door ${at}`, modes, locationId, test }));
  }
  for (const id of ids.slice(0, INCIDENTS)) await world.get(`/v1/alarm/${id}/trigger/away`, key);
  await world.settle();
  const { incidents } = await seen.incidents.listIncidents({ status: 'open', pageSize: 200 });
  const live = incidents
    .filter(({ environment }) => environment === 'live')
    .toSorted((one, other) => one.sourceName.localeCompare(other.sourceName, 'en', { numeric: true }));
  // Of Home two, of the Bakery one, of the Boat one.
  const waits = ['Door 0', 'Door 5', 'Door 1', 'Door 4'];
  for (const { id, sourceName } of live)
    if (!waits.includes(sourceName)) await seen.incidents.acknowledge({ incidentId: id });
  const page = await openConsole(started.url, world.operator, PHONE);
  const lookAt = async (accountId: string, wanted: string) => {
    await page.evaluate(`localStorage.setItem('tocsin.account', ${JSON.stringify(accountId)})`);
    await page.open(started.url);
    await shows(page, wanted);
  };
  return {
    ...started,
    seen,
    page,
    lookAt,
    idOf: (name: string) => live.find(({ sourceName }) => sourceName === name)!.id,
  };
}

const heightOf = (page: Page) => page.evaluate<number>('document.documentElement.scrollHeight');

const isWhole = (page: Page) =>
  eventually(
    () =>
      page.evaluate<boolean>(
        `document.querySelector('.skeleton') === null && document.querySelector('.storm') !== null`,
      ),
    {
      what: 'all of Home',
    },
  );

test('in a storm Home is two screens at most, by location, with the first sentence first; an account beside it is as it was', async () => {
  const { world, owner, page, lookAt } = await aStorm();
  const beside = await world.account();
  const theirs = await beside.alarm({ name: 'Next door', modes: { away: {} } });
  await world.get(`/v1/alarm/${theirs}/trigger/away`, await beside.key());
  await world.settle();

  await lookAt(owner.accountId, '4 need somebody, 23 are taken, 3 in test');
  for (const screen of SCREENS) {
    await page.turnTo(screen);
    await isWhole(page);
    expect(await heightOf(page), `${screen.width} px wide`).toBeLessThanOrEqual(2 * screen.height);
  }
  const said = await text(page);
  const main = await page.evaluate<string>(`document.querySelector('main').innerText.trim().split('\\n')[0]`);
  expect(main).toMatch(/^Door \d+ is triggered\. Nobody has acknowledged yet\.$|^Door \d+ is triggered/);
  expect(PLACES.filter(place => !said.includes(place))).toEqual([]);
  expect(said).not.toContain('Next door');
  // What counts is who waits for somebody.
  expect(await page.evaluate('document.title')).toBe('(4) Home · Tocsin');
  expect(await page.evaluate(`document.querySelector('.side .count').innerText`)).toBe('4');
  // Where nobody waits, there is nothing to press.
  expect(await page.evaluate(`document.querySelectorAll('.storm .acknowledge').length`)).toBe(3);

  await page.evaluate(`[...document.querySelectorAll('.fold > summary')].at(-2).click()`);
  await shows(page, 'Bakery · No policy');
  expect(await faultsOf(page, 'storm')).toEqual([]);

  await lookAt(beside.accountId, 'Next door is triggered');
  const theirScreen = await text(page);
  expect(theirScreen).not.toMatch(/Door \d|Bakery|need somebody/);
  expect(
    await page.evaluate(`document.querySelector('.storm') === null && document.querySelector('.incident') !== null`),
  ).toBe(true);
}, 300_000);

test('all of a location are acknowledged after one question; what failed is named, and no other place is touched', async () => {
  const { owner, page, lookAt, idOf } = await aStorm();
  await lookAt(owner.accountId, '4 need somebody');
  await isWhole(page);
  // The line breaks for one of them alone.
  await page.evaluate(`(() => {
    const real = window.fetch;
    window.fetch = (to, options) => {
      const isIt = String(to).endsWith('/Acknowledge') && new TextDecoder().decode(options.body).includes('${idOf('Door 5')}');
      return isIt && !window.mended ? Promise.reject(new TypeError('cut')) : real(to, options);
    };
  })()`);
  await press(page, 'Acknowledge all 2: Home');
  await shows(page, 'Acknowledge 2 incidents at Home?');
  expect(await page.evaluate(`document.querySelector('dialog').innerText`)).toContain('Door 0');
  await page.tap('dialog button[type=submit]');
  await shows(page, 'Not acknowledged, of 2: Door 5');
  expect(await page.evaluate(`document.querySelector('dialog [role=alert]').innerText`)).not.toContain('Door 0');
  await page.evaluate('window.mended = true');
  await page.tap('dialog button[type=submit]');
  await shows(page, '2 need somebody, 25 are taken');
  await eventually(
    () => page.evaluate(`document.title === '(2) Home · Tocsin' && document.querySelector('dialog') === null`),
    {
      what: 'the title and the end of the question',
    },
  );
}, 300_000);

test('the question of a location stands until it is answered, also where others have more by then', async () => {
  const { world, owner, seen, page, lookAt, idOf } = await aStorm();
  // Of seven, Home is first with four; without them it would be behind the six that are shown.
  const key = await owner.key();
  for (const name of ['Shed', 'Attic', 'Barn', 'Cellar', 'Mill', 'Pier']) {
    const { location } = await seen.locations.createLocation({ location: { name } });
    for (const nth of [1, 2]) {
      const id = await owner.alarm({ name: `${name} ${nth}`, modes: { away: {} }, locationId: location!.id });
      await world.get(`/v1/alarm/${id}/trigger/away`, key);
    }
  }
  for (const name of ['Home 1', 'Home 2']) {
    const id = await owner.alarm({ name, modes: { away: {} } });
    await world.get(`/v1/alarm/${id}/trigger/away`, key);
  }
  await world.settle();
  await lookAt(owner.accountId, '18 need somebody');
  await isWhole(page);
  await page.evaluate(`(() => {
    const real = window.fetch;
    window.fetch = (to, options) => {
      const isIt = String(to).endsWith('/Acknowledge') && new TextDecoder().decode(options.body).includes('${idOf('Door 5')}');
      return isIt ? Promise.reject(new TypeError('cut')) : real(to, options);
    };
  })()`);
  await press(page, 'Acknowledge all 4: Home');
  await shows(page, 'Acknowledge 4 incidents at Home?');
  await page.tap('dialog button[type=submit]');
  await shows(page, 'Not acknowledged, of 4: Door 5');
  await shows(page, '15 need somebody');
  expect(await page.evaluate(`document.querySelector('dialog [role=alert]').innerText`)).toContain('Door 5');
  expect(await page.evaluate(`document.querySelector('.storm .at').innerText`)).toContain('Home');
  // A colleague takes all of the others: the storm is over, the question is not.
  const { incidents } = await seen.incidents.listIncidents({ status: 'open', pageSize: 200 });
  for (const { id } of incidents) if (id !== idOf('Door 5')) await seen.incidents.close({ incidentId: id });
  await shows(page, 'Door 5 is triggered');
  await eventually(() => page.evaluate(`document.querySelectorAll('.storm .at').length === 1`), {
    what: 'the end of the storm',
  });
  expect(await page.evaluate(`document.querySelector('dialog [role=alert]').innerText`)).toContain('Door 5');
  await press(page, 'Cancel');
  await eventually(() => page.evaluate(`document.querySelector('dialog, .storm') === null`), {
    what: 'the question and the storm to end',
  });
}, 300_000);

test('whoever cancels while it works stops it: what had not begun is left', async () => {
  const { world, owner, page, lookAt } = await aStorm();
  const key = await owner.key();
  for (let nth = 1; nth <= 6; nth++) {
    const id = await owner.alarm({ name: `Window ${nth}`, modes: { away: {} } });
    await world.get(`/v1/alarm/${id}/trigger/away`, key);
  }
  await world.settle();
  await lookAt(owner.accountId, '10 need somebody');
  await isWhole(page);
  await page.evaluate(`(() => {
    const real = window.fetch;
    window.begun = 0;
    const held = new Promise(release => (window.release = release));
    window.fetch = (to, options) => {
      if (!String(to).endsWith('/Acknowledge')) return real(to, options);
      window.begun += 1;
      return held.then(() => real(to, options));
    };
  })()`);
  await press(page, 'Acknowledge all 8: Home');
  await shows(page, 'Acknowledge 8 incidents at Home?');
  await page.tap('dialog button[type=submit]');
  await eventually(() => page.evaluate('window.begun === 5'), { what: 'as many to begin as go at once' });
  await press(page, 'Cancel');
  await page.evaluate('window.release()');
  await shows(page, '5 need somebody');
  expect(await page.evaluate('window.begun')).toBe(5);
}, 300_000);

test('a location leads to its own incidents, and the list says to what it is narrowed', async () => {
  const { owner, page, url, lookAt } = await aStorm();
  await lookAt(owner.accountId, '4 need somebody');
  await page.open(`${url}/incidents?status=open&place=${owner.locationId}`);
  await shows(page, 'Only Home');
  await shows(page, 'Door 25');
  expect(await text(page)).not.toContain('Door 1 ');
  expect(await page.evaluate(`document.querySelectorAll('.pick').length`)).toBe(6);
  expect(await faultsOf(page, 'narrowed')).toEqual([]);
  await press(page, 'Show all');
  await eventually(() => page.evaluate(`document.querySelectorAll('.pick').length === ${INCIDENTS}`), {
    what: 'all of them',
  });
}, 300_000);

test.each([
  ['10 KB without a space', 'x'.repeat(10_240)],
  ['right to left', '\u202eמחסן ראשי '.repeat(20)],
])(
  'names break nothing of a storm: %s',
  async (_, name) => {
    const { world, owner, page, lookAt } = await aStorm();
    await world.rows('UPDATE location SET name = $1', [name]);
    await world.rows('UPDATE source SET name = $1', [name]);
    await lookAt(owner.accountId, '4 need somebody');
    await isWhole(page);
    await page.turnTo({ ...PHONE, width: 320 });
    expect(await sidewaysNow(page, 'storm')).toEqual([]);
    for (const screen of SCREENS) {
      await page.turnTo(screen);
      expect(
        await page.evaluate(
          `Math.min(...[...document.querySelectorAll('.storm .acknowledge')].map(one => one.getBoundingClientRect().height))`,
        ),
      ).toBeGreaterThanOrEqual(44);
      expect(
        await page.evaluate(`document.querySelector('.storm').getBoundingClientRect().bottom`),
        'to the end of the storm',
      ).toBeLessThan(2 * screen.height);
    }
  },
  300_000,
);

test('a thousand newer tests hide no live incident that waits for somebody', async () => {
  const { world, owner, url } = await startConsole();
  const [house, trial] = [await owner.alarm({ name: 'House', modes: { away: {} } }), await owner.alarm({ test: true })];
  const key = await owner.key();
  for (const id of [house, trial]) {
    await world.get(`/v1/alarm/${id}/trigger`, key);
    await world.settle();
    await world.advance(1);
  }
  // As many alarms in test, each with its own.
  await world.rows(
    `INSERT INTO source (account_id, id, key, kind, location_id, name, test)
     SELECT $1, md5(n::text), 'trial-' || n, 'alarm', $2, 'Trial ' || n, true FROM generate_series(1, 1000) n`,
    [owner.accountId, owner.locationId],
  );
  await world.rows(
    `INSERT INTO incident SELECT (jsonb_populate_record(i, jsonb_build_object('id', md5('i' || n),
       'seq', nextval('incident_seq_seq'), 'source_id', md5(n::text)))).*
     FROM incident i, generate_series(1, 1000) n WHERE i.account_id = $1 AND i.source_id = $2`,
    [owner.accountId, trial],
  );
  const page = await openConsole(url, world.operator, PHONE);
  await shows(page, '1 needs somebody');
}, 60_000);
