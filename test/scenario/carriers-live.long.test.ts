import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createSeal } from '../../services/store/seal.ts';
import { consoleOf, refusal } from '../support/console.ts';
import { startNtfy } from '../support/ntfy.ts';
import { ANNAS_KEY, startPushover } from '../support/pushover.ts';
import { sharedByProcesses } from '../support/shared.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World, type WorldOptions } from '../support/world.ts';
import { aButton, allRows, carriersOf, mailServer } from './carriers-rig.ts';

/* DECISIONS.md "Carriers set up in the console": what is stored counts in every process, now and after each start. */

/** How soon each process goes by what another one stored, in milliseconds. */
const NOTICED_MS = 5_000;

/** What doctor says of a channel in this process. */
async function channelIn(world: World, operator: string, channel: string) {
  const { channels } = await consoleOf(world, operator).deployment.getDeployment({});
  return channels.find(one => one.channel === channel)!;
}

async function pushServer(options: Parameters<typeof startNtfy>[0] = {}) {
  const ntfy = await startNtfy(options);
  onTestFinished(ntfy.stop);
  return ntfy;
}

test('an alert at a process that has not noticed yet goes out all the same', async () => {
  const [smtp, { database, dataKey }] = [await mailServer(null), await sharedByProcesses()];
  const one = await startWorld({ database, dataKey });
  const other = await startWorld({ database, dataKey });
  const button = await aButton(one, 'email', 'anna@example.com');
  // Whoever else works on this database would send it.
  await carriersOf(one).set('mail', { SMTP_URL: smtp.url });
  await one.services.close();
  await button.press(other);
  const mail = await smtp.next(({ envelope }) => envelope.to.includes('anna@example.com'));
  expect(mail.subject).toContain('PANIC');
  await other.settle();
  expect(await other.rows('SELECT status FROM delivery')).toEqual([{ status: 'sent' }]);
});

test('a carrier that was removed is still asked for what people answer in its app', async () => {
  const pushover = await startPushover();
  onTestFinished(pushover.stop);
  const world = await startWorld();
  const { token, apiUrl } = pushover.settings;
  const { carriers } = consoleOf(world, world.operator);
  await carriersOf(world).set('pushover', { PUSHOVER_TOKEN: token, PUSHOVER_API_URL: apiUrl });
  const button = await aButton(world, 'push', `pushover:${ANNAS_KEY}`);
  await button.press();
  await world.settle();
  const [rung] = pushover.rung;
  expect(rung).toMatchObject({ is: 'ringing' });
  await carriers.removeCarrier({ name: 'pushover', version: 1 });
  pushover.press(rung!);
  await world.advance(5);
  expect((await button.owner.incidents())[0]).toMatchObject({ acknowledgedBy: 'Anna', acknowledgedVia: 'push' });
});

test('another process that hears nothing of it sends through the new carrier within seconds, and so does one that starts', async () => {
  const [smtp, { database, dataKey }] = [await mailServer(null), await sharedByProcesses()];
  const one = await startWorld({ database, dataKey });
  const other = await startWorld({ database, dataKey });
  const button = await aButton(one, 'email', 'anna@example.com');
  const drillIn = (world: World) =>
    consoleOf(world, one.operator, button.owner.accountId).drills.drill({
      contactId: button.contactId,
      channel: 'email',
    });
  expect((await drillIn(other)).outcome).toBe('no_carrier');

  const began = performance.now();
  await carriersOf(one).set('mail', { SMTP_URL: smtp.url });
  await eventually(async () => (await channelIn(other, one.operator, 'email')).state === 'carrier', {
    what: 'the other process to notice',
    within: NOTICED_MS,
  });
  expect(performance.now() - began).toBeLessThan(NOTICED_MS);
  expect((await drillIn(other)).outcome).toBe('sent');
  expect((await drillIn(one)).outcome).toBe('sent');
  const started = await startWorld({ database, dataKey });
  expect((await drillIn(started)).outcome).toBe('sent');
  await button.press();
  await smtp.next(mail => !mail.subject!.includes('Test message'));

  await consoleOf(one, one.operator).carriers.removeCarrier({ name: 'mail', version: 1 });
  await eventually(async () => (await channelIn(other, one.operator, 'email')).state === 'no_carrier', {
    what: 'the other process to notice',
    within: NOTICED_MS,
  });
  for (const world of [one, other]) expect((await drillIn(world)).outcome).toBe('no_carrier');
});

