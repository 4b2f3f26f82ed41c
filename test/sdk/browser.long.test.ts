import { expect, test } from 'vitest';
import { needsChromium, openPage, type Page } from '../support/chromium.ts';
import { consoleOf } from '../support/console.ts';
import { eventually } from '../support/wait.ts';
import { aHouse } from './rig.ts';

/* The client where it is hardest to look: in a real browser, on the live page that the facade serves. */

needsChromium();

/** Types a key into the page, as a person would, and follows. */
async function follow(page: Page, key: string): Promise<void> {
  await page.evaluate(
    `document.getElementById('key').value = ${JSON.stringify(key)}; document.getElementById('form').requestSubmit()`,
  );
}

async function shows(page: Page, wanted: { link?: RegExp; rows?: string[] }): Promise<void> {
  const look = async () => ({
    link: await page.evaluate<string>(`document.getElementById('link').textContent`),
    rows: await page.evaluate<string[]>(`[...document.querySelectorAll('tbody tr')].map(row => row.innerText)`),
  });
  let seen = await look();
  const isThere = async () => {
    seen = await look();
    const rowsFit = wanted.rows === undefined || JSON.stringify(seen.rows) === JSON.stringify(wanted.rows);
    return rowsFit && (wanted.link === undefined || wanted.link.test(seen.link));
  };
  await eventually(isThere, { what: 'the page to change' }).catch(() => expect(seen).toEqual(wanted));
}

test('the live page follows its key: state, names, a restart of the server, and the end of the key', async () => {
  const { world, owner, alarmId, url, close, open } = await aHouse();
  const { alarms, apiKeys } = consoleOf(world, world.operator, owner.accountId);
  const { id: apiKeyId, secret } = await owner.keyWithId();
  const page = await openPage(`${url}/docs/live`);
  await follow(page, secret);
  await shows(page, { link: /^Live\.$/, rows: ['House\tHome\tdisarmed'] });
  for (const [verb, state] of [
    ['arm', 'away'],
    ['trigger', 'triggered'],
    ['clear', 'away'],
    ['disarm', 'disarmed'],
  ]) {
    await world.get(`/v1/alarm/${alarmId}/${verb}`, secret);
    await shows(page, { rows: [`House\tHome\t${state}`] });
  }
  const { alarm } = await alarms.getAlarm({ alarmId });
  const renamed = { id: alarmId, name: '<b>Barn', version: alarm!.version };
  await alarms.updateAlarm({ alarm: renamed, updateMask: { paths: ['name'] } });
  await shows(page, { rows: ['<b>Barn\tHome\tdisarmed'] });
  expect(page.complaints).toEqual([]);

  await close();
  await shows(page, { link: /^Not (live|up to date)/ });
  await world.get(`/v1/alarm/${alarmId}/arm/night`, secret);
  await open();
  await shows(page, { link: /^Live\.$/, rows: ['<b>Barn\tHome\tnight'] });

  await apiKeys.revokeApiKey({ apiKeyId });
  await shows(page, { link: /^Ended: The API key/ });
});

test('a key that is none is told on the page', async () => {
  const { url } = await aHouse();
  const page = await openPage(`${url}/docs/live`);
  await follow(page, 'toc_none');
  await shows(page, { link: /^Ended: The API key/, rows: [] });
  await follow(page, 'ein Schlüssel');
  await shows(page, { link: /^Not following: The key/, rows: [] });
});

test('the page lets nothing in from elsewhere: its scripts are ours, and its socket is where describe says', async () => {
  const { url } = await aHouse();
  const { headers } = await fetch(`${url}/docs/live`);
  const policy = headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/script-src 'self'; connect-src 'self' ws:\/\/[\w.:]+$/);
  expect(policy).not.toContain('unsafe');
  const page = await openPage(`${url}/docs/live`);
  await expect(page.evaluate(`fetch('http://127.0.0.1:1/')`)).rejects.toThrow(/Failed to fetch/);
  await eventually(() => page.complaints.some(text => /Content Security Policy/.test(text)), { what: 'the refusal' });
});
