import { expect, test } from 'vitest';
import { FIXES } from '../../../facade/console/page/parts/fixes.ts';
import { ACCOUNT_FINDING_CODES, FINDING_CODES } from '../../../services/domain/readiness.ts';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { consoleOf, newOwner } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import { DESK, furnish, openConsole, shows, startConsole, startConsoleWithMail } from './console-rig.ts';
import { byTouch } from './hands.ts';

needsChromium();

/** What has the keyboard after each button, as a selector; what is no field is told in its place by an id. */
const CODES = [...FINDING_CODES, ...ACCOUNT_FINDING_CODES];
const FIELDS: Readonly<Record<(typeof CODES)[number], string>> = {
  disabled: '#disabled input[type=checkbox]',
  deactivated: '#plan',
  no_policy: 'select[name=policy-home]',
  nobody_in_step: 'select[name=nobody]',
  no_reachable_contact: '#ways input[name="channels[0].address"]',
  duty_unreachable: '#ways input[name="channels[0].address"]',
  links_unreachable: '#links',
  answers_lost: '#links',
  no_away_mode: '#mode-away input[type=checkbox]',
  armed_mode_missing: '#mode-night input[type=checkbox]',
  in_test: 'button#test',
  no_address_for_channel: 'button[name=call]',
  not_verified: 'button#verify-text',
  plan_required: '#plan',
  no_carrier: '#channel-text',
  carrier_failing: '#channel-text',
  escalation_capped: 'select[name=repeat]',
  plan_ends: '#plan',
  no_listener: '#members',
  never_proven: '#ways input[name="channels[0].address"]',
  proof_stale: '#ways input[name="channels[0].address"]',
  proof_ages: '#ways input[name="channels[0].address"]',
  stays_silent: '#ways input[name="channels[0].address"]',
  unsure_way: '#ways input[name="channels[0].address"]',
  only_one_person: 'select[name=somebody]',
  calls_limited: 'select[name=outcome]',
  calls_shed: 'select[name=outcome]',
  silent_sender: ':is(#keys, #keys *)',
  supervision_proposed: ':is(#keys, #keys *)',
  no_location_address: 'dialog textarea[name=address]',
};

/** Goes where a link of the screen leads, without loading anything anew. */
const follow = (page: Page, to: string) =>
  page.evaluate(`(() => {
    const link = document.createElement('a');
    link.href = ${JSON.stringify(to)};
    link.dataset.screen = '';
    document.querySelector('main').append(link);
    link.click();
    link.remove();
  })()`);

test('the button of every finding lands on the field that mends it', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const { house } = await furnish(console);
  const [of] = await world.rows<{ policy: string; anna: string }>(
    "SELECT (SELECT id FROM policy) AS policy, (SELECT id FROM contact WHERE name = 'Anna') AS anna",
  );
  await world.rows("UPDATE source SET test = true WHERE name = 'House'");
  await world.rows("UPDATE contact_channel SET verified_at = NULL WHERE channel = 'text'");
  await world.rows("DELETE FROM mode WHERE source_id = $1 AND id IN ('away', 'night')", [house]);
  await world.rows(`UPDATE policy SET steps = steps || '[{"delayS": 600, "contacts": []}]'::jsonb`);
  const page = await openConsole(url, world.operator, DESK);
  const missed: string[] = [];
  for (const code of CODES) {
    const screen = FIXES[code]!({
      sourceId: house,
      sourceKind: 'alarm',
      mode: code === 'no_policy' ? 'home' : code === 'armed_mode_missing' ? 'night' : '',
      policyId: code === 'no_policy' ? '' : of!.policy,
      contactId: of!.anna,
      channel: code === 'no_address_for_channel' ? 'call' : 'text',
      locationId: owner.locationId,
    });
    await page.open(url);
    await shows(page, 'In the way');
    await follow(page, `${url}/${screen}`);
    const isThere = `document.activeElement.matches(${JSON.stringify(FIELDS[code])})`;
    await eventually(() => page.evaluate<boolean>(isThere), { what: code }).catch(async () => {
      missed.push(
        `${code}: ${await page.evaluate<string>('location + document.activeElement.outerHTML.slice(0, 100)')}`,
      );
    });
  }
  expect(missed).toEqual([]);
}, 200_000);