test('what is being sent ends where it began, and nothing is sent twice or lost', async () => {
  const [before, after] = [await pushServer(), await pushServer()];
  const world = await startWorld();
  const carriers = carriersOf(world);
  await carriers.set('ntfy', { NTFY_URL: before.url });
  const button = await aButton(world, 'push', 'annas-phone');
  before.behave(1_000);
  await button.press();
  await eventually(() => before.waiting().now === 1, { what: 'the message to be under way' });
  await carriers.set('ntfy', { NTFY_URL: after.url }, 1);
  expect(before.waiting().now).toBe(1);
  await world.settle();
  const [incident] = await button.owner.incidents();
  expect(incident!.deliveries).toMatchObject([{ status: 'sent', attempts: 1 }]);
  expect([before.pushes.length, after.pushes.length]).toEqual([1, 0]);
  await (await aButton(world, 'push', 'annas-phone')).press();
  await world.settle();
  expect([before.pushes.length, after.pushes.length]).toEqual([1, 1]);
});

test('what is stored and does not read any more stops no start: it is left out, and log, doctor and console say so', async () => {
  const [smtp, ntfy] = [await mailServer(null), await pushServer()];
  const { database, dataKey } = await sharedByProcesses();
  const first = await startWorld({ database, dataKey });
  await carriersOf(first).set('mail', { SMTP_URL: smtp.url });
  await carriersOf(first).set('ntfy', { NTFY_URL: ntfy.url });
  const seal = createSeal(dataKey);
  const store = (part: string, sealed: string) =>
    first.rows('UPDATE deployment_setting SET sealed = $2 WHERE part = $1', [part, sealed]);
  await store('mail', createSeal(randomBytes(32)).seal('{}'));
  // As a version wrote it that knew other settings.
  await first.rows(
    `INSERT INTO deployment_setting (id, part, version, names, sealed, set_by) VALUES
     ('a', 'twilio', 1, '{TWILIO_FROM}', $1, 'Operator'), ('b', 'pigeon', 1, '{PIGEON}', $2, 'Operator')`,
    [seal.seal('{"TWILIO_FROM":"nobody"}'), seal.seal('{"PIGEON":"x"}')],
  );
  const logLines: string[] = [];
  const options: WorldOptions = { database, dataKey, logLines };
  const world = await startWorld({ ...options, carriers: { order: { text: ['twilio'] } } });
  const { operator } = first;
  const console = consoleOf(world, operator);
  const { carriers } = await console.carriers.listCarriers({});
  const standing = Object.fromEntries(carriers.map(one => [one.name, [one.state, one.problem]]));
  expect(standing).toMatchObject({
    mail: ['left_out', 'what is stored cannot be opened with this DATA_KEY'],
    twilio: ['left_out', 'TWILIO_ACCOUNT_SID is missing.'],
    ntfy: ['works', ''],
    pigeon: ['left_out', 'this version of Tocsin has no such carrier'],
  });
  expect((await console.deployment.getDeployment({})).setUpCarriers).toMatchObject([
    { name: 'mail', setIn: 'console', leftOut: 'what is stored cannot be opened with this DATA_KEY' },
    { name: 'ntfy', setIn: 'console', leftOut: '' },
    { name: 'twilio', setIn: 'console', leftOut: 'TWILIO_ACCOUNT_SID is missing.' },
    { name: 'pigeon', setIn: 'console', leftOut: 'this version of Tocsin has no such carrier' },
  ]);
  for (const name of ['mail', 'twilio', 'pigeon']) {
    expect(
      logLines.find(line => line.includes('left out') && line.includes(`"${name}"`)),
      name,
    ).toBeDefined();
  }
  const button = await aButton(world, 'push', 'annas-phone');
  await button.press();
  await ntfy.next();

  // Setting it up anew mends it.
  expect(
    await console.carriers.setCarrier({ name: 'mail', settings: { SMTP_URL: smtp.url }, version: 1 }),
  ).toMatchObject({ outcome: 'stored', carrier: { state: 'works' } });

  // What this version does not know can only be taken away.
  expect(await refusal(console.carriers.setCarrier({ name: 'pigeon', settings: {}, version: 1 }))).toMatchObject({
    code: 'NotFound',
  });
  expect(await console.carriers.removeCarrier({ name: 'pigeon', version: 1 })).toMatchObject({
    carrier: { name: 'pigeon', title: 'pigeon', state: 'not_set', version: 2 },
  });
  expect((await console.carriers.listCarriers({})).carriers.map(({ name }) => name)).not.toContain('pigeon');
  expect((await console.deployment.getDeployment({})).setUpCarriers).not.toContainEqual(
    expect.objectContaining({ name: 'pigeon' }),
  );
});

