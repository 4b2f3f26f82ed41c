import { timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createTestKeeper } from '../../services/configuration/test-keeper.ts';
import { KEEP_ALL } from '../../services/limits/kept.ts';
import { consoleOf, newOwner, refusal } from '../support/console.ts';
import { startSmtp } from '../support/smtp.ts';
import { startWorld, type World } from '../support/world.ts';

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

/** A live alarm whose owner is told over email, with one contact, and a window of so many seconds. */
async function aLiveAlarm(windowS = 0) {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const id = await owner.alarm({ modes: { away: { policyId, windowS } } });
  const key = await owner.key();
  const console = consoleOf(world, world.operator, owner.accountId);
  return {
    ...{ smtp, world, owner, id, console },
    alarm: async () => (await console.alarms.getAlarm({ alarmId: id })).alarm!,
    /** Switches it to test, for so many seconds; absent: nothing is chosen. */
    async toTest(forS?: number) {
      const { alarm } = await console.alarms.getAlarm({ alarmId: id });
      const testUntil = forS === undefined ? {} : { testUntil: await inS(world, forS) };
      const paths = forS === undefined ? ['test'] : ['test', 'test_until'];
      return console.alarms.updateAlarm({
        alarm: { id, version: alarm!.version, test: true, ...testUntil },
        updateMask: { paths },
      });
    },
    trigger: () => world.get(`/v1/alarm/${id}/trigger`, key),
    toAnna: () => smtp.mails.filter(({ envelope }) => envelope.to.includes('anna@example.com')).length,
    notices: async () =>
      (await world.rows<{ kind: string }>("SELECT kind FROM notice WHERE kind LIKE 'test_%' ORDER BY seq")).map(
        ({ kind }) => kind,
      ),
  };
}

async function inS(world: World, seconds: number) {
  return timestampFromMs((await nowOf(world)) + seconds * 1000);
}

async function nowOf(world: World): Promise<number> {
  const [row] = await world.rows<{ at: number }>('SELECT (extract(epoch FROM tocsin_now()) * 1000)::float8 AS at');
  return Math.floor(row!.at);
}

test('what was live and is put in test without an end is live again after a day, and its owner is told before and then', async () => {
  const of = await aLiveAlarm();
  await of.toTest();
  expect((await of.trigger()).body.data.environment).toBe('test');
  await of.world.advance(DAY_S - 11 * 60);
  expect(await of.notices()).toEqual([]);
  await of.world.advance(2 * 60);
  expect(await of.notices()).toEqual(['test_ends']);
  await of.world.advance(10 * 60);
  expect(await of.notices()).toEqual(['test_ends', 'test_ended']);
  expect(await of.alarm()).toMatchObject({ test: false });
  expect((await of.alarm()).testUntil).toBeUndefined();
  expect((await of.trigger()).body.data.environment).toBe('live');
  await of.world.settle();
  expect(of.toAnna()).toBe(1);
  const mails = of.smtp.mails.filter(({ envelope }) => envelope.to.includes('owner@example.com'));
  expect(mails.map(({ subject }) => subject)).toEqual(
    expect.arrayContaining([
      expect.stringContaining('Test ends soon: House'),
      expect.stringContaining('LIVE AGAIN: House'),
    ]),
  );
  const { changes } = await of.console.audit.listChanges({});
  expect(changes.map(({ actor }) => actor)).toContain('Test end');
  await of.smtp.stop();
});

test('a call that comes at the end, before anything was written, is live, judged from what was remembered or not', async () => {
  const of = await aLiveAlarm();
  await of.toTest(HOUR_S);
  expect((await of.trigger()).body.data.environment).toBe('test');
  await of.world.passTime(HOUR_S - 1);
  expect((await of.trigger()).body.data.environment).toBe('test');
  await of.world.passTime(1);
  expect((await of.trigger()).body.data.environment).toBe('live');
  await of.world.settle();
  expect(of.toAnna()).toBe(1);
  const incidents = await of.owner.incidents();
  expect(incidents.filter(({ environment }) => environment === 'live')).toMatchObject([{ status: 'open' }]);
  expect(incidents.filter(({ environment }) => environment === 'test')).toMatchObject([{ status: 'closed' }]);
  await of.smtp.stop();
});

test('an open test incident closes at the end as if its owner had let it go live', async () => {
  const of = await aLiveAlarm();
  await of.toTest(HOUR_S);
  await of.trigger();
  await of.world.advance(HOUR_S + 1);
  expect(await of.owner.incidents()).toMatchObject([
    { environment: 'test', status: 'closed', closeReason: 'went_live' },
  ]);
  expect(of.toAnna()).toBe(0);
  await of.smtp.stop();
});

test('a window that a test trigger started before the end alerts nobody after it; a live trigger in it does', async () => {
  const of = await aLiveAlarm(60);
  await of.toTest(HOUR_S);
  await of.world.advance(HOUR_S - 30);
  await of.trigger();
  await of.world.advance(31);
  await of.world.advance(60);
  expect(of.toAnna()).toBe(0);
  expect((await of.owner.incidents()).filter(({ status }) => status === 'open')).toEqual([]);

  await of.toTest(HOUR_S);
  await of.world.advance(HOUR_S - 30);
  await of.trigger();
  await of.world.passTime(31);
  expect((await of.trigger()).body.data.environment).toBe('live');
  await of.world.advance(60);
  expect(of.toAnna()).toBe(1);
  await of.smtp.stop();
});

