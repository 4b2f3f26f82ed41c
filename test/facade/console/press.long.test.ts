import { expect, test } from 'vitest';
import { needsChromium, type Page } from '../../support/chromium.ts';
import { eventually } from '../../support/wait.ts';
import { DESK, furnish, openConsole, PHONE, press, shows, startConsoleWithMail, text } from './console-rig.ts';
import { faultsOf } from './looks-rig.ts';

needsChromium();

const HOLD = '.hold';

/** A furnished house whose mails go out. */
async function aHouse() {
  const started = await startConsoleWithMail();
  return { ...started, ...(await furnish(started)) };
}

/** Where the middle of the button is, once it stands still there. */
async function placeOf(page: Page, selector = HOLD): Promise<{ x: number; y: number }> {
  let before = '';
  return eventually(
    async () => {
      const at = await page.evaluate<{ x: number; y: number } | null>(`(() => {
        const one = document.querySelector(${JSON.stringify(selector)});
        one?.scrollIntoView({ block: 'center' });
        const at = one?.getBoundingClientRect();
        return at === undefined ? null : { x: at.x + at.width / 2, y: at.y + at.height / 2 };
      })()`);
      const stands = at !== null && JSON.stringify(at) === before;
      before = JSON.stringify(at);
      return stands ? at : null;
    },
    { what: 'the button' },
  ) as Promise<{ x: number; y: number }>;
}

const touch = (page: Page, type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: object[]) =>
  page.ask('Input.dispatchTouchEvent', { type, touchPoints });

/** As whoever can only click. */
async function trigger(page: Page): Promise<void> {
  await placeOf(page);
  await page.evaluate(`document.querySelector('${HOLD}').click()`);
  await press(page, 'Trigger');
}

/** Takes a page its line, and gives it back. */
async function networkOf(page: Page) {
  await page.ask('Network.enable');
  return (offline: boolean) =>
    page.ask('Network.emulateNetworkConditions', { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
}

const says = (page: Page) => page.evaluate<string>(`document.querySelector('${HOLD}').innerText`);

const becomes = (page: Page, state: 'held' | 'released') =>
  eventually(() => page.evaluate<boolean>(`document.querySelector('${HOLD}.${state}') !== null`), {
    what: `it to be ${state}`,
  });
const isHeld = (page: Page) => becomes(page, 'held');
const isReleased = (page: Page) => becomes(page, 'released');

/** Keeps a hold from coming to its end, as a busy machine lets it while a finger moves; `holds` counts those that still would. */
const stretchHolds = (page: Page) =>
  page.evaluate(`(() => {
    const { setTimeout: set, clearTimeout: clear } = window;
    window.held = new Set();
    window.stretch = 1000;
    window.setTimeout = (run, ms, ...rest) => {
      const timer = set(run, ms === 1500 ? ms * stretch : ms, ...rest);
      if (ms === 1500) window.held.add(timer);
      return timer;
    };
    window.clearTimeout = timer => {
      window.held.delete(timer);
      clear(timer);
    };
  })()`);
const letHoldsEnd = (page: Page) => page.evaluate('window.stretch = 1');
const holds = (page: Page) => page.evaluate<number>('window.held.size');

const key = (page: Page, type: 'keyDown' | 'keyUp', name: ' ' | 'Enter', autoRepeat = false) =>
  page.ask('Input.dispatchKeyEvent', {
    ...{ type, key: name, code: name === ' ' ? 'Space' : name, autoRepeat },
    windowsVirtualKeyCode: name === ' ' ? 32 : 13,
    ...(type === 'keyDown' && { text: name === ' ' ? ' ' : '\r' }),
  });

test('held with a finger, a panic button is triggered from Home, and the page says who is told and who has it', async () => {
  const { world, owner, url, seen } = await aHouse();
  await world.rows("UPDATE location SET emergency_number = '112' WHERE account_id = $1", [owner.accountId]);
  const page = await openConsole(url, world.operator, PHONE);
  await page.open(`${url}/#panic`);
  await eventually(() => page.evaluate(`document.activeElement.matches('${HOLD}')`), {
    what: 'the shortcut to lead there',
  });
  expect(await says(page)).toContain('Hold to trigger');
  expect(await faultsOf(page, 'press-home')).toEqual([]);
  await page.turnTo(PHONE);
  await touch(page, 'touchStart', [await placeOf(page)]);
  await isHeld(page);
  expect(await says(page)).toContain('Keep holding…');
  await shows(page, 'Bedside is triggered');
  await touch(page, 'touchEnd', []);
  await shows(page, 'Told, in this order: Anna, Noah.');
  expect(await page.evaluate(`document.querySelector('dialog a.live').href`)).toBe('tel:112');
  expect(await faultsOf(page, 'press-triggered')).toEqual([]);
  await page.turnTo(PHONE);
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ sourceName: 'Bedside', triggerCount: 1, environment: 'live' });
  await seen.incidents.acknowledge({ incidentId: incident!.id, by: 'Noah' });
  await shows(page, 'Acknowledged by Noah');
  await press(page, 'Open the incident');
  await eventually(() => page.evaluate(`location.pathname.endsWith('${incident!.id}')`), { what: 'the incident' });
  expect(await page.evaluate('document.querySelector("dialog")')).toBe(null);
  const [call] = (await seen.incidents.listCalls({})).calls.filter(({ verb }) => verb === 'trigger');
  expect(call).toMatchObject({ keyId: '', outcome: 'opened' });
});

