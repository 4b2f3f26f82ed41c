import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Console, consoleOf } from '../support/console.ts';
import { startHook } from '../support/hook.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { startWorld } from '../support/world.ts';

/*
 * DECISIONS.md "What tripped", "Look here": a house with a key for each sensor. Anna is told by email, text and call at once, and
 * asks what set it off.
 */

async function aHouse(options: { windowS?: number; test?: boolean } = {}) {
  const [smtp, twilio] = [await startSmtp(), await startTwilio()];
  onTestFinished(async () => void (await Promise.all([smtp.stop(), twilio.stop()])));
  const world = await startWorld({
    smtpUrl: smtp.url,
    carriers: { twilio: twilio.settings },
    publicUrl: 'of the facade',
  });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { email: 'anna@example.com', text: '+12025550111', call: '+12025550111' });
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId: anna, channels: ['email', 'text', 'call'] }] },
  ]);
  const away = { policyId, windowS: options.windowS ?? 0 };
  const alarmId = await owner.alarm({ modes: { away }, test: options.test ?? false });
  const own = consoleOf(world, world.operator, owner.accountId);
  const keys = await keysOf(own, ['Front door', 'Hall', 'Kitchen', 'Garage', 'Cellar']);
  return {
    world,
    owner,
    own,
    keys,
    smtp,
    twilio,
    /** What sensors do with the alarm, one after another, each seen by the house before the next. */
    async trip(...labels: string[]) {
      for (const label of labels) await world.get(`/v1/alarm/${alarmId}/trigger/away`, keys.get(label)!.secret);
      await world.settle();
    },
    newest: () => smtp.mails.at(-1)!,
    /** What the page behind the link of the first mail says. */
    page: () => pageBehind(smtp.mails[0]!.text!),
  };
}

async function keysOf(own: Console, labels: readonly string[]) {
  const keys = new Map<string, { id: string; version: number; secret: string }>();
  for (const label of labels) {
    const { apiKey, secret } = await own.apiKeys.createApiKey({ apiKey: { label } });
    keys.set(label, { id: apiKey!.id, version: apiKey!.version, secret });
  }
  return keys;
}

async function pageBehind(mail: string): Promise<string> {
  const html = await (await fetch(/https?:\/\/\S+\/i\/[\w-]{48}/.exec(mail)![0])).text();
  return html.replaceAll('&#39;', "'").replaceAll('&#38;', '&');
}

const linksOf = (page: string) =>
  [...page.matchAll(/<a class="away" href="([^"]+)" ([^>]+)>([^<]+)<\/a>/g)]
    .map(([, url, how, label]) => ({ url, how, label }))
    .filter(({ url }) => !url!.includes('openstreetmap'));

test('whoever is alerted is told which sensor it was: in mail, text, call and on the page', async () => {
  const { trip, newest, page, twilio } = await aHouse();
  await trip('Front door');
  expect(newest()).toMatchObject({
    subject: 'ALARM: House - Away (Front door)',
    text: expect.stringContaining('\nTripped by: Front door\n'),
  });
  expect(twilio.messages[0]!.fields.Body).toMatch(/^ALARM \(LIVE\): House - Away \(Front door\)\n/);
  const { said } = await twilio.answerCall((await twilio.nextCall()).sid);
  expect(said.join(' ')).toContain('It was tripped by: Front door.');
  expect(await page()).toContain('<dt>Tripped by</dt><dd dir="auto">Front door</dd>');
  expect(await page()).toContain('ALARM: House - Away (Front door)</h1>');
});

test('its owner sees it in the list, in the timeline and in the log of calls', async () => {
  const { trip, owner, own, keys } = await aHouse();
  await trip('Front door', 'Hall');
  const [incident] = await owner.incidents();
  expect(incident!.trippedBy).toEqual(['Front door', 'Hall']);
  const told = incident!.timeline.flatMap(({ entry }) => {
    if (entry.case === 'call') return [`${entry.value.outcome} ${entry.value.keyLabel}`];
    return entry.case === 'change' && entry.value.kind === 'opened' ? [`opened. ${entry.value.explanation}`] : [];
  });
  expect(told.sort()).toEqual(['folded Hall', 'opened Front door', 'opened. Tripped by Front door.']);
  const { calls } = await own.incidents.listCalls({});
  expect(calls.map(({ keyId, keyLabel }) => [keyId, keyLabel])).toEqual([
    [keys.get('Hall')!.id, 'Hall'],
    [keys.get('Front door')!.id, 'Front door'],
  ]);
});

