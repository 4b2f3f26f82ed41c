import { expect, onTestFinished, test } from 'vitest';
import { qrCodeOf } from '../../../services/process/qr-code.ts';
import { needsChromium, openPage, type Page } from '../../support/chromium.ts';
import { consoleOf } from '../../support/console.ts';
import { startLine } from '../../support/line.ts';
import { eventually } from '../../support/wait.ts';
import { type Pushed, startPushService } from '../../support/web-push.ts';
import { startWorld } from '../../support/world.ts';
import { DESK, openConsole, PHONE, press, shows, text } from './console-rig.ts';
import { faultsOf, go } from './looks-rig.ts';

needsChromium();

/** Anna, and the link that makes a browser ring for her. */
async function withAnna() {
  const service = await startPushService();
  onTestFinished(() => service.stop());
  const world = await startWorld({
    publicUrl: 'of the facade',
    carriers: { 'web-push': { contact: 'ops@example.com' } },
  });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  const { contacts } = consoleOf(world, world.operator, owner.accountId);
  const { url } = await contacts.createDeviceLink({ contactId: anna });
  return { service, world, owner, anna, contacts, link: url };
}

/**
 * Lets a browser subscribe at the double: Chromium without a window knows no push service. All else of it is real: the question, the worker, the
 * message and what is shown.
 */
async function subscribing(page: Page, origin: string, service: Awaited<ReturnType<typeof startPushService>>) {
  const { endpoint, p256dh, auth } = service.subscribe();
  await page.ask('Browser.grantPermissions', { origin, permissions: ['notifications'] });
  await page.ask('Page.addScriptToEvaluateOnNewDocument', {
    source: `PushManager.prototype.subscribe = async function (wanted) {
      if (wanted.userVisibleOnly !== true || wanted.applicationServerKey.length < 80) throw new TypeError('no key');
      const bytes = text => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), sign => sign.charCodeAt(0)).buffer;
      return { endpoint: '${endpoint}', getKey: name => bytes(name === 'auth' ? '${auth}' : '${p256dh}') };
    };`,
  });
}

/** Hands a message of the push service to the worker, as the browser does. */
async function deliver(page: Page, origin: string, { content }: Pushed) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const ended = page.hear<{ registrations: { registrationId: string; isDeleted: boolean }[] }>(
    'ServiceWorker.workerRegistrationUpdated',
    ({ registrations }) => {
      const [there] = registrations.filter(({ isDeleted }) => !isDeleted);
      if (there !== undefined) resolve(there.registrationId);
    },
  );
  await page.ask('ServiceWorker.disable');
  await page.ask('ServiceWorker.enable');
  const registrationId = await promise;
  ended();
  await page.ask('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(content) });
}

interface Notified {
  title: string;
  body: string;
  tag: string;
  actions: { title: string }[];
}

/** Keeps what the worker shows: this Chromium has no window, and shows no notification to anybody. */
const keepShown = (page: Page) =>
  inWorker(
    page,
    `self.shown ??= [];
    ServiceWorkerRegistration.prototype.showNotification = async (title, options) => void self.shown.push({ title, ...options })`,
  );

const shownBy = async (page: Page) =>
  JSON.parse(await inWorker(page, 'JSON.stringify(self.shown ?? [])')) as Notified[];

/** Evaluates something in the worker. */
async function inWorker(page: Page, expression: string) {
  const { targetInfos } = await page.ask<{ targetInfos: { type: string; targetId: string }[] }>('Target.getTargets');
  const { targetId } = targetInfos.find(({ type }) => type === 'service_worker')!;
  const { sessionId } = await page.ask<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: false });
  const { promise, resolve } = Promise.withResolvers<string>();
  const ended = page.hear<{ message: string }>('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result } = JSON.parse(message) as { id?: number; result?: { result?: { value?: string } } };
    if (id === 1) resolve(result?.result?.value ?? '');
  });
  const params = { expression, awaitPromise: true, returnByValue: true };
  await page.ask('Target.sendMessageToTarget', {
    sessionId,
    message: JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }),
  });
  const answer = await promise;
  ended();
  await page.ask('Target.detachFromTarget', { sessionId });
  return answer;
}

