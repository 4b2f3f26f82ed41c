import { expect, onTestFinished, test } from 'vitest';
import { createPushTools } from '../../services/channels/web-push/tools.ts';
import { createDevices } from '../../services/readiness/devices.ts';
import { consoleOf } from '../support/console.ts';
import { signedIn } from '../support/members.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { startPushService } from '../support/web-push.ts';
import { startWorld, type WorldOptions } from '../support/world.ts';

/** An account with Anna, who has a verified email address, and whose browsers may ring. */
async function family(options: WorldOptions = {}) {
  const [service, smtp] = [await startPushService(), await startSmtp()];
  onTestFinished(() => service.stop());
  onTestFinished(() => smtp.stop());
  const world = await startWorld({
    smtpUrl: smtp.url,
    publicUrl: 'of the facade',
    carriers: { 'web-push': { contact: 'ops@example.com' } },
    ...options,
  });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  const { contacts, audit } = consoleOf(world, world.operator, owner.accountId);
  const link = async (contactId = anna) => (await contacts.createDeviceLink({ contactId })).url;
  /** A browser opens a link, and its person presses the button. */
  const press = async (url: string, browser: Partial<ReturnType<typeof service.subscribe>> = service.subscribe()) => {
    const { endpoint = '', p256dh = '', auth = '' } = browser;
    const fields = new URLSearchParams({ endpoint, p256dh, auth, name: 'Chrome, Android' });
    const answer = await fetch(url, { method: 'POST', body: fields.toString() });
    return { status: answer.status, said: (await answer.json()) as Record<string, string> };
  };
  const push = async () => {
    const { contact } = await contacts.getContact({ contactId: anna });
    const found = contact!.channels.find(({ channel }) => channel === 'push');
    return found && { address: found.address, verified: found.verifiedAt !== undefined, reach: found.reach };
  };
  const devices = async () => (await contacts.listDevices({ contactId: anna })).devices;
  const alarm = async (channels: ('push' | 'email')[] = ['push', 'email']) => {
    const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels }] }]);
    return owner.alarm({ modes: { away: { policyId } } });
  };
  const trigger = async (id: string) => world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  /** What the page of the message does with it: a worker posts as text. */
  const tell = (page: string, verb: string, body: string) => fetch(`${page}/${verb}`, { method: 'POST', body });
  /** How the messages over push stand. */
  const pushes = async () => {
    const rows = await world.rows<{ status: string }>(
      "SELECT status FROM delivery WHERE channel = 'push' ORDER BY seq",
    );
    return rows.map(({ status }) => status);
  };
  return {
    ...{ service, smtp, world, owner, anna, contacts, audit, link, press, push, devices },
    ...{ alarm, trigger, tell, pushes },
  };
}

const RINGS = { address: 'web:devices', verified: true, reach: 'goes' };

test('whoever opens the link and presses rings for that contact: an alert is shown there, and acknowledged by its button', async () => {
  const { service, smtp, world, owner, anna, audit, link, press, push, devices, alarm, trigger, tell, pushes } =
    await family();
  const url = await link();
  expect(url).toMatch(new RegExp(`^${world.url}/ring/[A-Za-z0-9_-]{32}$`));
  const shown = await (await fetch(url)).text();
  expect(shown).toContain('Ring this device for Anna');
  expect(await push()).toBeUndefined();
  expect(await press(url)).toEqual({ status: 200, said: { outcome: 'added', problem: '' } });
  expect(service.pushed[0]!.content.notification.title).toContain('[TEST]');
  expect(await push()).toEqual(RINGS);
  expect(await devices()).toMatchObject([{ name: 'Chrome, Android', lastFault: '' }]);
  // Over her other way she is told that a device is there.
  await world.settle();
  const told = await smtp.next(({ subject = '' }) => subject.includes('A DEVICE RINGS FOR YOU'));
  expect(told.text).toContain('Chrome, Android');
  const { changes } = await audit.listChanges({});
  expect(changes.map(({ actor, name }) => [actor, name])).toContainEqual(['Anna', 'Anna']);
  expect(changes.map(({ before, after }) => JSON.stringify([before, after])).join()).not.toContain(service.url);

  const id = await alarm(['push']);
  await trigger(id);
  const { content } = await service.next(({ content }) => content.tocsin.acknowledge !== undefined);
  expect(content.notification.navigate).toMatch(new RegExp(`^${world.url}/i/`));
  await world.settle();
  expect(await pushes()).toEqual(['sent']);
  const page = content.notification.navigate!;
  expect((await tell(page, 'shown', `attempt=${content.tocsin.attempt}`)).status).toBe(200);
  expect(await pushes()).toEqual(['delivered']);
  expect((await tell(page, 'acknowledge', 'via=push')).status).toBe(200);
  expect((await owner.incidents())[0]).toMatchObject({ acknowledgedBy: 'Anna', acknowledgedVia: 'push' });
  expect(anna).toHaveLength(32);
});

