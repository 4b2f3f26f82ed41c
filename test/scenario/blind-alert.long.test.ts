import { expect, onTestFinished, test } from 'vitest';
import { consoleOf, refusal } from '../support/console.ts';
import { sharedWorlds } from '../support/shared-world.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "A silence that alerts": a camera that falls silent while its alarm is armed triggers that alarm. */

/** A house whose camera is supervised by five minutes and alerts if it falls silent; Anna is told. */
async function aHouse(world: World, { windowS = 0, locale = 'en', label = 'Camera' } = {}) {
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const anna = await owner.contact('Anna', { email: 'anna@example.com', text: '+12025550111', call: '+12025550111' });
  await world.rows('UPDATE contact SET locale = $1, time_zone = $2 WHERE id = $3', [locale, 'UTC', anna]);
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId: anna, channels: ['email', 'text', 'call'] }] },
  ]);
  const night = { policyId, windowS };
  const alarmId = await owner.alarm({ modes: { away: { policyId, windowS: 0 }, night } });
  const own = consoleOf(world, world.operator, owner.accountId);
  const phone = await owner.key(alarmId);
  const addCamera = async (label: string) => {
    const camera = { label, alarmId, supervisionS: 300, onSilence: 'alert' };
    return (await own.apiKeys.createApiKey({ apiKey: camera })).secret;
  };
  const secret = await addCamera(label);
  const call = async (path: string, key: string) => {
    const { status } = await world.get(`/v1/${path}`, key);
    await world.settle();
    return status;
  };
  return {
    owner,
    own,
    alarmId,
    addCamera,
    live: (key = secret) => call('integration/state', key),
    trip: () => call(`alarm/${alarmId}/trigger`, phone),
    arm: () => call(`alarm/${alarmId}/arm/night`, phone),
    disarm: () => call(`alarm/${alarmId}/disarm`, phone),
    notices: async () => (await own.accounts.listNotices({})).notices.toReversed().map(({ kind }) => kind),
    /** Whether each incident is open, in which mode, and since when its sender was silent; the first one first. */
    incidents: async () => {
      const incidents = await owner.incidents();
      return incidents
        .toReversed()
        .map(
          one =>
            `${one.status} ${one.mode} ${one.triggerCount} ${one.silentSince === undefined ? 'tripped' : 'silent'}`,
        );
    },
  };
}

/** Lets time pass as it does: the product looks all the while. */
async function goOn(world: World, seconds: number, stepS = 30) {
  for (let at = 0; at < seconds; at += stepS) await world.advance(Math.min(stepS, seconds - at));
}

/** Longer than it takes until a silence is found and alerts. */
const SILENCE_S = 540;

const ONCE = ['open night 1 silent'];

test('an armed alarm whose sender falls silent alerts once, in the mode that it is armed in, and again after it was heard', async () => {
  const world = await startWorld();
  const house = await aHouse(world);
  await goOn(world, 30);
  await house.arm();
  await house.live();
  await goOn(world, 390);
  expect(await house.notices()).toEqual(['blind']);
  expect(await house.incidents()).toEqual([]);
  await goOn(world, 120);
  expect(await house.incidents()).toEqual(ONCE);
  await goOn(world, 1_200);
  await house.disarm();
  await house.arm();
  await goOn(world, 600);
  expect(await house.incidents()).toEqual(ONCE);
  const id = (await house.owner.incidents())[0]!.id;
  await house.own.incidents.close({ incidentId: id });
  await house.live();
  await goOn(world, SILENCE_S);
  expect(await house.incidents()).toEqual(['closed night 1 silent', 'open night 1 silent']);
});

test('whoever is alerted, and its owner, is told that a sender is silent, and since when', async () => {
  const [smtp, twilio] = [await startSmtp(), await startTwilio()];
  onTestFinished(async () => void (await Promise.all([smtp.stop(), twilio.stop()])));
  const world = await startWorld({
    smtpUrl: smtp.url,
    carriers: { twilio: twilio.settings },
    publicUrl: 'of the facade',
  });
  const house = await aHouse(world);
  await goOn(world, 30);
  await house.arm();
  await house.live();
  await goOn(world, SILENCE_S);
  const mail = smtp.mails.find(({ text }) => text?.includes('Tripped by'))!;
  expect(mail.subject).toBe('ALARM: House - Night (Camera is silent)');
  expect(mail.text).toMatch(/\nTripped by: Camera, which was silent since \S.+\n/);
  expect(twilio.messages[0]!.fields.Body).toMatch(/^ALARM \(LIVE\): House - Night \(Camera is silent\)\n/);
  const { said } = await twilio.answerCall((await twilio.nextCall()).sid);
  expect(said.join(' ')).toMatch(/Nothing was heard of Camera since \S+/);
  const page = await (await fetch(/https?:\/\/\S+\/i\/[\w-]{48}/.exec(mail.text!)![0])).text();
  expect(page).toContain('ALARM: House - Night (Camera is silent)</h1>');
  expect(page).toMatch(/<dd dir="auto">Camera, which was silent since [^<]+<\/dd>/);
  const { notices } = await house.own.accounts.listNotices({});
  expect(notices.map(({ explanation }) => explanation)).toEqual([
    expect.stringMatching(/is armed\. If nothing is heard of it for two minutes more, that alarm is triggered\.$/),
  ]);
  const [incident] = await house.owner.incidents();
  const told = incident!.timeline.flatMap(({ entry }) => {
    if (entry.case === 'call') {
      const { verb, outcome, keyLabel, actor, silentSince } = entry.value;
      return [[verb, outcome, keyLabel, actor, silentSince === undefined ? 'tripped' : 'silent'].join()];
    }
    return entry.case === 'change' && entry.value.kind === 'opened' ? [entry.value.explanation] : [];
  });
  expect(told).toEqual([
    'trigger,opened,Camera,,silent',
    expect.stringMatching(/^Nothing was heard of Camera for \d min\.$/),
  ]);
});