test('the test of a location ends for everything in it, but for what is in test itself', async () => {
  const of = await aLiveAlarm();
  const { location } = await of.console.locations.getLocation({ locationId: of.owner.locationId });
  await of.console.locations.updateLocation({
    location: { id: location!.id, version: location!.version, test: true, testUntil: await inS(of.world, HOUR_S) },
    updateMask: { paths: ['test', 'test_until'] },
  });
  await of.toTest(3 * HOUR_S);
  await of.world.advance(HOUR_S + 1);
  expect((await of.console.locations.getLocation({ locationId: of.owner.locationId })).location).toMatchObject({
    test: false,
  });
  expect((await of.trigger()).body.data.environment).toBe('test');
  await of.world.advance(2 * HOUR_S);
  expect((await of.trigger()).body.data.environment).toBe('live');
  await of.smtp.stop();
});

test('readiness says when the test ends, and of what was never live that it does not', async () => {
  const of = await aLiveAlarm();
  await of.toTest(HOUR_S);
  const inTest = async () =>
    (await of.console.readiness.getReadiness({})).sources.flatMap(({ findings }) =>
      findings.filter(({ code }) => code === 'in_test').map(({ problem }) => problem),
    );
  expect(await inTest()).toEqual([expect.stringMatching(/ends by itself at .* UTC/)]);
  await of.world.rows('UPDATE source SET test_until = NULL');
  expect(await inTest()).toEqual([expect.stringContaining('stays so until you switch it to live')]);
  await of.smtp.stop();
});

test('an end that has passed or is more than a week away is refused by its field; what is kept stays', async () => {
  const of = await aLiveAlarm();
  for (const forS of [-1, 0, 8 * DAY_S]) {
    expect(await refusal(of.toTest(forS))).toMatchObject({
      code: 'InvalidArgument',
      fields: { testUntil: expect.any(String) },
    });
  }
  const { alarm } = await of.toTest(2 * HOUR_S);
  const renamed = await of.console.alarms.updateAlarm({
    alarm: { id: of.id, version: alarm!.version, name: 'Front' },
    updateMask: { paths: ['name'] },
  });
  expect(renamed.alarm!.testUntil).toEqual(alarm!.testUntil);
  const again = await of.console.alarms.updateAlarm({
    alarm: { id: of.id, version: renamed.alarm!.version, test: false },
    updateMask: { paths: ['test'] },
  });
  expect(again.alarm!.testUntil).toBeUndefined();
  await of.smtp.stop();
});

test('nobody else sees or sets the end', async () => {
  const of = await aLiveAlarm();
  const { alarm } = await of.toTest(HOUR_S);
  const outsider = (await newOwner(of.world, 'An outsider')).console;
  const theirs = outsider.alarms.updateAlarm({
    alarm: { id: of.id, version: alarm!.version, test: true, testUntil: await inS(of.world, 2 * HOUR_S) },
    updateMask: { paths: ['test', 'test_until'] },
  });
  expect(await refusal(theirs)).toMatchObject({ code: 'NotFound' });
  expect((await of.alarm()).testUntil).toEqual(alarm!.testUntil);
  await of.smtp.stop();
});

test('several processes that see the end at once, before and after a restart, tell it once', async () => {
  const of = await aLiveAlarm();
  const { store, bus, seal } = of.world;
  const another = () =>
    createTestKeeper({
      ...{ pool: store.pool, orm: store.orm, seal, bus, kept: KEEP_ALL, contactVerification: 'required' as const },
      ...{ nudge: () => {}, onNotice: () => {}, log: pino({ level: 'silent' }) },
    });
  await of.toTest(HOUR_S);
  await of.world.passTime(HOUR_S - 60);
  await Promise.all([another()(), another()(), of.world.settle()]);
  await of.world.passTime(60);
  await Promise.all([another()(), another()(), of.world.settle()]);
  expect(await of.notices()).toEqual(['test_ends', 'test_ended']);
  expect(await another()()).toEqual({ inMs: Number.POSITIVE_INFINITY });
  await of.smtp.stop();
});

test('a file that says test puts what is live in test for a day, and is the same file a day later', async () => {
  const of = await aLiveAlarm();
  const file = async (change: (text: string) => string) => {
    const { text } = await of.console.configuration.export({});
    return change(text);
  };
  const apply = async (text: string) => {
    const said: string[] = [];
    for await (const { event } of of.console.configuration.apply({ text })) {
      if (event.case === 'result') said.push(event.value.outcome);
    }
    return said.join();
  };
  const inTest = await file(text => text.replace(/(alarms:[\s\S]*?)test: false/, '$1test: true'));
  expect(await apply(inTest)).toBe('applied');
  const { testUntil } = await of.alarm();
  expect(timestampDate(testUntil!).getTime() - (await nowOf(of.world))).toBeGreaterThan((DAY_S - 60) * 1000);
  expect(await apply(inTest)).toBe('unchanged');
  const exported = await file(text => text);
  expect(exported).toContain(`testUntil: "${timestampDate(testUntil!).toISOString()}"`);
  expect(await apply(exported)).toBe('unchanged');
  await of.world.advance(DAY_S + 1);
  expect(await apply(exported)).toBe('unchanged');
  expect(await of.alarm()).toMatchObject({ test: false });
  await of.smtp.stop();
});