test('a link is good once, for a day, and ends with the next one; what is none opens nothing', async () => {
  const { world, link, press, devices } = await family();
  const first = await link();
  const second = await link();
  expect((await press(first)).status).toBe(404);
  expect((await press(second)).status).toBe(200);
  expect((await press(second)).status).toBe(404);
  expect((await fetch(second)).status).toBe(410);
  const third = await link();
  await world.advance(24 * 3600 + 1);
  expect((await press(third)).status).toBe(404);
  expect((await press(`${world.url}/ring/${'x'.repeat(32)}`)).status).toBe(404);
  expect(await devices()).toHaveLength(1);
});

test('of two devices one is gone: the other one rings, and the person is told', async () => {
  const { service, smtp, world, link, press, devices, push, alarm, trigger, pushes } = await family();
  const [old, phone] = [service.subscribe(), service.subscribe()];
  await press(await link(), old);
  await press(await link(), phone);
  service.turns('gone', old.browser);
  await trigger(await alarm(['push']));
  await service.next(({ browser, content }) => browser === phone.browser && content.tocsin.acknowledge !== undefined);
  await world.settle();
  expect(await pushes()).toEqual(['sent']);
  expect(await devices()).toHaveLength(1);
  expect(await push()).toEqual(RINGS);
  await smtp.next(({ subject = '' }) => subject.includes('A DEVICE NO LONGER RINGS'));
});

test('once the last device is gone the next channel goes, and the address is no longer verified', async () => {
  const { service, smtp, world, link, press, devices, push, alarm, trigger, pushes } = await family();
  await press(await link());
  service.turns('gone');
  await trigger(await alarm(['push']));
  await smtp.next(({ subject = '' }) => subject.startsWith('Alarm') || subject.includes('ALARM'));
  await world.settle();
  expect(await pushes()).toEqual(['failed']);
  expect(await devices()).toEqual([]);
  expect(await push()).toEqual({ ...RINGS, verified: false, reach: 'not_verified' });
});

test('endpoints that are none of a push service are refused, and nothing is stored', async () => {
  const { service, link, press, devices, push } = await family();
  const browser = service.subscribe();
  for (const endpoint of ['http://169.254.169.254/latest', 'https://10.0.0.1/push', 'file:///etc/passwd', '']) {
    const { status, said } = await press(await link(), { ...browser, endpoint });
    expect([endpoint, status]).toEqual([endpoint, 400]);
    expect(said.message).toContain('not allowed');
  }
  expect((await press(await link(), { ...browser, auth: 'short' })).status).toBe(400);
  expect(await devices()).toEqual([]);
  expect(await push()).toBeUndefined();
});

test('the link of a message makes nobody a recipient, and says nothing of messages that went elsewhere', async () => {
  const { service, smtp, world, link, press, devices, alarm, trigger, tell, pushes } = await family();
  await press(await link());
  await trigger(await alarm());
  await world.settle();
  const mail = await smtp.next(({ text = '' }) => text.includes('/i/'));
  const [forwarded] = /http\S+\/i\/\S+/.exec(mail.text ?? '')!;
  const token = forwarded.split('/').at(-1)!;
  expect((await press(`${world.url}/ring/${token}`)).status).toBe(404);
  expect((await press(forwarded)).status).toBe(404);
  expect(await devices()).toHaveLength(1);
  // Neither is what is said by the link of a mail believed of a push message.
  expect(await (await tell(forwarded, 'shown', 'attempt=1')).json()).toEqual({ outcome: 'nothing' });
  expect(await pushes()).toEqual(['sent']);
  expect(service.pushed.some(({ content }) => content.tocsin.acknowledge !== undefined)).toBe(true);
});