test('German people are told in German', async () => {
  const [smtp, twilio] = [await startSmtp(), await startTwilio()];
  onTestFinished(async () => void (await Promise.all([smtp.stop(), twilio.stop()])));
  const carriers = { twilio: twilio.settings };
  const world = await startWorld({ smtpUrl: smtp.url, carriers, publicUrl: 'of the facade' });
  const house = await aHouse(world, { locale: 'de', label: 'Kamera' });
  await goOn(world, 30);
  await house.arm();
  await house.live();
  await goOn(world, SILENCE_S);
  const mail = smtp.mails.find(({ subject }) => subject?.startsWith('ALARM'))!;
  expect(mail.subject).toBe('ALARM: House - Nacht (Kamera schweigt)');
  expect(mail.text).toMatch(/\nAusgelöst durch: Kamera, stumm seit \S.+\n/);
  const { said } = await twilio.answerCall((await twilio.nextCall()).sid);
  expect(said.join(' ')).toMatch(/Von Kamera war seit \S+ Uhr nichts zu hören\./);
});

test.for<[string, (house: Awaited<ReturnType<typeof aHouse>>, world: World) => Promise<unknown>]>([
  ['disarmed', house => house.disarm()],
  ['in test', (house, world) => world.rows('UPDATE source SET test = true WHERE id = $1', [house.alarmId])],
  ['at a place in test', (_, world) => world.rows('UPDATE location SET test = true')],
  ['disabled', (house, world) => world.rows('UPDATE source SET disabled = true WHERE id = $1', [house.alarmId])],
])('an alarm that is %s is triggered by no silence: neither of before nor of the two minutes since', async ([
  ,
  off,
], _) => {
  for (const when of ['before', 'since'] as const) {
    const world = await startWorld();
    const house = await aHouse(world);
    await goOn(world, 30);
    await house.arm();
    await house.live();
    if (when === 'before') await off(house, world);
    await goOn(world, 390);
    if (when === 'since') await off(house, world);
    await goOn(world, 600);
    expect(await house.incidents()).toEqual([]);
    expect(await house.notices()).toEqual(when === 'since' ? ['blind'] : []);
  }
});

test('whoever arms while a sender is silent is told, and alerts nobody', async () => {
  const world = await startWorld();
  const house = await aHouse(world);
  await house.live();
  await goOn(world, 600);
  await house.arm();
  await goOn(world, 600);
  expect(await house.notices()).toEqual(['blind']);
  expect(await house.incidents()).toEqual([]);
});

test('a disarm that was accepted before holds it, though it is applied after', async () => {
  const world = await startWorld();
  const house = await aHouse(world);
  await goOn(world, 30);
  await house.arm();
  await house.live();
  await goOn(world, 390);
  // As the gate stands once the disarm is stored, and the alarm until it is applied.
  await world.rows(
    `INSERT INTO gate (source_seq, id, armed_mode)
     SELECT seq, nextval('journal_number') * 1024, NULL FROM source WHERE id = $1`,
    [house.alarmId],
  );
  await goOn(world, 300);
  expect(await house.incidents()).toEqual([]);
});

test('it waits in the false-alarm window of its mode, and who is at home calls it off', async () => {
  const world = await startWorld();
  const house = await aHouse(world, { windowS: 120 });
  await goOn(world, 30);
  await house.arm();
  await house.live();
  await goOn(world, SILENCE_S, 10);
  expect(await house.incidents()).toEqual([]);
  await goOn(world, 120);
  expect(await house.incidents()).toEqual(ONCE);
  await house.live();
  const id = (await house.owner.incidents())[0]!.id;
  await house.own.incidents.close({ incidentId: id });
  await goOn(world, SILENCE_S, 10);
  await house.disarm();
  await goOn(world, 300);
  expect(await house.incidents()).toHaveLength(1);
});