test('while it goes on, the first one and the last three others are told, and “still happening” says so at once', async () => {
  const { world, trip, own, owner, newest, page, twilio } = await aHouse();
  const { account } = await own.accounts.getAccount({});
  await own.accounts.updateAccount({
    account: { ...account!, stillHappeningS: 600 },
    updateMask: { paths: ['still_happening_s'] },
  });
  await trip('Front door', 'Hall', 'Kitchen', 'Garage', 'Front door');
  expect(await page()).toContain('>Front door, then Hall, Kitchen, Garage</dd>');
  await world.advance(600);
  await trip('Cellar');
  expect(newest()).toMatchObject({
    subject: 'STILL HAPPENING: ALARM: House - Away (Front door)',
    text: expect.stringContaining('\nTripped by: Front door, then Kitchen, Garage, Cellar\n'),
  });
  expect(newest().text).toContain('Triggered: 6 times');
  expect(twilio.messages.at(-1)!.fields.Body).toContain('(Front door)\nThen: Kitchen, Garage, Cellar\n6 triggers');
  expect((await owner.incidents())[0]!.trippedBy).toEqual(['Front door', 'Kitchen', 'Garage', 'Cellar']);
});

test('what is told stays told: a key that is renamed or revoked later changes nothing of it', async () => {
  const { world, trip, own, owner, keys, page } = await aHouse();
  await trip('Front door', 'Hall');
  const { id, version } = keys.get('Front door')!;
  await own.apiKeys.updateApiKey({
    apiKey: { id, version, label: 'Back door' },
    updateMask: { paths: ['label'] },
  });
  await own.apiKeys.revokeApiKey({ apiKeyId: keys.get('Hall')!.id });
  await trip('Kitchen', 'Front door');
  expect((await owner.incidents())[0]!.trippedBy).toEqual(['Front door', 'Hall', 'Kitchen']);
  expect(await page()).toContain('>Front door, then Hall, Kitchen</dd>');
  const [incident] = await owner.incidents();
  const labels = incident!.timeline.flatMap(({ entry }) => (entry.case === 'call' ? [entry.value.keyLabel] : []));
  expect(labels).toEqual(['Front door', 'Hall', 'Kitchen', 'Front door']);
  // The log of calls names keys as they are called now, as it names alarms.
  const { calls } = await own.incidents.listCalls({});
  expect(calls.map(({ keyLabel }) => keyLabel)).toEqual(['Back door', 'Kitchen', 'Hall', 'Back door']);
  await own.incidents.close({ incidentId: incident!.id });
  await world.advance(1);
  await trip('Front door');
  expect((await owner.incidents())[0]!.trippedBy).toEqual(['Back door']);
});

test('out of a false-alarm window it is the sensor that began it, and those that followed until it ended', async () => {
  const { world, trip, owner, newest } = await aHouse({ windowS: 30 });
  await trip('Hall', 'Front door');
  await world.advance(10);
  await trip('Kitchen');
  await world.advance(20);
  expect((await owner.incidents())[0]!.trippedBy).toEqual(['Hall', 'Front door', 'Kitchen']);
  expect(newest()).toMatchObject({
    subject: 'ALARM: House - Away (Hall)',
    text: expect.stringContaining('\nTripped by: Hall, then Front door, Kitchen\n'),
  });
});

test('a person who rehearses is no sensor, and the sensor that joins the rehearsal is', async () => {
  const { trip, owner, own } = await aHouse({ test: true });
  const [source] = (await own.readiness.getReadiness({})).sources;
  await own.drills.rehearse({ sourceId: source!.sourceId, mode: 'away', keepOpen: true });
  const [rehearsed] = await owner.incidents();
  expect(rehearsed!.trippedBy).toEqual([]);
  const opened = rehearsed!.timeline.flatMap(({ entry }) =>
    entry.case === 'change' && entry.value.kind === 'opened' ? [entry.value.explanation] : [],
  );
  expect(opened).toEqual(['']);
  await trip('Hall');
  expect(await owner.incidents()).toMatchObject([{ id: rehearsed!.id, triggerCount: 2, trippedBy: ['Hall'] }]);
});