test('what ends it before ends it for good: let go, a finger that leaves, one that scrolls, a tap and a click', async () => {
  const { world, owner, url } = await aHouse();
  const page = await openConsole(url, world.operator, PHONE);
  await stretchHolds(page);
  const at = await placeOf(page);
  const ended = async () => {
    await isReleased(page);
    expect(await holds(page)).toBe(0);
    expect(await says(page)).toContain('Hold longer');
  };
  await touch(page, 'touchStart', [at]);
  await isHeld(page);
  await touch(page, 'touchEnd', []);
  await ended();

  // A finger that wanders off, and one that scrolls.
  for (const to of [
    { x: 5, y: at.y },
    { x: at.x, y: at.y - 200 },
  ]) {
    const from = await placeOf(page);
    await touch(page, 'touchStart', [from]);
    await isHeld(page);
    for (const part of [0.2, 0.6, 1])
      await touch(page, 'touchMove', [{ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }]);
    await ended();
    await touch(page, 'touchEnd', []);
  }
  // Anew: a page that a finger has set going scrolls on, and what touches it then only stops it.
  await page.open(url);
  await stretchHolds(page);
  await placeOf(page);
  await page.tap(HOLD);
  await ended();

  const mouse = await placeOf(page);
  await page.ask('Input.dispatchMouseEvent', { ...mouse, type: 'mousePressed', button: 'right', clickCount: 1 });
  expect(await page.evaluate(`document.querySelector('${HOLD}.held')`)).toBe(null);
  await page.ask('Input.dispatchMouseEvent', { ...mouse, type: 'mouseReleased', button: 'right', clickCount: 1 });
  expect(await page.evaluate('document.querySelector("dialog")')).toBe(null);

  // Held to the end by the mouse it is triggered: the first time.
  await letHoldsEnd(page);
  const left = { ...(await placeOf(page)), button: 'left', clickCount: 1 };
  await page.ask('Input.dispatchMouseEvent', { ...left, type: 'mousePressed' });
  await shows(page, 'Bedside is triggered');
  await page.ask('Input.dispatchMouseEvent', { ...left, type: 'mouseReleased' });
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ triggerCount: 1 }]);
});

test('a finger that began on the text trembles and holds on, and slides off sideways and holds nothing', async () => {
  const { world, owner, url } = await aHouse();
  const page = await openConsole(url, world.operator, PHONE);
  await stretchHolds(page);
  for (const on of [`${HOLD} .labels`, `${HOLD} .ring`]) {
    const from = await placeOf(page, on);
    await touch(page, 'touchStart', [from]);
    await isHeld(page);
    await touch(page, 'touchMove', [{ x: from.x + 1, y: from.y }]);
    await touch(page, 'touchMove', [{ x: from.x + 2, y: from.y }]);
    expect(await page.evaluate(`document.querySelector('${HOLD}.held') !== null`)).toBe(true);
    for (const x of [from.x / 2, 8, 4]) await touch(page, 'touchMove', [{ x, y: from.y }]);
    await isReleased(page);
    await touch(page, 'touchEnd', []);
  }
  // It began on the button itself, and not on what is in it: browsers give a finger to what it touched.
  expect(
    await page.evaluate(`[...document.querySelectorAll('${HOLD} *')]
      .filter(one => getComputedStyle(one).pointerEvents !== 'none').map(one => one.outerHTML)`),
  ).toEqual([]);
  await world.settle();
  expect(await owner.incidents()).toEqual([]);
});

