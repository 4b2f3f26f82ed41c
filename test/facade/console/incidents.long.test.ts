import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import {
  aHouse,
  choose,
  DESK,
  furnish,
  openConsole,
  PHONE,
  press,
  shows,
  startConsole,
  text,
  type,
} from './console-rig.ts';
import { faultsOf } from './looks-rig.ts';

needsChromium();

const MANY = 50;

test('closes 50 incidents in one action, and "back" comes to where one was', async () => {
  const { world, owner, url } = await startConsole();
  const key = await owner.key();
  for (let at = 0; at < MANY; at++) {
    const id = await owner.alarm({ name: `Door ${at}`, modes: { away: {} } });
    await world.get(`/v1/alarm/${id}/trigger/away`, key);
    // Lists show what opened last first; what opened in one moment stands in any order.
    await world.advance(1);
  }
  await world.settle();
  const beside = await world.account();
  const theirs = await beside.alarm({ name: 'Next door', modes: { away: {} } });
  await world.get(`/v1/alarm/${theirs}/trigger/away`, await beside.key());
  await world.settle();

  const page = await openConsole(url, world.operator, PHONE);
  await page.evaluate(`localStorage.setItem('tocsin.account', ${JSON.stringify(owner.accountId)})`);
  await page.open(`${url}/incidents?status=open`);
  await shows(page, `Select ${MANY} incidents`);
  const row = `[...document.querySelectorAll('.pick a')].find(({ innerText }) => innerText.startsWith('Door 20'))`;
  const topOf = () => page.evaluate<number>(`${row}?.getBoundingClientRect().top ?? -1`);
  await page.evaluate(`${row}.scrollIntoView({ block: 'center' })`);
  expect(await page.evaluate('scrollY')).toBeGreaterThan(500);
  const before = await page.evaluate<number>(`(row => {
    const { top } = row.getBoundingClientRect();
    row.click();
    return top;
  })(${row})`);
  await shows(page, 'What happened');
  await page.evaluate('history.back()');
  await shows(page, `Select ${MANY} incidents`);
  await eventually(async () => Math.abs((await topOf()) - before) < 2, { what: 'the row at its old place' });

  await page.evaluate(`document.querySelector('.pick-all input').click()`);
  await shows(page, `${MANY} selected`);
  await page.evaluate(`document.querySelector('.many .close').click()`);
  await shows(page, `Close ${MANY} incidents?`);
  await press(page, 'Close');
  await shows(page, 'Nothing is open.', 30_000);
  expect((await owner.incidents()).filter(({ status }) => status === 'open')).toEqual([]);
  expect((await beside.incidents()).map(({ status }) => status)).toEqual(['open']);
}, 120_000);

test('closing one says what it was, and of a closed one it is said afterwards; how long it is open is seen', async () => {
  const started = await startConsole();
  const { world, owner, url } = started;
  const { house, key } = await furnish(started);
  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  const [incident] = await owner.incidents();
  const page = await openConsole(url, world.operator, PHONE);
  await page.open(`${url}/incidents/${incident!.id}`);
  await shows(page, 'What happened');
  expect(await text(page)).toMatch(/\d+ \w+\.? ago\)/);
  await press(page, 'Close');
  await shows(page, 'What was it?');
  const choose = (value: string) =>
    page.evaluate(`(field => {
      field.value = ${JSON.stringify(value)};
      field.dispatchEvent(new Event('change', { bubbles: true }));
    })(document.querySelector('select[name=disposition]'))`);
  expect(await faultsOf(page, 'incident-close')).toEqual([]);
  await page.turnTo(PHONE);
  await choose('false_alarm');
  await page.tap('dialog button[type=submit]');
  await shows(page, 'said what it was: False alarm');
  expect(await text(page)).toContain('False alarm');
  expect(await faultsOf(page, 'incident-was')).toEqual([]);
  await page.turnTo(PHONE);
  await choose('real');
  await shows(page, 'said what it was: Real');
  expect(await world.rows('SELECT status, disposition FROM incident WHERE id = $1', [incident!.id])).toEqual([
    { status: 'closed', disposition: 'real' },
  ]);
  expect(page.complaints.filter(complaint => !complaint.includes('401'))).toEqual([]);
});

test('leads to a map of the place, by its address as it is now', async () => {
  const started = await startConsole();
  const { world, owner, url } = started;
  const { house, key } = await furnish(started);
  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  const [incident] = await owner.incidents();
  const page = await openConsole(url, world.operator, PHONE);
  await page.open(`${url}/incidents/${incident!.id}`);
  await shows(page, 'Show on a map');
  expect(await text(page)).toContain('1 Elm Street');
  const link = `[...document.querySelectorAll('a')].find(({ innerText }) => innerText === 'Show on a map').href`;
  expect(await page.evaluate(link)).toBe('https://www.openstreetmap.org/search?query=1%20Elm%20Street');
  const { locations } = consoleOf(world, world.operator, owner.accountId);
  await locations.updateLocation({
    location: { id: owner.locationId, version: 1, address: '' },
    updateMask: { paths: ['address'] },
  });
  await eventually(async () => !(await text(page)).includes('Show on a map'), { what: 'the map to go' });
});