test('another account sees no device of this one, and adds none to it', async () => {
  const { world, anna, link, press, devices } = await family();
  await press(await link());
  const outsider = await world.account();
  const { contacts } = consoleOf(world, world.operator, outsider.accountId);
  await expect(contacts.listDevices({ contactId: anna })).rejects.toThrow();
  await expect(contacts.createDeviceLink({ contactId: anna })).rejects.toThrow();
  const [device] = await devices();
  await expect(contacts.removeDevice({ contactId: anna, deviceId: device!.id })).rejects.toThrow();
  expect(await devices()).toHaveLength(1);
});

test('a device that is removed rings no more; with another address of push all of them are gone', async () => {
  const { world, anna, contacts, link, press, devices, push } = await family();
  await press(await link());
  const [device] = await devices();
  await contacts.removeDevice({ contactId: anna, deviceId: device!.id });
  expect(await push()).toEqual({ ...RINGS, verified: false, reach: 'not_verified' });
  await press(await link());
  expect(await push()).toEqual(RINGS);
  const { contact } = await contacts.getContact({ contactId: anna });
  const channels = contact!.channels.map(({ channel, address }) => ({
    channel,
    address: channel === 'push' ? 'a-topic' : address,
  }));
  await contacts.updateContact({
    contact: { id: anna, version: contact!.version, channels },
    updateMask: { paths: ['channels'] },
  });
  expect(await devices()).toEqual([]);
  expect(await world.rows('SELECT 1 FROM web_push_device')).toEqual([]);
  // They are added beside it, while there is room.
  await press(await link());
  const now = await contacts.getContact({ contactId: anna });
  expect(now.contact!.channels.map(({ address }) => address)).toEqual(['anna@example.com', 'a-topic', 'web:devices']);
  const four = ['a', 'b', 'c', 'd'].map(address => ({ channel: 'push', address }));
  await contacts.updateContact({
    contact: { id: anna, version: now.contact!.version, channels: four },
    updateMask: { paths: ['channels'] },
  });
  await expect(link()).rejects.toThrow('go to four other addresses');
});

test('where browsers do not subscribe it is said, and no link is made', async () => {
  const { anna, contacts } = await family({ publicUrl: 'http://tocsin.example.com' });
  await expect(contacts.createDeviceLink({ contactId: anna })).rejects.toThrow('begin with https://');
  expect(await contacts.listDevices({ contactId: anna })).toMatchObject({ adding: 'not_https', isCaller: false });
});

test('the key is made once and sealed: whoever asks first, and a process that starts later, have the same', async () => {
  const { world, link, press } = await family();
  const tools = createPushTools([]);
  const process = () => createDevices({ pool: world.store.pool, seal: world.seal, tools });
  const [one, other] = [process(), process()];
  const both = await Promise.all([one.key(), other.key()]);
  expect(both[0]).not.toBe(null);
  expect([both[1], await process().key()]).toEqual([both[0], both[0]]);
  const keyOf = async () => /data-key="([\w-]+)"/.exec(await (await fetch(await link())).text())![1]!;
  const key = await keyOf();
  await press(await link());
  expect(await keyOf()).toBe(key);
  const [row] = await world.rows<{ sealed: string }>('SELECT sealed FROM web_push_key');
  expect(row!.sealed).not.toContain(key);
  expect(world.seal.open(row!.sealed)).toContain(key);
  await eventually(async () => (await world.rows('SELECT 1 FROM web_push_device')).length === 1, { what: 'a device' });
});

