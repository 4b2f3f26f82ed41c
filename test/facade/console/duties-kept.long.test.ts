import { expect, test } from 'vitest';
import { needsChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import { buttons, press, shows, startConsoleWithMail, text } from './console-rig.ts';
import { aDuty, aShop } from './duties-rig.ts';

needsChromium();

test('the link is shown once, a new one ends it, and it can be ended', async () => {
  const { page, url } = await aShop();
  const links = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('.secret code')].map(one => one.innerText)`);
  const made = async (button: string) => {
    await press(page, button);
    await eventually(async () => (await links()).length === 3, { what: 'three links' });
    const found = await links();
    await press(page, 'I have it');
    await shows(page, 'There is a link.');
    return found;
  };
  const status = async (link: string) => (await fetch(link)).status;
  const [ics, txt, json] = await made('Make the link');
  expect(await (await fetch(txt!)).text()).toBe('Omar\n');
  expect(await (await fetch(ics!)).text()).toContain('SUMMARY:');
  expect(await (await fetch(json!)).json()).toMatchObject({ duty: 'Shop phone' });
  expect(ics!.startsWith(`${url}/duty/`)).toBe(true);
  const secret = /duty\/(\w{40})/.exec(ics!)![1]!;
  expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain(secret);

  await press(page, 'Make a new link');
  await shows(page, 'Make a new link?');
  const [next] = await made('Make a new link');
  expect([await status(ics!), await status(next!)]).toEqual([404, 200]);
  await press(page, 'End the link');
  await press(page, 'End the link');
  await shows(page, 'There is no link.');
  expect(await status(next!)).toBe(404);
}, 120_000);

test('what names a duty keeps it from being deleted, and is named', async () => {
  const { page, url, duty, seen, world } = await aShop();
  await shows(page, 'No policy names it yet');
  const { policy } = await seen.policies.createPolicy({
    policy: { name: 'Shop policy', steps: [{ contacts: [{ dutyId: duty.id, channels: ['email'] }] }] },
  });
  await eventually(() => page.evaluate(`document.querySelector('a[href$="/policies/${policy!.id}"]') !== null`), {
    what: 'the policy that names it',
  });
  await press(page, 'Delete');
  await shows(page, 'Delete Shop phone?');
  await press(page, 'Delete');
  await eventually(
    () => page.evaluate(`document.querySelector('.notice.bad a[href$="/policies/${policy!.id}"]') !== null`),
    { what: 'a link to what names it' },
  );
  await seen.policies.deletePolicy({ policyId: policy!.id });
  await press(page, 'Delete');
  await press(page, 'Delete');
  await shows(page, 'No duty yet');
  expect(await world.rows('SELECT id FROM duty')).toEqual([]);
  await page.open(`${url}/duties/${duty.id}`);
  await shows(page, 'There is no such duty.');
}, 120_000);

test('shows a viewer and a responder no button that would be refused, and nobody another account', async () => {
  const started = await startConsoleWithMail();
  const { url, openAs, world } = started;
  const { duty } = await aDuty(started);
  const outsider = await world.account();
  const beside = await aDuty({ world, owner: outsider } as typeof started);
  for (const [role, name] of [
    ['viewer', 'Vera'],
    ['responder', 'Rita'],
  ] as const) {
    const page = await openAs(role, name);
    await page.open(`${url}/duties`);
    await shows(page, 'Now ');
    expect(await buttons(page)).toEqual([]);
    await page.open(`${url}/duties/${duty.id}?view=list`);
    await shows(page, 'There is no link.');
    await eventually(() => page.evaluate(`document.querySelectorAll('.shift').length > 10`), { what: 'the shifts' });
    expect(await buttons(page)).toEqual([]);
    expect(await text(page)).not.toContain('Press a shift');
    for (const path of [`duties/${beside.duty.id}`, 'duties/new']) {
      await page.open(`${url}/${path}`);
      await shows(page, 'There is no such duty.');
    }
    const refused = await page.evaluate<string>(`fetch('../rpc/tocsin.console.v1.DutyService/RotateFeed', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'connect-protocol-version': '1' },
      body: JSON.stringify({ dutyId: ${JSON.stringify(duty.id)} }),
    }).then(response => response.json()).then(({ code }) => code)`);
    expect(refused).toBe('permission_denied');
  }
}, 120_000);