test.each(['en', 'de'])('it is as wide whatever it says, so that it leaves no finger: %s', async language => {
  const { world, url } = await aHouse();
  const page = await openConsole(url, world.operator, PHONE);
  await page.evaluate(`localStorage.setItem('tocsin.language', '${language}')`);
  await page.open(url);
  await stretchHolds(page);
  const at = await placeOf(page);
  const edges = () =>
    page.evaluate<number[]>(
      `(({ left, right }) => [left, right])(document.querySelector('${HOLD}').getBoundingClientRect())`,
    );
  const [idle, said] = [await edges(), await says(page)];
  await touch(page, 'touchStart', [at]);
  await isHeld(page);
  const held = await edges();
  await touch(page, 'touchEnd', []);
  await isReleased(page);
  expect([held, await edges()]).toEqual([idle, idle]);
  expect(said).toContain({ en: 'Hold to trigger', de: 'Zum Auslösen halten' }[language]);
});

test('on Home it stands before what is as it is; what is folded away opens for the shortcut', async () => {
  const { world, owner, url, key } = await aHouse();
  const policyId = (
    await world.rows<{ id: string }>('SELECT id FROM policy WHERE account_id = $1', [owner.accountId])
  )[0]!.id;
  const modes = { home: { policyId }, away: { policyId }, night: { policyId }, vacation: { policyId } };
  const made = await Promise.all(Array.from({ length: 9 }, (_, n) => owner.alarm({ name: `Alarm ${n}`, modes })));
  for (const id of made) expect((await world.get(`/v1/alarm/${id}/arm/night`, key)).status).toBe(202);
  await world.settle();
  const page = await openConsole(url, world.operator, PHONE);
  await shows(page, 'Armed: ');
  await placeOf(page);
  expect(await page.evaluate(`document.querySelector('.pressable').innerText`)).toContain('Ready');
  expect(await page.evaluate(`document.querySelectorAll('details .row').length`)).toBeGreaterThan(0);
  expect(await page.evaluate(`document.querySelector('details ${HOLD}')`)).toBe(null);

  await world.rows("UPDATE source SET test = true WHERE kind = 'alarm'");
  await page.open(`${url}/docs/console`);
  await page.open(`${url}/#panic`);
  await eventually(() => page.evaluate(`document.querySelector('details ${HOLD}') === document.activeElement`), {
    what: 'the shortcut to lead into what was folded away',
  });
  expect(await page.evaluate(`document.querySelector('details ${HOLD}').closest('details').open`)).toBe(true);
});

test('with the keyboard alone: Space and Enter are held too, and press nothing of what opens under them', async () => {
  const { world, owner, url } = await aHouse();
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/#panic`);
  for (const name of [' ', 'Enter'] as const) {
    await eventually(() => page.evaluate(`document.activeElement.matches('${HOLD}')`), {
      what: 'the keyboard to be there',
    });
    await stretchHolds(page);
    await key(page, 'keyDown', name);
    await isHeld(page);
    await key(page, 'keyUp', name);
    await isReleased(page);
    expect(await holds(page)).toBe(0);
    await letHoldsEnd(page);
    await key(page, 'keyDown', name);
    await isHeld(page);
    // As long as a key is down the system repeats it.
    await eventually(
      async () => {
        await key(page, 'keyDown', name, true);
        return (await text(page)).includes(name === ' ' ? 'Bedside is triggered' : 'Bedside was triggered before');
      },
      { what: 'what came of it' },
    );
    await key(page, 'keyDown', name, true);
    await key(page, 'keyUp', name);
    await shows(page, 'Told, in this order');
    expect(await page.evaluate(`document.querySelector('dialog').open`)).toBe(true);
    await page.key('Escape');
    await eventually(() => page.evaluate('document.querySelector("dialog") === null'), { what: 'it to be closed' });
  }
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ sourceName: 'Bedside', triggerCount: 2 }]);
});