test('a real trigger alerts anew where a silence had opened an incident, which somebody may have put off', async () => {
  const world = await startWorld();
  const house = await aHouse(world);
  await goOn(world, 30);
  await house.arm();
  await house.live();
  await goOn(world, SILENCE_S);
  const id = (await house.owner.incidents())[0]!.id;
  await house.own.incidents.acknowledge({ incidentId: id });
  expect(await house.trip()).toBe(202);
  expect(await house.incidents()).toEqual(['closed night 1 silent', 'open night 1 tripped']);
  expect((await house.owner.incidents()).map(({ closeReason }) => closeReason)).toEqual(['', 'superseded']);
});

test('one that the gate would hold joins what a silence opened: whoever disarmed is not woken by the camera that is back', async () => {
  const world = await startWorld();
  const house = await aHouse(world);
  await world.rows('UPDATE source SET only_when_armed = true, clear_on_disarm = false');
  await goOn(world, 30);
  await house.arm();
  await house.live();
  await goOn(world, SILENCE_S);
  expect(await house.incidents()).toEqual(ONCE);
  await house.disarm();
  expect((await house.own.readiness.preview({ sourceId: house.alarmId })).verdict).toBe('folds');
  expect(await house.trip()).toBe(202);
  expect(await house.incidents()).toEqual(['open night 2 silent']);
});

test('senders that are cut off together alert nobody, and a neighbour does not notice', async () => {
  const world = await startWorld();
  const [house, next] = [await aHouse(world), await aHouse(world)];
  const cameras = [await house.addCamera('Garage'), await house.addCamera('Cellar')];
  await goOn(world, 30);
  for (const one of [house, next]) {
    await one.arm();
    await one.live();
  }
  for (const camera of cameras) {
    await world.advance(20);
    await house.live(camera);
  }
  for (let at = 0; at < 1_200; at += 60) {
    await next.live();
    await world.advance(60);
  }
  expect((await house.notices()).every(kind => kind.startsWith('blind'))).toBe(true);
  expect(await house.notices()).toContain('blind_together');
  expect(await house.incidents()).toEqual([]);
  expect(await next.notices()).toEqual([]);
  expect(await next.incidents()).toEqual([]);
});

test('where the senders of several accounts fall silent at once it is this server: nobody is alerted', async () => {
  const world = await startWorld();
  const houses = [await aHouse(world), await aHouse(world), await aHouse(world)];
  await goOn(world, 30);
  for (const house of houses) {
    await house.arm();
    await house.live();
  }
  await goOn(world, 900);
  for (const house of houses) {
    expect(await house.notices()).toEqual(['blind']);
    expect(await house.incidents()).toEqual([]);
  }
});

test('two processes alert once', async () => {
  const start = await sharedWorlds();
  const [first, second] = [await start(), await start()];
  const house = await aHouse(first);
  await first.passTime(30);
  await house.arm();
  await house.live();
  for (let at = 0; at < 600; at += 30) {
    await first.passTime(30);
    await Promise.all([second.settle(), first.settle()]);
  }
  expect(await house.incidents()).toEqual(ONCE);
});

test('whatever dies between a silence and its trigger, it alerts exactly once, and gives the sender a whole period to be heard', async () => {
  const start = await sharedWorlds();
  const first = await start();
  const house = await aHouse(first);
  await goOn(first, 30);
  await house.arm();
  await house.live();
  await goOn(first, 390);
  expect(await house.notices()).toEqual(['blind']);
  await first.services.close();
  await first.passTime(600);
  const second = await start();
  const opened = () => second.rows<{ at: Date }>('SELECT opened_at AS at FROM incident');
  await goOn(second, 300);
  expect(await opened()).toEqual([]);
  // The trigger cannot be stored: so nothing is of what belongs to it.
  await second.rows('ALTER TABLE queued_action RENAME COLUMN silent_since TO gone');
  await second.advance(40);
  await second.rows('ALTER TABLE queued_action RENAME COLUMN gone TO silent_since');
  await goOn(second, 60);
  expect(await opened()).toHaveLength(1);
  await goOn(second, 600);
  expect(await opened()).toHaveLength(1);
});

test('a key for the whole account cannot alert: it is refused with what to do', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const own = consoleOf(world, world.operator, owner.accountId);
  const apiKey = { label: 'Hub', supervisionS: 300, onSilence: 'alert' };
  const { fields } = await refusal(own.apiKeys.createApiKey({ apiKey }));
  expect(fields).toEqual({
    onSilence:
      'can be alert only where the key reaches one alarm, which is triggered then. Create a key for that alarm, or choose notify.',
  });
});