test('a carrier that the environment counts on cannot be removed, and one that it does not name stands aside', async () => {
  const gateways = await Promise.all([pushServer(), pushServer()]);
  const secret = `whsec_${Buffer.alloc(32, 'x').toString('base64')}`;
  const gateway = { GATEWAY_URL: gateways[0].url, GATEWAY_SECRET: secret };
  const { database, dataKey } = await sharedByProcesses();
  const first = await startWorld({ database, dataKey });
  await carriersOf(first).set('gateway', gateway);
  const telnyx = {
    TELNYX_API_KEY: 'KEY0123456789abcdef',
    TELNYX_PUBLIC_KEY: Buffer.alloc(32).toString('base64'),
    TELNYX_FROM: '+12025550101',
    TELNYX_TEXML_APP: '1',
    TELNYX_API_URL: gateways[1].url,
  };
  const { carrier } = await carriersOf(first).set('telnyx', telnyx, 0, true);
  expect(carrier).toMatchObject({ state: 'stands_aside', setIn: 'console' });
  const ordered = { database, dataKey, carriers: { order: { text: ['gateway'] } } };
  const logLines: string[] = [];
  const counting = await startWorld({ ...ordered, logLines });
  const { carriers } = consoleOf(counting, first.operator);
  expect(await refusal(carriers.removeCarrier({ name: 'gateway', version: 1 }))).toMatchObject({
    code: 'FailedPrecondition',
    message:
      'CARRIERS_TEXT counts on A gateway of your own: take gateway out of it and start anew, then remove it here.',
  });
  expect((await channelIn(counting, first.operator, 'text')).state).toBe('carrier');
  // A process that does not count on it takes it away: the other one goes on without it, and says so.
  await consoleOf(first, first.operator).carriers.removeCarrier({ name: 'gateway', version: 1 });
  await counting.settle();
  expect((await channelIn(counting, first.operator, 'text')).state).toBe('no_carrier');
  const missing = (lines: string[]) =>
    lines.filter(
      line => line.includes('"gateway"') && line.includes('CARRIERS_TEXT names gateway, which is not set up'),
    );
  expect(missing(logLines)).toHaveLength(1);
  // It follows what comes after, and starts anew.
  const ntfy = await pushServer();
  await carriersOf(first).set('ntfy', { NTFY_URL: ntfy.url });
  await counting.settle();
  expect((await channelIn(counting, first.operator, 'push')).state).toBe('carrier');
  const linesOfStart: string[] = [];
  const again = await startWorld({ ...ordered, logLines: linesOfStart });
  expect((await channelIn(again, first.operator, 'push')).state).toBe('carrier');
  expect(missing(linesOfStart)).toHaveLength(1);
  // Without the console nobody can set it up later: whoever counts on it must not learn at night that it is not there.
  await expect(startWorld({ ...ordered, consoleCarriers: 'refused' })).rejects.toThrow('CARRIERS_TEXT names gateway');
  const listed = await carriersOf(first).get('gateway');
  expect(listed).toMatchObject({
    state: 'not_set',
    version: 2,
    changes: [{ names: [] }, { names: ['GATEWAY_URL', 'GATEWAY_SECRET'] }],
  });
  expect(await allRows(first)).not.toContain(secret);
});

test('a new DATA_KEY takes over what was set up, and can then do without the one before', async () => {
  const smtp = await mailServer(null);
  const { database } = await sharedByProcesses();
  const [before, after] = [randomBytes(32), randomBytes(32)];
  const former = await startWorld({ database, dataKey: before, dataKeyAlso: after });
  await carriersOf(former).set('mail', { SMTP_URL: smtp.url });
  const both = await startWorld({ database, dataKey: after, dataKeyAlso: before });
  await both.services.rotate();
  const [row] = await both.rows<{ sealed: string }>('SELECT sealed FROM deployment_setting');
  expect(createSeal(after).sealedWith(row!.sealed)).toBe('this');
  const alone = await startWorld({ database, dataKey: after });
  expect(await channelIn(alone, former.operator, 'email')).toMatchObject({ state: 'carrier', asked: 'answers' });
  // The former process goes on with what it has, and reads what was moved.
  await former.settle();
  expect(await channelIn(former, former.operator, 'email')).toMatchObject({ state: 'carrier', asked: 'answers' });
});

test('a copy with CONSOLE_CARRIERS=refused alerts nobody with what was set up, and sets nothing up', async () => {
  const [smtp, { database, dataKey }] = [await mailServer(null), await sharedByProcesses()];
  const original = await startWorld({ database, dataKey });
  await carriersOf(original).set('mail', { SMTP_URL: smtp.url });
  const copy = await startWorld({ database, dataKey, consoleCarriers: 'refused' });
  await copy.settle();
  expect((await channelIn(copy, original.operator, 'email')).state).toBe('no_carrier');
  const { carriers, deployment } = consoleOf(copy, original.operator);
  expect((await deployment.getDeployment({})).setUpCarriers).toEqual([
    expect.objectContaining({ name: 'mail', setIn: 'console', leftOut: 'CONSOLE_CARRIERS=refused' }),
  ]);
  const refused = { code: 'FailedPrecondition', message: expect.stringContaining('CONSOLE_CARRIERS=refused') };
  const asked = { name: 'mail', settings: { SMTP_URL: smtp.url }, version: 1 };
  expect(await refusal(carriers.setCarrier(asked))).toMatchObject(refused);
  expect(await refusal(carriers.removeCarrier({ name: 'mail', version: 1 }))).toMatchObject(refused);
  expect(smtp.mails).toEqual([]);
});