test('whoever can only click, as by voice, is asked; on the screen of the button itself, in test nobody is told', async () => {
  const { world, owner, url } = await aHouse();
  const [button] = await world.rows<{ id: string }>("SELECT id FROM source WHERE kind = 'panic_button'");
  await world.rows('UPDATE source SET test = true WHERE id = $1', [button!.id]);
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/panic-buttons/${button!.id}`);
  await placeOf(page);
  await page.evaluate(`document.querySelector('${HOLD}').click()`);
  await shows(page, 'Trigger Bedside?');
  await press(page, 'Cancel');
  expect(await owner.incidents()).toEqual([]);
  await trigger(page);
  await shows(page, 'Bedside is in test: nobody is told');
  expect(await text(page)).not.toContain('emergency');
  expect(await owner.incidents()).toMatchObject([{ environment: 'test' }]);
});

test('what joins a live incident tells people, though the button is in test', async () => {
  const { world, owner, url } = await aHouse();
  const page = await openConsole(url, world.operator, DESK);
  await trigger(page);
  await shows(page, 'Bedside is triggered');
  await press(page, 'Close');
  await world.rows("UPDATE source SET test = true WHERE kind = 'panic_button'");
  await trigger(page);
  await shows(page, 'Bedside was triggered before');
  await shows(page, 'Told, in this order: Anna, Noah.');
  expect(await text(page)).toContain('call your emergency number');
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ environment: 'live', triggerCount: 2 }]);
});

test('whatever comes of the next try, where one was lost nobody says that nothing was triggered', async () => {
  const { world, owner, url, line } = await aHouse();
  const page = await openConsole(url, world.operator, PHONE);
  await placeOf(page);
  const network = await networkOf(page);
  line.cut();
  await trigger(page);
  await shows(page, 'No answer: it may not have arrived', 15_000);
  const again = async () => {
    const before = await page.evaluate<number>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/TriggerPanicButton')).length`,
    );
    await press(page, 'Send again');
    await eventually(
      () =>
        page.evaluate<boolean>(
          `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/TriggerPanicButton')).length > ${before}`,
        ),
      { what: 'another try' },
    );
    await shows(page, 'No answer: it may not have arrived', 15_000);
    expect(await text(page)).not.toMatch(/not sent|Nobody is told|nothing was triggered/);
  };
  await network(true);
  await again();
  await network(false);
  line.mend();
  await world.rows("UPDATE source SET disabled = true WHERE kind = 'panic_button'");
  await again();
  await world.rows('DELETE FROM console_session');
  await again();
  expect(await owner.incidents()).toEqual([]);
}, 90_000);

test('whoever is signed out meanwhile leaves no one’s press on the screen', async () => {
  const { openAs, world, owner } = await aHouse();
  const page = await openAs('responder', 'Rita');
  await trigger(page);
  await shows(page, 'Bedside is triggered');
  await world.rows('DELETE FROM console_session');
  await shows(page, 'Email me a code');
  await eventually(() => page.evaluate('document.querySelector("dialog") === null'), { what: 'the press to be gone' });
  expect(await owner.incidents()).toHaveLength(1);
});

test('a browser that errs about its line is not believed: the press is sent', async () => {
  const { world, owner, url } = await aHouse();
  const page = await openConsole(url, world.operator, PHONE);
  await page.evaluate(`Object.defineProperty(navigator, 'onLine', { get: () => false })`);
  await trigger(page);
  await shows(page, 'Bedside is triggered');
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ triggerCount: 1 }]);
});

test('without a line it says so at once and sends nothing later; where no answer comes, the same press is sent again', async () => {
  const { world, owner, url, line } = await aHouse();
  const page = await openConsole(url, world.operator, PHONE);
  await placeOf(page);
  const network = await networkOf(page);
  await network(true);
  await trigger(page);
  await shows(page, 'No connection: it was not sent');
  await shows(page, 'call your emergency number');
  await network(false);
  await press(page, 'Close');
  await shows(page, 'Up to date');
  await world.settle();
  expect(await owner.incidents()).toEqual([]);

  line.cut();
  await trigger(page);
  await shows(page, 'No answer: it may not have arrived', 15_000);
  line.mend();
  await press(page, 'Send again');
  await shows(page, 'Bedside is triggered', 15_000);
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ triggerCount: 1 }]);
}, 60_000);

test('whoever only looks has no button to press, and nor has one that is off', async () => {
  const { world, openAs } = await aHouse();
  const page = await openAs('viewer', 'Vera');
  await shows(page, 'Bedside');
  expect(await page.evaluate(`document.querySelector('${HOLD}')`)).toBe(null);
  const responder = await openAs('responder', 'Rita');
  await placeOf(responder);
  await world.rows("UPDATE source SET disabled = true WHERE kind = 'panic_button'");
  await eventually(() => responder.evaluate(`document.querySelector('${HOLD}') === null`), {
    what: 'the button to go',
  });
});