test('whoever is alerted gets a link to look, of the keys that tripped it and of no other, and we never follow it', async () => {
  const { trip, own, keys, page, newest } = await aHouse();
  const camera = await startHook({ secret: `whsec_${Buffer.alloc(32, 's').toString('base64')}` });
  onTestFinished(camera.stop);
  const look = async (label: string, lookUrl: string) => {
    const { apiKey } = await own.apiKeys.getApiKey({ apiKeyId: keys.get(label)!.id });
    await own.apiKeys.updateApiKey({ apiKey: { ...apiKey!, lookUrl }, updateMask: { paths: ['look_url'] } });
  };
  await look('Front door', `${camera.url}/front?a=1&b=2`);
  await look('Kitchen', 'https://cameras.example.com/kitchen');
  await trip('Hall');
  expect(linksOf(await page())).toEqual([]);
  await trip('Front door');
  const how = 'rel="noopener noreferrer" target="_blank" dir="auto"';
  expect(linksOf(await page())).toEqual([{ url: `${camera.url}/front?a=1&b=2`, how, label: 'Look here: Front door' }]);
  await trip('Kitchen');
  expect(linksOf(await page()).map(({ label }) => label)).toEqual(['Look here: Front door', 'Look here: Kitchen']);
  expect(newest().text).not.toContain('cameras.example.com');
  expect(camera.heard).toEqual([]);

  // Where to look is what it is now: a camera that moved is looked for where it is, and a key that is gone has none.
  await look('Kitchen', 'https://cameras.example.com/kitchen-2');
  await own.apiKeys.revokeApiKey({ apiKeyId: keys.get('Front door')!.id });
  expect(linksOf(await page()).map(({ url }) => url)).toEqual(['https://cameras.example.com/kitchen-2']);
  await look('Kitchen', '');
  expect(linksOf(await page())).toEqual([]);
});

test('nobody else’s incident, page or log shows a label or a link of this account', async () => {
  const { world, trip, own, keys, page } = await aHouse();
  const { apiKey } = await own.apiKeys.getApiKey({ apiKeyId: keys.get('Front door')!.id });
  await own.apiKeys.updateApiKey({
    apiKey: { ...apiKey!, lookUrl: 'https://cameras.example.com/ours' },
    updateMask: { paths: ['look_url'] },
  });
  const outsider = await world.account();
  const theirs = consoleOf(world, world.operator, outsider.accountId);
  const theirAlarm = await outsider.alarm();
  const { secret } = await theirs.apiKeys.createApiKey({ apiKey: { label: 'Their shed' } });
  await trip('Front door');
  expect((await world.get(`/v1/alarm/${theirAlarm}/trigger/away`, keys.get('Front door')!.secret)).status).toBe(404);
  expect((await world.get(`/v1/alarm/${theirAlarm}/trigger/away`, secret)).status).toBe(202);
  await world.settle();
  expect((await outsider.incidents()).map(({ trippedBy }) => trippedBy)).toEqual([['Their shed']]);
  const told = JSON.stringify(
    [await outsider.incidents(), await theirs.incidents.listCalls({}), await theirs.apiKeys.listApiKeys({})],
    (_, value) => (typeof value === 'bigint' ? `${value}` : value),
  );
  expect(told).not.toMatch(/Front door|cameras\.example/);
  expect(await page()).not.toContain('Their shed');
  await expect(theirs.apiKeys.getApiKey({ apiKeyId: keys.get('Front door')!.id })).rejects.toThrow(/not_found/);
});

test('a sensor that joins takes no further statement, whichever it is: the labels are written with the count', async () => {
  const { trip, owner } = await aHouse();
  await trip('Front door');
  const statements = async (...labels: string[]) => {
    const query = vi.spyOn(pg.Client.prototype, 'query');
    try {
      await trip(...labels);
      const names = query.mock.calls.map(([one]) => (one as { name?: string }).name ?? '');
      return names.filter(name => /accept_group|log_calls|change_incidents|write_states|keys_by|api_key/.test(name));
    } finally {
      query.mockRestore();
    }
  };
  const alone = await statements('Front door');
  const others = await statements('Hall');
  expect(others).toEqual(alone);
  expect(alone).toContain('accept_group');
  expect(others).not.toContain('change_incidents');
  expect((await owner.incidents())[0]!.trippedBy).toEqual(['Front door', 'Hall']);
});
