import { expect, test } from 'vitest';
import { writeMessage } from '../../services/channels/message.ts';
import { createLinks } from '../../services/responder/links.ts';
import { aMailServer, anna } from '../rpc/readiness/verification-rig.ts';
import { aNight } from '../scenario/page-rig.ts';
import { anAcknowledgement, anAlert, anOwnerNotice, aVerification } from '../support/alert.ts';
import { needsChromium, openPage, type Page } from '../support/chromium.ts';
import { eventually } from '../support/wait.ts';
import { PEPPER } from '../support/world.ts';
import { DESK, shows } from './console/console-rig.ts';
import { faultsOf, go } from './console/looks-rig.ts';
import { startRig } from './rig.ts';

/* What people see besides the console, in its face: it can be read and used by everybody, and the pictures are left to be looked at. */

needsChromium();

test('the documentation and the page of an unknown path', { timeout: 240_000 }, async () => {
  const { url } = await startRig();
  const page = await openPage(`${url}/docs`, DESK);
  const faults: string[] = [];
  for (const [path, says] of [
    ['/docs', 'Tocsin'],
    ['/docs/guide', 'Guide'],
    ['/docs/arming', 'What the answers mean'],
    ['/docs/operating', 'Operating'],
    ['/docs/realtime', 'Realtime'],
    ['/docs/api', 'API'],
    ['/docs/running', 'Ways to run it'],
    ['/docs/openapi', 'Every call'],
    ['/docs/live', 'Live state'],
    ['/nothing/here', 'There is nothing here'],
  ] as const) {
    await go(page, url + path, says);
    faults.push(...(await faultsOf(page, path.slice(1).replace('/', '-'))));
  }
  expect(faults).toEqual([]);
  await page.tap('.button');
  await shows(page, 'Email me a code');
});

test('the page that asks whether an address is theirs, and what it says once they said yes', {
  timeout: 240_000,
}, async () => {
  const smtp = await aMailServer();
  const { send } = await anna({ smtpUrl: smtp.url, publicUrl: 'of the facade' });
  await send();
  const [link = ''] = /http\S+\/i\/\S+/.exec(smtp.mails[0]!.text!) ?? [];
  const page = await openPage(link, DESK);
  await shows(page, 'May "The Elms" alert you?');
  const faults = await faultsOf(page, 'address-asked');
  await page.tap('button.acknowledge');
  await shows(page, 'can alert you here now');
  faults.push(...(await faultsOf(page, 'address-confirmed')));
  expect(faults).toEqual([]);
});

test('the page of the person alerted, from the first look to the end', { timeout: 240_000 }, async () => {
  const { world, act, linkTo } = await aNight();
  await act('trigger');
  const link = await linkTo('anna@example.com');
  const page = await openPage(link, DESK);
  const faults = await faultsOf(page, 'alerted-open');
  await page.evaluate(`document.querySelector('summary').click()`);
  faults.push(...(await faultsOf(page, 'alerted-asked')));
  await fetch(`${link}/acknowledge`, { method: 'POST' });
  await shows(page, 'Acknowledged by you');
  await settled(page);
  faults.push(...(await faultsOf(page, 'alerted-acknowledged')));
  await fetch(`${link}/close`, { method: 'POST' });
  await shows(page, 'Closed by Anna');
  await settled(page);
  faults.push(...(await faultsOf(page, 'alerted-closed')));
  await go(page, `${world.url}/i/nothing`, 'This page does not exist');
  faults.push(...(await faultsOf(page, 'alerted-gone')));
  expect(faults).toEqual([]);
});

/** Waits until what took another's place may be touched. */
function settled(page: Page): Promise<boolean> {
  return eventually(() => page.evaluate<boolean>(`!document.querySelector('main').inert`), {
    what: 'the page to settle',
  });
}

test('a rehearsal', { timeout: 120_000 }, async () => {
  const { world, owner, act } = await aNight({ test: true });
  await act('trigger');
  const [incident] = await owner.incidents();
  const links = createLinks({ pepper: PEPPER, publicUrl: () => world.url });
  const page = await openPage(links.wayBackOf(incident!.deliveries[0]!.id, 1)!.pageUrl, DESK);
  expect(await faultsOf(page, 'alerted-test')).toEqual([]);
});

test('the mails', { timeout: 240_000 }, async () => {
  const page = await openPage('data:text/html,', DESK);
  const faults: string[] = [];
  for (const [name, alert] of Object.entries({
    live: anAlert(),
    test: anAlert({ environment: 'test', locale: 'de-AT' }),
    acknowledged: anAcknowledgement(),
    code: aVerification(),
    notice: anOwnerNotice(),
  })) {
    const { html, subject } = writeMessage(alert);
    await go(page, `data:text/html;base64,${Buffer.from(html).toString('base64')}`, subject);
    faults.push(...(await faultsOf(page, `mail-${name}`)));
  }
  expect(faults).toEqual([]);
});