test('a member makes the link for themselves, whatever their role, and for nobody else', async () => {
  const { smtp, world, owner, anna, press, devices } = await family();
  const { members, contacts: ofOperator } = consoleOf(world, world.operator, owner.accountId);
  const as = async (email: string) => {
    await members.inviteMember({ email, role: 'viewer', name: email });
    return consoleOf(world, await signedIn(world, smtp, email), owner.accountId).contacts;
  };
  const annas = await as('anna@example.com');
  expect(await annas.listDevices({ contactId: anna })).toMatchObject({ adding: 'ready', isCaller: true });
  expect((await press((await annas.createOwnDeviceLink({ contactId: anna })).url)).status).toBe(200);
  expect(await devices()).toHaveLength(1);
  const nosy = await as('noah@example.com');
  expect(await nosy.listDevices({ contactId: anna })).toMatchObject({ isCaller: false });
  await expect(nosy.createOwnDeviceLink({ contactId: anna })).rejects.toThrow('Only Anna can do that');
  await expect(nosy.createDeviceLink({ contactId: anna })).rejects.toThrow();
  await expect(ofOperator.createOwnDeviceLink({ contactId: anna })).rejects.toThrow('Only Anna can do that');
});

test('a file that names no devices leaves them, as far as it leaves room', async () => {
  const { world, owner, anna, contacts, link, press, devices, push } = await family();
  const { configuration } = consoleOf(world, world.operator, owner.accountId);
  const { contact } = await contacts.getContact({ contactId: anna });
  const apply = async (further: string) => {
    const file = [
      'version: 1',
      'contacts:',
      `  - key: ${contact!.key}`,
      '    name: Anna',
      '    channels:',
      '      - { channel: email, address: anna@example.com }',
      further,
    ];
    for await (const { event } of configuration.apply({ text: file.join('\n') })) {
      if (event.case === 'result') expect(event.value.problems).toEqual([]);
    }
  };
  await press(await link());
  await apply('');
  expect(await push()).toEqual(RINGS);
  await apply('      - { channel: push, address: "web:devices" }');
  expect([await push(), (await devices()).length]).toEqual([RINGS, 1]);
  await apply('      - { channel: push, address: a-topic-of-hers }');
  const now = await contacts.getContact({ contactId: anna });
  expect(now.contact!.channels.map(({ address }) => address)).toEqual([
    'anna@example.com',
    'a-topic-of-hers',
    'web:devices',
  ]);
  expect(await devices()).toHaveLength(1);
  await apply(['a', 'b', 'c', 'd'].map(topic => `      - { channel: push, address: ${topic} }`).join('\n'));
  expect(await devices()).toEqual([]);
});

test('nobody’s word makes a browser ring: what a deployment vouches for is no device', async () => {
  const { contacts, anna, push } = await family({ contactVerification: 'trusted' });
  const { contact } = await contacts.getContact({ contactId: anna });
  const ways = contact!.channels.map(({ channel, address }) => ({ channel, address }));
  await contacts.updateContact({
    contact: {
      id: anna,
      version: contact!.version,
      channels: [...ways, { channel: 'push', address: 'web:devices' }],
    },
    updateMask: { paths: ['channels'] },
  });
  expect(await push()).toEqual({ address: 'web:devices', verified: false, reach: 'not_verified' });
});

test('a device that took nothing is not said to ring, though another one has the message', async () => {
  const { service, link, press, devices } = await family();
  expect((await press(await link())).said).toEqual({ outcome: 'added', problem: '' });
  const broken = service.subscribe();
  service.turns('broken', broken.browser);
  expect((await press(await link(), broken)).said).toEqual({
    outcome: 'added',
    problem: 'the push service has a fault of its own: 503',
  });
  const gone = service.subscribe();
  service.turns('gone', gone.browser);
  expect((await press(await link(), gone)).said.problem).toBe('the browser wants no messages any more');
  expect(await devices()).toHaveLength(2);
});

test('two devices that are removed at once leave nobody who is said to be reached', async () => {
  const { anna, contacts, link, press, push, devices } = await family();
  for (let round = 0; round < 5; round++) {
    await press(await link());
    await press(await link());
    expect(await push()).toEqual(RINGS);
    const ids = (await devices()).map(({ id }) => id);
    await Promise.all(ids.map(deviceId => contacts.removeDevice({ contactId: anna, deviceId })));
    expect(await push()).toMatchObject({ verified: false });
  }
});

test('one browser is one device, whatever became of the pepper since', async () => {
  const { service, world, link, press, devices } = await family();
  const phone = service.subscribe();
  await press(await link(), phone);
  await world.rows("UPDATE web_push_device SET endpoint_digest = decode('00', 'hex')");
  expect((await press(await link(), phone)).said).toMatchObject({ outcome: 'known' });
  expect(await devices()).toHaveLength(1);
});