test('says what tripped on Home, in the list, on the page and in its timeline, as it goes on; nobody else’s is there', async () => {
  const started = await startConsole();
  const { world, owner, url } = started;
  const { house } = await furnish(started);
  const beside = await world.account();
  const theirs = await beside.alarm({ name: 'Next door', modes: { away: {} } });
  const trip = async (label: string, of = owner, alarm = house) => {
    const { apiKeys } = consoleOf(world, world.operator, of.accountId);
    const { secret } = await apiKeys.createApiKey({ apiKey: { label } });
    await world.get(`/v1/alarm/${alarm}/trigger/away`, secret);
    await world.settle();
  };
  await trip('Front door');
  await trip('Their shed', beside, theirs);
  const page = await openConsole(url, world.operator, PHONE);
  await page.evaluate(`localStorage.setItem('tocsin.account', ${JSON.stringify(owner.accountId)})`);
  await page.open(url);
  await shows(page, 'Tripped by Front door');
  await trip('Hall');
  await shows(page, 'Tripped by Front door, then Hall');
  await page.open(`${url}/incidents`);
  await shows(page, 'Tripped by Front door, then Hall');
  expect(await text(page)).not.toContain('Their shed');
  const [incident] = await owner.incidents();
  await page.open(`${url}/incidents/${incident!.id}`);
  await shows(page, 'What happened');
  const said = (await text(page)).replaceAll(/\s+/g, ' ');
  expect(said).toContain('Tripped by Front door, then Hall');
  expect(said).not.toContain('Opened an incident');
  expect(said).toContain('Trigger · Folded · Hall');
  expect(said).toContain('The incident opened Tripped by Front door.');
  await page.open(`${url}/calls`);
  await shows(page, 'by Front door');
  expect(await text(page)).not.toContain('Their shed');
});

test('tells the times of both nights of a clock change apart', async () => {
  const { world, owner, url } = await startConsole();
  const key = await owner.key();
  // Vienna: summer time ends on 26 October 2025 at 3:00, which is 2:00 again; it began on 30 March 2025 at 2:00, which was 3:00.
  const times = {
    First: ['2025-10-26T00:30:00Z', '26 Oct 2025, 02:30 CEST'],
    Again: ['2025-10-26T01:30:00Z', '26 Oct 2025, 02:30 CET'],
    After: ['2025-10-26T02:30:00Z', '26 Oct 2025, 03:30'],
    Winter: ['2025-03-30T00:30:00Z', '30 Mar 2025, 01:30'],
    Summer: ['2025-03-30T01:30:00Z', '30 Mar 2025, 03:30'],
  } as const;
  for (const [name, [at]] of Object.entries(times)) {
    const alarm = await owner.alarm({ name, modes: { away: {} } });
    await world.get(`/v1/alarm/${alarm}/trigger/away`, key);
    await world.settle();
    await world.rows('UPDATE incident SET opened_at = $1 WHERE source_id = $2', [at, alarm]);
  }
  const page = await openConsole(url, world.operator, PHONE);
  await page.open(`${url}/incidents`);
  // Their names stand among those to choose from before the list is there.
  const rows = () => page.evaluate<number>(`document.querySelectorAll('.pick time').length`);
  await eventually(async () => (await rows()) === 5, { what: 'all five' });
  const shown = await page.evaluate<[string, string, string][]>(`[...document.querySelectorAll('.pick')].map(row => {
    const time = row.querySelector('time');
    return [row.querySelector('a').innerText.split(' ')[0], time.dateTime, time.innerText];
  })`);
  const wanted = Object.entries(times).map(([name, [at, said]]) => [name, new Date(at).toISOString(), said]);
  expect(shown.toSorted()).toEqual(wanted.toSorted());
});