test('a phone rings after one press: the worker shows an alert, which is delivered then, and its button acknowledges', async () => {
  const { service, world, owner, anna, contacts, link } = await withAnna();
  const page = await openPage(`${world.url}/icon.svg`, PHONE);
  await subscribing(page, world.url, service);
  await go(page, link, 'Ring this device for Anna');
  const faults = await faultsOf(page, 'ring');
  await page.turnTo(PHONE);
  await page.tap('button.ring');
  await shows(page, 'This device rings now.');
  faults.push(...(await faultsOf(page, 'ring-rings')));
  await page.turnTo(PHONE);
  expect(faults).toEqual([]);
  const { devices } = await contacts.listDevices({ contactId: anna });
  expect(devices).toMatchObject([{ name: expect.stringContaining('Chrome'), lastFault: '' }]);

  await keepShown(page);
  await deliver(page, world.url, await service.next());
  const test = await eventually(async () => (await shownBy(page))[0], { what: 'the test message to be shown' });
  expect(test).toMatchObject({ title: expect.stringContaining('[TEST]'), actions: [] });

  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['push'] }] }]);
  const id = await owner.alarm({ name: 'House', modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  const alert = await service.next(({ content }) => content.tocsin.acknowledge !== undefined);
  await world.settle();
  const status = async () => (await world.rows<{ status: string }>('SELECT status FROM delivery'))[0]!.status;
  expect(await status()).toBe('sent');
  await deliver(page, world.url, alert);
  await eventually(async () => (await status()) === 'delivered', {
    what: 'the alert to be delivered once it is shown',
  });
  const shown = (await shownBy(page)).find(({ tag }) => tag === alert.content.notification.tag);
  expect(shown).toMatchObject({ title: expect.stringContaining('House'), actions: [{ title: 'Acknowledge' }] });
  await inWorker(
    page,
    `(async () => {
      const [notification] = self.shown.slice(-1);
      const press = new ExtendableEvent('notificationclick');
      // Of an event that no browser made nobody waits.
      Object.defineProperty(press, 'waitUntil', { value: work => { self.work = work } });
      self.dispatchEvent(Object.assign(press, { notification: { ...notification, close() {} }, action: 'acknowledge' }));
      await self.work;
    })()`,
  );
  await eventually(async () => (await owner.incidents())[0]?.acknowledgedBy === 'Anna', {
    what: 'it to be acknowledged',
  });
  expect((await owner.incidents())[0]).toMatchObject({ acknowledgedVia: 'push' });
  expect((await shownBy(page)).at(-1)!.body).toContain('You acknowledged this');
}, 300_000);

test('a browser that may not ring says so, and the link is still good', async () => {
  const { world, service, link, contacts, anna } = await withAnna();
  const page = await openPage(`${world.url}/icon.svg`, DESK);
  await subscribing(page, world.url, service);
  await page.ask('Browser.setPermission', {
    origin: world.url,
    permission: { name: 'notifications' },
    setting: 'denied',
  });
  await go(page, link, 'Ring this device for Anna');
  await press(page, 'Ring this device');
  await shows(page, 'does not allow notifications');
  expect((await contacts.listDevices({ contactId: anna })).devices).toEqual([]);
  expect((await fetch(link)).status).toBe(200);
}, 300_000);

test('where Tocsin cannot be reached the phone says so, and shows no page of before', async () => {
  const { world, service, link } = await withAnna();
  const line = await startLine(Number(new URL(world.url).port));
  const origin = `http://127.0.0.1:${line.port}`;
  const page = await openPage(`${world.url}/icon.svg`, PHONE);
  await subscribing(page, origin, service);
  await go(page, link.replace(world.url, origin), 'Ring this device for Anna');
  await press(page, 'Ring this device');
  await shows(page, 'This device rings now.');
  await line.cut();
  await page.open(`${origin}/people`);
  await shows(page, 'No connection to Tocsin since');
  expect(await text(page)).not.toContain('Anna');
}, 300_000);

test('the page of a person lists their devices, makes the link for one more, and removes one', async () => {
  const { world, service, link, anna, contacts } = await withAnna();
  const { browser: _, ...subscription } = service.subscribe();
  const ring = async (url: string) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ ...subscription, name: 'Firefox, Android' }).toString() });
  const page = await openConsole(world.url, world.operator, DESK);
  await go(page, `${world.url}/people/${anna}`, 'No phone or computer rings');
  const faults = await faultsOf(page, 'person-no-device');
  await ring(link);
  await shows(page, 'Firefox, Android');
  await press(page, 'Ring a device');
  await shows(page, 'Open this link on the device that is to ring');
  // What a camera sees is that very link.
  const other = await page.evaluate<string>(`document.querySelector('#devices code').innerText`);
  const drawn = await page.evaluate<string>(`document.querySelector('#devices svg.qr path').getAttribute('d')`);
  expect(other).toMatch(/\/ring\/[A-Za-z0-9_-]{32}$/);
  expect(drawn).toBe(qrCodeOf(other).path);
  faults.push(...(await faultsOf(page, 'person-devices')));
  expect(faults).toEqual([]);
  await press(page, 'Remove');
  await shows(page, 'Remove Firefox, Android?');
  await press(page, 'Remove');
  await shows(page, 'No phone or computer rings');
  expect((await contacts.listDevices({ contactId: anna })).devices).toEqual([]);
}, 300_000);
