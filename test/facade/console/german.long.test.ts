import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import {
  choose,
  DESK,
  furnish,
  openConsole,
  press,
  shows,
  startConsole,
  startConsoleWithMail,
  text,
  type,
} from './console-rig.ts';

needsChromium();

/** Goes on in German, as somebody who chose it on this device. */
async function inGerman(page: Page, url: string): Promise<void> {
  await page.evaluate(`localStorage.setItem('tocsin.language', 'de')`);
  await page.open(url);
}

test('what the services say is German for a German reader: refusals, findings, rehearsals, calls and notices', async () => {
  const started = await startConsole();
  const { world, owner, url } = started;
  const { key } = await furnish(started);
  const garage = await owner.alarm({ name: 'Gartentor', test: true });
  const bare = await owner.alarm({ name: 'Keller' });
  await world.get(`/v1/alarm/${bare}/trigger`, key);
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);

  await inGerman(page, `${url}/alarms/${garage}`);
  await shows(
    page,
    'Der Modus Zuhause hat keinen Alarmplan: Ein Auslösen öffnet einen Vorfall, aber niemand wird verständigt.',
  );
  await press(page, 'Bearbeiten');
  await type(page, 'input[name=name]', 'x'.repeat(101));
  await press(page, 'Speichern');
  await shows(page, 'Erwartet 1 bis 100 Zeichen in einer Zeile');
  await press(page, 'Proben');
  await eventually(() => page.evaluate(`document.querySelector('dialog[open]') !== null`), { what: 'the question' });
  await press(page, 'Proben');
  await shows(page, 'Der Alarm „Gartentor“ wurde zur Probe ausgelöst');

  await page.open(`${url}/calls`);
  await shows(page, 'Keller');
  await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
  await shows(page, 'aber es gab niemanden zu verständigen');
  await page.open(`${url}/notices`);
  await shows(page, '„Keller“ wurde ausgelöst');

  const { languages } = await page.evaluate<{ languages: string[] }>(
    `({ languages: [document.documentElement.lang] })`,
  );
  expect(languages).toEqual(['de']);
  expect(await text(page)).not.toMatch(/\b(was triggered|nobody|the incident)\b/i);
});

test('the documentation is German for a German reader, before and after the sign-in', async () => {
  const { world, url } = await startConsole();
  const page = await openConsole(url, world.operator, DESK);
  const leads = (say: string) =>
    page.evaluate(`[...document.querySelectorAll('a')].find(one => one.textContent === '${say}').getAttribute('href')`);
  expect(await leads('Documentation')).toBe(`${url}/docs`);
  await inGerman(page, url);
  await shows(page, 'Abmelden');
  expect(await leads('Dokumentation')).toBe(`${url}/docs/de`);
  await page.evaluate(
    `[...document.querySelectorAll('.who button')].find(one => one.textContent === 'Abmelden').click()`,
  );
  await shows(page, 'Code per E-Mail senden');
  expect(await leads('Dokumentation')).toBe(`${url}/docs/de`);
});

test('what does not come from the services is said by the page, in its own language', async () => {
  const { world, line, url } = await startConsole();
  const page = await openConsole(url, world.operator, DESK);
  await inGerman(page, `${url}/settings`);
  await shows(page, 'E-Mail des Inhabers');
  line.cut();
  await type(page, 'input[name=ownerEmail]', 'otto@example.com');
  await press(page, 'Speichern');
  await shows(page, 'Tocsin ist gerade nicht erreichbar.');
});

test('whoever turns to German reads German at once, also what is seldom asked of the services', async () => {
  const { smtp, url, openAs } = await startConsoleWithMail();
  const page = await openAs('owner', 'Otto');
  await smtp.stop();
  await page.open(`${url}/settings/doctor`);
  await shows(page, 'the mail server could not be reached');
  // Nothing is asked again by itself: every timer of the page is stopped.
  await page.evaluate('for (let id = setInterval(() => {}, 1e6); id > 0; id--) clearInterval(id)');
  await choose(page, '.who select', 'Deutsch');
  await shows(page, 'der Mailserver war nicht zu erreichen');
  expect(await text(page)).not.toContain('could not be reached');
});

test('a mode is called in the reader’s language unless its owner gave it another name, and a list of people who cannot be reached is German', async () => {
  const started = await startConsole();
  const { world, url } = started;
  const { house, key } = await furnish(started);
  await world.rows("UPDATE mode SET name = 'Out' WHERE source_id = $1 AND id = 'away'", [house]);
  await world.get(`/v1/alarm/${house}/arm/night`, key);
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  await inGerman(page, `${url}/alarms/${house}`);
  await shows(page, 'Scharf: Nacht');
  await shows(page, 'ist niemand zu erreichen: weder Anna noch Noah.');
  const tabs = `[...document.querySelectorAll('.would-it .segments label')].map(one => one.innerText)`;
  expect(await page.evaluate(tabs)).toEqual(['Zuhause', 'Out', 'Nacht', 'Urlaub']);
  expect(await text(page)).not.toMatch(/\b(Home, |Night|Vacation)/);
  await page.open(url);
  await shows(page, 'Scharf: Nacht');
  await page.open(`${url}/policies`);
  await press(page, 'A policy');
  await shows(page, 'Zuhause, Out, Nacht, Urlaub');
});