test('the next are alerted at once, a note is written, and it is handed over', async () => {
  const started = await startConsole();
  const { world, owner, url } = started;
  const { house, key } = await furnish(started);
  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  const [incident] = await owner.incidents();
  const page = await openConsole(url, world.operator, PHONE);
  await page.evaluate(`localStorage.setItem('tocsin.account', ${JSON.stringify(owner.accountId)})`);
  await page.open(`${url}/incidents/${incident!.id}`);
  await press(page, 'Alert the next now');
  await shows(page, 'alerted the next');
  await press(page, 'Write a note');
  await type(page, 'input[name=note]', 'It was <b>the cat</b>');
  await press(page, 'Save the note');
  await shows(page, 'It was <b>the cat</b>');
  await press(page, 'Hand over');
  await shows(page, 'To whom');
  await eventually(
    async () => (await page.evaluate<number>(`document.querySelectorAll('select[name=contact] option').length`)) > 0,
    { what: 'the people' },
  );
  await page.evaluate(`document.querySelector('dialog form').requestSubmit()`);
  await eventually(async () => /They (cannot be reached|are being told)/.test(await text(page)), {
    what: 'what became of it',
  });
}, 120_000);

test('incidents are narrowed by alarm and by day, as the address says; an alarm that is gone still has its own', async () => {
  const { world, url, house, workshop, key, seen } = await aHouse();
  for (const id of [house, workshop]) await world.get(`/v1/alarm/${id}/trigger/night`, key);
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/incidents`);
  await shows(page, 'Workshop — Night');
  const columns = `[...document.querySelectorAll('.pick')].map(row =>
    [...row.querySelectorAll('a, small:last-child, .chips')].map(one => Math.round(one.getBoundingClientRect().left)).join())`;
  const [one, other] = await page.evaluate<string[]>(columns);
  expect([one, new Set(one!.split(',')).size]).toEqual([other, 3]);
  await choose(page, 'select[name=source]', 'House');
  await eventually(async () => !(await text(page)).includes('Workshop — Night'), { what: 'House alone' });
  await shows(page, 'House — Night');
  const day = new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Vienna' });
  const [incident] = (await seen.incidents.listIncidents({ sourceId: house })).incidents;
  const opened = Number(incident!.openedAt!.seconds) * 1_000;
  await type(page, 'input[name=day]', day.format(opened - 86_400_000));
  await shows(page, 'No incident matches.');
  await type(page, 'input[name=day]', day.format(opened));
  await shows(page, 'House — Night');
  expect(await page.evaluate('location.search')).toBe(`?source=${house}&day=${day.format(opened)}`);
  await seen.alarms.deleteAlarm({ alarmId: house });
  await page.open(`${url}/incidents?source=${house}`);
  await shows(page, 'House — Night');
  expect(await page.evaluate(`document.querySelector('select[name=source]').selectedOptions[0].text`)).toBe('House');
});

test('incidents are narrowed to a device and to a person, as the address says; key and person lead there; nobody else’s are named', async () => {
  const { world, url, house, workshop, seen } = await aHouse();
  const beside = await world.account();
  await beside.contact('Stranger', { email: 'stranger@example.com' });
  const trip = async (label: string, alarm: string) => {
    const { apiKey, secret } = await seen.apiKeys.createApiKey({ apiKey: { label } });
    await world.get(`/v1/alarm/${alarm}/trigger/night`, secret);
    await world.settle();
    return apiKey!.id;
  };
  const camera = await trip('Camera', house);
  await trip('Door', workshop);
  const noah = (await seen.contacts.listContacts({})).contacts.find(({ name }) => name === 'Noah')!.id;
  const page = await openConsole(url, world.operator, PHONE);
  await page.open(`${url}/incidents`);
  await shows(page, 'Workshop — Night');
  const offered = (name = 'person') =>
    page.evaluate<string[]>(`[...document.querySelectorAll('select[name=${name}] option')].map(({ text }) => text)`);
  // Devices and people are asked for by whoever turns to them.
  await eventually(async () => (await offered()).join() === 'All', { what: 'a choice of nobody yet' });
  await choose(page, 'select[name=key]', 'Camera');
  expect(await offered()).toEqual(['All']);
  await eventually(async () => !(await text(page)).includes('Workshop — Night'), { what: 'those of the camera alone' });
  await shows(page, 'House — Night');
  await shows(page, 'Only Camera');
  await shows(page, 'Those it opened, or joined as one of the last three others.');
  expect(await page.evaluate('location.search')).toBe(`?key=${camera}`);
  await page.evaluate(`document.querySelector('select[name=person]').focus()`);
  await eventually(async () => (await offered()).join() === 'All,Anna,Noah', { what: 'the people of this account' });
  // It was not yet his turn.
  await choose(page, 'select[name=person]', 'Noah');
  await shows(page, 'No incident matches.');
  await press(page, 'Clear the filters');
  await shows(page, 'Workshop — Night');

  await page.turnTo(DESK);
  await page.open(`${url}/keys`);
  await shows(page, 'What it triggered');
  await page.evaluate(`document.querySelector('a[href$="?key=${camera}"]').click()`);
  await shows(page, 'Only Camera');
  await world.advance(400);
  await page.open(`${url}/people/${noah}`);
  await press(page, 'Incidents they were alerted to or acknowledged');
  await shows(page, 'House — Night');
  await shows(page, 'Only Noah');
  // Whoever is gone, or was never here, has no name.
  await page.open(`${url}/incidents?person=${'a'.repeat(32)}`);
  await shows(page, 'Only one person');
  await shows(page, 'No incident matches.');
}, 120_000);

test('a device whose key was replaced is told apart from its former one', async () => {
  const { world, url, seen } = await aHouse();
  const made = async () => (await seen.apiKeys.createApiKey({ apiKey: { label: 'Camera' } })).apiKey!;
  const former = await made();
  await made();
  await seen.apiKeys.revokeApiKey({ apiKeyId: former.id });
  const page = await openConsole(url, world.operator, PHONE);
  await page.open(`${url}/incidents?key=${former.id}`);
  await shows(page, `Only Camera (revoked, ends in ${former.secrets[0]!.last4})`);
  const offered = await page.evaluate<string[]>(
    `[...document.querySelectorAll('select[name=key] option')].map(({ text }) => text)`,
  );
  expect(offered).toContain('Camera');
});

test('what is searched for among all incidents is not asked for again at every event', async () => {
  const { world, url, house, workshop, seen } = await aHouse();
  const { apiKey, secret } = await seen.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  const trip = async (alarm: string) => {
    await world.get(`/v1/alarm/${alarm}/trigger/night`, secret);
    await world.settle();
  };
  await trip(house);
  const page = await openConsole(url, world.operator, DESK);
  for (const [filters, searches] of [
    [`source=${house}`, false],
    [`key=${apiKey!.id}`, true],
  ] as const) {
    await page.open(`${url}/incidents?${filters}`);
    await shows(page, 'House — Night');
    await page.evaluate(`{
      const { fetch } = window;
      window.asked = [];
      window.fetch = (to, how) => {
        window.asked.push(String(to) + (how?.body === undefined ? '' : new TextDecoder().decode(how.body)));
        return fetch(to, how);
      };
    }`);
    await trip(workshop);
    const asked = () => page.evaluate<string[]>('window.asked');
    const lists = async () => (await asked()).filter(one => one.includes('ListIncidents'));
    await eventually(async () => (await lists()).length > 0, { what: 'the open ones, asked for again' });
    const [, id] = filters.split('=');
    const own = (await lists()).filter(one => one.includes(id!));
    expect(own.length === 0).toBe(searches);
  }
}, 60_000);

test('open incidents stand in order: longest open first, not acknowledged first; others keep to the newest', async () => {
  const { world, url, house, workshop, key, seen } = await aHouse();
  const garage = (await seen.alarms.listAlarms({})).alarms.find(({ name }) => name === 'Garage')!.id;
  for (const id of [house, workshop, garage]) {
    await world.get(`/v1/alarm/${id}/trigger/night`, key);
    await world.settle();
    await world.advance(60);
  }
  const [first] = (await seen.incidents.listIncidents({ sourceId: house })).incidents;
  await seen.incidents.acknowledge({ incidentId: first!.id });
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/incidents?order=longest`);
  const names = () =>
    page.evaluate<string>(`[...document.querySelectorAll('.pick a')].map(a => a.innerText.split(' ')[0]).join()`);
  const stand = (order: string) => eventually(async () => (await names()) === order, { what: order });
  await stand('Garage,Workshop,House');
  expect(await page.evaluate(`document.querySelector('select[name=order]')`)).toBe(null);
  await page.open(`${url}/incidents?status=open`);
  await stand('Garage,Workshop,House');
  await choose(page, 'select[name=order]', 'Longest open first');
  await stand('House,Workshop,Garage');
  expect(await page.evaluate('location.search')).toBe('?status=open&order=longest');
  await choose(page, 'select[name=order]', 'Not acknowledged first');
  await stand('Workshop,Garage,House');
  // What somebody is at stays where it is until they leave it.
  await page.evaluate(`document.querySelector('.pick a').focus()`);
  const [second] = (await seen.incidents.listIncidents({ sourceId: workshop })).incidents;
  await seen.incidents.acknowledge({ incidentId: second!.id });
  const top = () => page.evaluate<string>(`document.querySelector('.pick').innerText`);
  await eventually(async () => /· .+ acknowledged/.test(await top()), { what: 'who took it' });
  expect(await names()).toBe('Workshop,Garage,House');
  await page.evaluate(`document.activeElement.blur()`);
  await stand('Garage,House,Workshop');
  // It is in order as it goes on.
  await seen.incidents.close({ incidentId: first!.id });
  await stand('Garage,Workshop');
  await page.open(`${url}/incidents?status=open&order=unanswered`);
  await stand('Garage,Workshop');
}, 120_000);