test('what only its location keeps in test leads to the switch of the location, also when it is opened anew', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const { house } = await furnish(console);
  await world.rows('UPDATE location SET test = true WHERE id = $1', [owner.locationId]);
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/alarms/${house}#test`);
  await eventually(() => page.evaluate(`document.activeElement.matches('a#test')`), {
    what: 'the link to the location',
  });
  await page.key('Enter');
  await eventually(() => page.evaluate(`document.activeElement.matches('dialog #place-test input')`), {
    what: 'the switch',
  });
});

test('each screen has a title of its own and the keyboard at its heading; “back” brings it to the link', async () => {
  const console = await startConsole();
  const { world, url } = console;
  await furnish(console);
  const page = await openConsole(url, world.operator, DESK);
  const title = (wanted: string) =>
    eventually(async () => (await page.evaluate('document.title')) === wanted, { what: `the title “${wanted}”` });
  const isAt = (selector: string) =>
    eventually(() => page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`), {
      what: `the keyboard on ${selector}`,
    });
  await title('Home · Tocsin');
  for (const [screen, name] of [
    ['incidents', 'Incidents'],
    ['calls', 'Calls'],
    ['people', 'People'],
    ['settings', 'Settings'],
  ] as const) {
    await page.tap(`nav.side a[href$="/${screen}"]`);
    await title(`${name} · Tocsin`);
    await isAt('main h1');
  }
  await page.tap('nav.side a[href$="/people"]');
  await title('People · Tocsin');
  await shows(page, 'Anna');
  await page.tap('main a.thing, main .thing a');
  await title('Anna · Tocsin');
  await isAt('main h1');
  await page.evaluate('history.back()');
  await title('People · Tocsin');
  await isAt('main .thing a');
  // Settings have tabs: who goes through them stays there.
  await page.tap('nav.side a[href$="/settings"]');
  await isAt('main h1');
  await page.tap('.tabs a[href$="/settings/members"]');
  await shows(page, 'Invite');
  await isAt('.tabs a[href$="/settings/members"]');
});

test('the keyboard is again on what opened a dialog, however that is closed', async () => {
  const console = await startConsoleWithMail();
  const { world, owner, url } = console;
  const { house, key } = await furnish(console);
  const gone = await newOwner(world, 'Long gone');
  await consoleOf(world, world.operator, gone.accountId).accounts.deleteAccount({ accountId: gone.accountId });
  await world.get(`/v1/alarm/${house}/trigger/away`, key);
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  const hand = byTouch(page);
  const isBackAt = (label: string) =>
    eventually(
      () =>
        page.evaluate<boolean>(
          `document.querySelector('dialog') === null && document.activeElement.innerText?.trim() === ${JSON.stringify(label)}`,
        ),
      { what: `the keyboard on “${label}”` },
    );
  async function opens(label: string): Promise<void> {
    const isOpen = () => page.evaluate<boolean>(`document.querySelector('dialog[open]') !== null`);
    await eventually(
      async () => {
        if (await isOpen()) return true;
        // A finger misses what is moved while it comes down, by parts of the screen that arrive.
        await hand.taps(label);
        return eventually(isOpen, { what: 'the dialog', within: 2_000 });
      },
      { what: `the dialog of “${label}”` },
    );
  }
  for (const [screen, opener, close] of [
    ['', 'Acknowledge', 'Cancel'],
    ['alarms', 'Add an alarm', 'Cancel'],
    [`alarms/${house}`, 'Put in test', 'Cancel'],
    ['operator/deleted', 'Erase', 'Cancel'],
  ] as const) {
    await page.open(`${url}/${screen}`);
    await opens(opener);
    await hand.taps(close);
    await isBackAt(opener);
    await opens(opener);
    await page.key('Escape');
    await isBackAt(opener);
  }
  // Done, not given up: what it changed is told once.
  await page.open(`${url}/alarms/${house}`);
  await opens('Put in test');
  await hand.taps('Put in test');
  await isBackAt('Go live');
  expect(await world.rows('SELECT test FROM source WHERE id = $1', [house])).toEqual([{ test: true }]);
  expect(await owner.incidents()).toHaveLength(1);
}, 120_000);
