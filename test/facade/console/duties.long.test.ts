import { timestampDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import { choose, PHONE, press, shows, text, tick, type } from './console-rig.ts';
import { aDuty, after, aShop, aShopsPeople, openOnFriday, startReached } from './duties-rig.ts';
import { byTouch } from './hands.ts';

needsChromium();

/** What each day of the screen says, line by line. */
const days = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('.week > li')].map(one => one.innerText.split('\\n').map(line => line.trim()).filter(line => line !== '').join(' | '))`,
  );

/** Waits until a day of the screen says so. */
const day = (page: Page, wanted: string) =>
  eventually(async () => (await days(page)).includes(wanted), { what: `the day “${wanted}”` }).catch(async error => {
    throw new Error(`${error}: ${(await days(page)).join('\n')}`);
  });

/** Presses the first shift whose name for those who press it says this, as soon as it is there. */
const pressShift = (page: Page, words: string) =>
  eventually(
    () =>
      page.evaluate<boolean>(`(() => {
        const one = [...document.querySelectorAll('button.shift')].find(one => one.title.includes(${JSON.stringify(words)}));
        one?.click();
        return one !== undefined;
      })()`),
    { what: `the shift “${words}”` },
  );

/** Ticks the box that is called so, in the dialog. */
const tickNamed = (page: Page, name: string) =>
  eventually(
    () =>
      page.evaluate<boolean>(`(() => {
        const one = [...document.querySelectorAll('dialog label')].find(one => one.innerText.trim() === ${JSON.stringify(name)});
        one?.click();
        return one !== undefined;
      })()`),
    { what: `the box “${name}”` },
  );

const isClosed = (page: Page) =>
  eventually(() => page.evaluate<boolean>(`document.querySelector('dialog') === null`), { what: 'no dialog' });

test('a shop owner says weekdays Anna, weekends Noah, Mia and Lea in turns, and gets that', async () => {
  const started = await startReached();
  const { Anna, Noah, Mia, Lea } = await aShopsPeople(started.owner);
  const page = await openOnFriday(started);
  await page.open(`${started.url}/duties`);
  await shows(page, 'No duty yet');
  await press(page, 'Add a duty');
  await type(page, 'input[name=name]', 'Shop phone');
  await press(page, 'Add Anna: On duty');
  await press(page, 'Add hours');
  await shows(page, 'Sat–Sun, all day');
  await tick(page, 'input[name="hours[1].who.how"]:not(:checked)');
  for (const name of ['Noah', 'Mia', 'Lea'])
    await tick(page, `[id="hours[1].who"] button[aria-label="Add ${name}: On duty"]`);
  await shows(page, 'Noah → Mia → Lea, in turns: the next every week, Sat 00:00');
  await press(page, 'Add the duty');

  await day(page, 'Sat 28 Nov | all day | Noah | In turns');
  await day(page, 'Mon 30 Nov | all day | Anna | By hours');
  await press(page, 'Next');
  await day(page, 'Sat 5 Dec | all day | Mia | In turns');
  const { duties } = consoleOf(started.world, started.world.operator, started.owner.accountId);
  const [duty] = (await duties.listDuties({})).duties;
  expect(duty).toMatchObject({ key: 'shop-phone', timeZone: 'Europe/Vienna', tell: true });
  expect(duty!.otherwise!.contactIds).toEqual([Anna]);
  const turns = { contactIds: [Noah, Mia, Lea], change: 'weekly', every: 1, at: 'sat 00:00', since: '2026-11-28' };
  expect(duty!.hours).toMatchObject([
    { days: 'mon-fri', from: '00:00', to: '24:00', who: { contactIds: [Anna] } },
    { days: 'sat-sun', from: '00:00', to: '24:00', who: { turns } },
  ]);
  await page.open(`${started.url}/duties`);
  await shows(page, 'Now Anna, until Sat 00:00');
  await shows(page, 'Then Noah, until Mon 00:00');
}, 120_000);

test('what is refused is said at its field, and what was typed stays', async () => {
  const started = await startReached();
  const { seen } = await aDuty(started);
  const page = await openOnFriday(started);
  await page.open(`${started.url}/duties/new`);
  await type(page, 'input[name=name]', 'x'.repeat(101));
  await type(page, 'input[name=timeZone]', 'Nowhere');
  await press(page, 'Add hours');
  await tick(page, 'input[name="hours[1].allDay"]');
  await type(page, 'input[name="hours[1].from"]', '18:00');
  await type(page, 'input[name="hours[1].to"]', '08:00');
  await shows(page, 'Ends on the next day.');
  await tick(page, 'input[name="hours[1].who.how"]:not(:checked)');
  await type(page, 'input[name="hours[1].who.turns.since"]', '');
  await tick(page, '.who-on [aria-label="Delete: Anna"]');
  await type(page, 'input[name=key]', 'Not A Key');
  await press(page, 'Add the duty');
  const at = (place: string) =>
    page.evaluate<string>(`document.querySelector(${JSON.stringify(place)})?.innerText ?? 'nothing'`);
  const said: Record<string, RegExp> = {
    'label:has([name=name]) .wrong': /100/,
    'label:has([name=timeZone]) .wrong': /zone/,
    'label:has([name=key]) .wrong': /lower-case/,
    '[id="hours[0].who"] > .wrong': /Takes/,
    '[id="hours[1].who"] > .wrong': /Takes/,
    'label:has([name="hours[1].who.turns.since"]) .wrong': /Takes/,
    '[id="otherwise"] > .wrong': /Takes/,
  };
  for (const [place, wanted] of Object.entries(said)) {
    await eventually(async () => wanted.test(await at(place)), { what: `a sentence at ${place}` });
  }
  // Each is said once: there is no list of them below.
  expect(await page.evaluate(`document.querySelectorAll('.notice.bad').length`)).toBe(0);
  await tick(page, 'input[name="hours[0].mon"]');
  await shows(page, 'Tue–Fri, all day');
  for (const one of ['tue', 'wed', 'thu', 'fri']) await tick(page, `input[name="hours[0].${one}"]`);
  await shows(page, 'Choose at least one day.');
  await press(page, 'Add the duty');
  await shows(page, 'Choose at least one day.');
  expect((await seen.duties.listDuties({})).duties).toHaveLength(1);
  await page.open(`${started.url}/duties`);
}, 120_000);

test('the week says whose shift is when and why; from a shift somebody covers, or two swap', async () => {
  const { page, seen, duty, people, shifts, world, owner } = await aShop();
  await day(page, 'Today, 27 Nov | from 18:00 | Omar | Other times | Now');
  await day(page, 'Sat 28 Nov | all day | Noah | In turns');
  await day(
    page,
    'Mon 30 Nov | until 08:00 | Omar | Other times | 08:00–18:00 | Anna | By hours | from 18:00 | Omar | Other times',
  );
  const told = await page.evaluate<number>(`document.querySelectorAll('button.shift').length`);
  expect(told).toBeGreaterThan(10);

  // A press on the shift, the person, a press on the button.
  await pressShift(page, 'Anna, Mon 08:00 – 18:00');
  await shows(page, 'Who covers');
  await tickNamed(page, 'Mia');
  await press(page, 'Let Mia cover');
  await isClosed(page);
  await day(
    page,
    'Mon 30 Nov | until 08:00 | Omar | Other times | 08:00–18:00 | Mia | Changed | from 18:00 | Omar | Other times',
  );

  // Only a part of it.
  await pressShift(page, 'Anna, Tue 08:00 – 18:00');
  await tickNamed(page, 'Lea');
  await press(page, 'Only a part of it');
  await type(page, 'dialog input[name=from]', '2026-12-01T14:00');
  await type(page, 'dialog input[name=note]', 'dentist');
  await press(page, 'Let Lea cover');
  await isClosed(page);
  await day(
    page,
    'Tue 1 Dec | until 08:00 | Omar | Other times | 08:00–14:00 | Anna | By hours | 14:00–18:00 | Lea | Changed: dentist | from 18:00 | Omar | Other times',
  );

  await pressShift(page, 'Noah, Sat 00:00');
  await tickNamed(page, 'Swap');
  await shows(page, 'With which shift');
  await choose(page, 'dialog select[name=with]', 'Mia · Sat 5 Dec, 00:00 – Mon 7 Dec, 00:00');
  await press(page, 'Swap');
  await isClosed(page);
  await day(page, 'Sat 28 Nov | all day | Mia | Changed');
  expect((await seen.duties.getDuty({ dutyId: duty.id })).duty!.except).toMatchObject([
    { from: '2026-11-28T00:00', to: '2026-11-30T00:00', contactIds: [people.Mia] },
    { from: '2026-12-05T00:00', to: '2026-12-07T00:00', contactIds: [people.Noah] },
    { from: '2026-12-01T14:00', to: '2026-12-01T18:00', contactIds: [people.Lea], note: 'dentist' },
    { from: '2026-11-30T08:00', to: '2026-11-30T18:00', contactIds: [people.Mia] },
  ]);

  // The list says what the service says, shift by shift.
  await page.evaluate(`document.querySelector('input[name=view]:not(:checked)').click()`);
  const names = () => page.evaluate<string[]>(`[...document.querySelectorAll('.shifts b')].map(one => one.innerText)`);
  const service = (await shifts()).map(({ contacts }) => contacts.map(({ name }) => name).join(' and '));
  await eventually(async () => String(await names()) === String(service), { what: 'the shifts of the service' });

  // Somebody else changes it: it is seen without a reload.
  await seen.duties.cover({
    dutyId: duty.id,
    from: after(6, '08:00'),
    until: after(6, '09:00'),
    contactIds: [people.Noah],
    note: 'by Noah',
  });
  await shows(page, 'Changed: by Noah');
  await press(page, 'Delete: Lea, Tue 1 Dec, 14:00 – 18:00');
  await press(page, 'Delete');
  await isClosed(page);
  await eventually(async () => !(await text(page)).includes('dentist'), { what: 'Anna to be on duty again' });
  expect((await seen.duties.getDuty({ dutyId: duty.id })).duty!.except).toHaveLength(4);

  // A holiday belongs to no shift.
  await press(page, 'Add a holiday or a cover');
  await tickNamed(page, 'Noah');
  await type(page, 'dialog input[name=from]', '2026-12-24T00:00');
  await type(page, 'dialog input[name=until]', '2026-12-27T00:00');
  await type(page, 'dialog input[name=note]', 'x'.repeat(101));
  await press(page, 'Let Noah cover');
  await shows(page, 'Takes');
  await type(page, 'dialog input[name=note]', 'Christmas');
  await press(page, 'Let Noah cover');
  await isClosed(page);
  await shows(page, 'Thu 24 Dec – Sat 26 Dec');
  expect(await owner.incidents()).toEqual([]);
  expect(await world.rows('SELECT count(*)::int AS count FROM duty')).toEqual([{ count: 1 }]);
}, 180_000);

test('a cover that is made while somebody edits the duty is kept, and so is the edit', async () => {
  const { page, seen, duty, people } = await aShop();
  await press(page, 'Edit');
  await type(page, 'input[name=name]', 'Phone of the shop');
  await seen.duties.cover({
    dutyId: duty.id,
    from: after(4, '13:00'),
    until: after(4, '17:00'),
    contactIds: [people.Lea],
    note: 'dentist',
  });
  // As it is read again by itself, or once it is saved.
  await eventually(
    async () => {
      await page.evaluate(`document.querySelector('form.editor')?.requestSubmit()`);
      return page.evaluate<boolean>(`document.querySelector('.week') !== null`);
    },
    { what: 'the edit to be stored' },
  );
  await shows(page, 'Phone of the shop');
  await shows(page, 'dentist');
  const stored = (await seen.duties.getDuty({ dutyId: duty.id })).duty!;
  expect(stored).toMatchObject({ name: 'Phone of the shop', except: [{ note: 'dentist' }] });
  expect(stored.hours).toEqual(duty.hours);
}, 120_000);

test('by keyboard alone, somebody covers a shift', async () => {
  const { page } = await aShop();
  const tabTo = (what: string) =>
    eventually(
      async () => {
        const isAt = () => page.evaluate<boolean>(`(at => ${what})(document.activeElement)`);
        if (await isAt()) return true;
        await page.key('Tab');
        return isAt();
      },
      { what: `the keyboard to come to where ${what}`, within: 30_000 },
    );
  await tabTo(`at.matches('button.shift') && at.title.includes('Anna, Mon')`);
  await page.key('Enter');
  await tabTo(`at.matches('dialog input[name=who]') && at.parentElement.innerText.trim() === 'Lea'`);
  await page.key(' ');
  await tabTo(`at.matches('dialog input[name=note]')`);
  await page.write('dentist');
  await page.key('Enter');
  await isClosed(page);
  await day(
    page,
    'Mon 30 Nov | until 08:00 | Omar | Other times | 08:00–18:00 | Lea | Changed: dentist | from 18:00 | Omar | Other times',
  );
}, 120_000);

test('on a telephone the days stand one below the other, and a finger covers a shift', async () => {
  const { page } = await aShop(PHONE);
  const lefts = await page.evaluate<number[]>(
    `[...document.querySelectorAll('.week > li')].map(one => one.getBoundingClientRect().left)`,
  );
  expect(new Set(lefts).size).toBe(1);
  const hand = byTouch(page);
  await page.evaluate(
    `[...document.querySelectorAll('button.shift')].find(one => one.title.includes('Anna, Mon')).id = 'it'`,
  );
  await page.evaluate(`document.querySelector('#it').scrollIntoView({ block: 'center' })`);
  await page.tap('#it');
  await shows(page, 'Who covers');
  await tickNamed(page, 'Noah');
  await hand.taps('Let Noah cover');
  await isClosed(page);
  await day(
    page,
    'Mon 30 Nov | until 08:00 | Omar | Other times | 08:00–18:00 | Noah | Changed | from 18:00 | Omar | Other times',
  );
}, 120_000);

test('over a change of the clocks each day has its own shifts', async () => {
  const { page, url, duty, seen } = await aShop();
  // 17 weeks ahead the clocks go forward in the night to Sunday, and 48 weeks ahead back.
  for (const [week, saturday, sunday, monday] of [
    [17, 'Sat 27 Mar', 'Sun 28 Mar', 'Mon 29 Mar'],
    [48, 'Sat 30 Oct', 'Sun 31 Oct', 'Mon 1 Nov'],
  ] as const) {
    await page.open(`${url}/duties/${duty.id}?week=${week}`);
    const at = timestampDate(after(week * 7 + 1));
    const from = { seconds: BigInt(at.getTime() / 1_000), nanos: 0 };
    const { contacts } = await seen.duties.onDuty({ dutyId: duty.id, at: from });
    await day(page, `${saturday} | all day | ${contacts[0]!.name} | In turns`);
    await day(page, `${sunday} | all day | ${contacts[0]!.name} | In turns`);
    await day(
      page,
      `${monday} | until 08:00 | Omar | Other times | 08:00–18:00 | Anna | By hours | from 18:00 | Omar | Other times`,
    );
    expect(await days(page)).toHaveLength(7);
  }
}, 120_000);

test('nobody who can be reached is marked where it is, with what to do', async () => {
  const { page, url, world, people, seen } = await aShop();
  expect(await text(page)).not.toContain('Unreachable');
  await world.rows('UPDATE contact_channel SET verified_at = NULL WHERE contact_id = $1', [people.Noah]);
  await shows(page, 'At times nobody on duty can be reached.');
  await day(page, 'Sat 28 Nov | all day | Noah | In turns | Unreachable');
  expect(await text(page)).toContain('Noah: Sat 00:00 – Mon 00:00 Give a way to reach them');
  await press(page, 'Give a way to reach them');
  await eventually(() => page.evaluate(`location.pathname.endsWith('/people/${people.Noah}')`), { what: 'Noah' });
  await page.open(`${url}/duties`);
  await shows(page, 'Then Noah');
  await page.open(`${url}/people/${people.Noah}`);
  await shows(page, 'Shop phone');
  // A duty keeps its people.
  await press(page, 'Delete');
  await press(page, 'Delete');
  await shows(page, 'Shop phone');
  expect((await seen.contacts.listContacts({})).contacts).toHaveLength(5);
}, 120_000);
