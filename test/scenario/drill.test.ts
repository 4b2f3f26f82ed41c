import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startDrills } from '../../services/engine/watch/drills.ts';
import { KEEP_ALL } from '../../services/limits/kept.ts';
import { consoleOf, newOwner } from '../support/console.ts';
import { aDrilledHome, DAY, HOUR } from './drill-rig.ts';

/* People are asked to answer as in an alarm, and nobody else notices (DECISIONS.md "Drill"). */

test('at ten on a weekday a drill goes out like an alarm, and the answer is a proof', async () => {
  const { world, twilio, drills, tokens, responder, console } = await aDrilledHome();
  await world.settle();
  expect(await drills()).toEqual(['text open Fri 10:00']);
  const { fields } = await twilio.nextMessage();
  expect(fields.Body).toMatch(/^DRILL: nothing has happened\. Please answer as to an alarm\.\nhttp/);
  expect(fields.Body).toMatch(/Reply [A-Z2-9]{4} to acknowledge\.$/);
  const [token] = await tokens();
  const { page } = await responder.getPage({ token: token! });
  expect(page).toMatchObject({
    environment: 'drill',
    environmentLabel: 'DRILL',
    title: 'DRILL: please answer as to an alarm',
    acknowledgeLabel: 'Acknowledge',
    closeLabel: '',
    ringQuestion: '',
    mapUrl: '',
  });
  await responder.acknowledgeByLink({ token: token! });
  expect(await drills()).toEqual(['text open Fri 10:00 link']);
  const [anna] = (await console.contacts.listContacts({})).contacts;
  expect(anna!.channels.filter(({ provenAt }) => provenAt !== undefined).map(({ channel }) => channel)).toEqual([
    'text',
  ]);
  await world.advance(29 * DAY);
  expect((await drills()).length).toBe(1);
  // The 30th day is a Sunday.
  await world.advance(2 * DAY);
  expect(await drills()).toEqual(['text closed Fri 10:00 link', 'email open Mon 10:00']);
  await twilio.stop();
});

test('the page asks whether it rang aloud, once it was answered, and keeps what is said with the proof', async () => {
  const { world, tokens, responder, console } = await aDrilledHome();
  await world.settle();
  const [token] = await tokens();
  await expect(responder.tellRing({ token: token!, ring: 'aloud' })).rejects.toThrow(/after a drill was answered/);
  const { page } = await responder.acknowledgeByLink({ token: token! });
  expect(page).toMatchObject({
    acknowledgeLabel: '',
    ringQuestion: 'Did it ring aloud?',
    ringAloudLabel: 'Yes, it rang aloud',
    ringSilentLabel: 'No, it was silent',
  });
  await expect(responder.tellRing({ token: token!, ring: 'softly' })).rejects.toThrow(
    /takes "aloud" or "silent", got "softly"/,
  );
  // As the buttons of the page do it.
  const answer = await fetch(`${world.url}/i/${token}/silent`, {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html' },
  });
  expect(answer.status).toBe(303);
  expect((await responder.getPage({ token: token! })).page).toMatchObject({
    ringQuestion: '',
    status: 'Thank you. You said that it was silent: at night it would not wake you.',
  });
  const [anna] = (await console.contacts.listContacts({})).contacts;
  expect(anna!.channels.map(({ channel, ring }) => `${channel} ${ring}`.trim())).toEqual([
    'text silent',
    'email',
    'webhook',
  ]);
});

test('who said that their phone stayed silent is warned of, until there is a way that may ring or it rang', async () => {
  const { world, owner, anna, tokens, responder, console } = await aDrilledHome();
  const warned = async () =>
    (await console.readiness.getReadiness({})).sources
      .flatMap(({ findings }) => findings)
      .filter(({ code }) => code === 'stays_silent')
      .map(({ severity, problem, contactId }) => `${severity} ${contactId === anna ? 'Anna' : ''}: ${problem}`);
  await world.settle();
  const [token] = await tokens();
  await responder.acknowledgeByLink({ token: token! });
  expect(await warned()).toEqual([]);
  await responder.tellRing({ token: token!, ring: 'silent' });
  expect(await warned()).toEqual([
    expect.stringMatching(/^warns Anna: .*Anna, whose phone stayed silent in the last drill/),
  ]);

  const neighbour = await world.account();
  const theirs = await consoleOf(world, world.operator, neighbour.accountId).readiness.getReadiness({});
  expect(JSON.stringify(theirs.sources.map(({ findings }) => findings.map(({ code }) => code)))).not.toContain(
    'silent',
  );

  await world.rows(
    `INSERT INTO contact_channel SELECT (jsonb_populate_record(c, '{"channel": "call", "position": 9}')).*
     FROM contact_channel c WHERE c.contact_id = $1 AND c.channel = 'text'`,
    [anna],
  );
  await world.rows("UPDATE contact_channel SET ring = NULL, proven_at = NULL WHERE channel = 'call'");
  const channels: ('text' | 'call')[] = ['text', 'call'];
  await owner.alarm({
    modes: { away: { policyId: await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels }] }]) } },
  });
  // The first alarm still counts on the text alone.
  expect(await warned()).toHaveLength(1);
  await responder.tellRing({ token: token!, ring: 'aloud' });
  expect(await warned()).toEqual([]);
});

test('not answered for a day it comes once more over another channel, then its owner is told, once', async () => {
  const { world, drills, smtp, console } = await aDrilledHome();
  await world.settle();
  await world.advance(DAY);
  // Saturday and Sunday pass.
  expect(await drills()).toEqual(['text closed Fri 10:00']);
  await world.advance(2 * DAY);
  expect(await drills()).toEqual(['text closed Fri 10:00', 'email open Mon 10:00']);
  await world.advance(DAY - 1);
  const notices = async () => (await console.accounts.listNotices({})).notices.map(({ kind }) => kind);
  expect(await notices()).toEqual([]);
  await world.advance(1);
  expect(await notices()).toEqual(['drill_missed']);
  expect((await smtp.next(mail => mail.envelope.to.includes('owner@example.com'))).subject).toContain(
    'TWO DRILLS NOT ANSWERED: Anna',
  );
  for (let day = 0; day < 5; day++) await world.advance(DAY);
  expect(await notices()).toEqual(['drill_missed']);
  expect((await drills()).length).toBe(2);
});

test('nothing but the person notices: no list, no state, no signal, no count, and no notice that it was not answered', async () => {
  const { world, owner, key, console, drills } = await aDrilledHome();
  const heard: string[] = [];
  const ends = world.bus.subscribe(`account.${owner.accountId}.change`, event => heard.push(JSON.stringify(event)));
  await world.settle();
  expect(await drills()).toEqual(['text open Fri 10:00']);
  expect(await owner.incidents()).toEqual([]);
  const described = JSON.stringify([
    (await world.get('/v1/integration/describe', key)).body.data,
    (await world.get('/v1/integration/state', key)).body.data,
  ]);
  expect(described).not.toMatch(/Drill/);
  expect((await console.readiness.getReadiness({})).sources.map(({ name }) => name)).toEqual(['House']);
  const [month] = (await console.incidents.getMonthlyTotals({ months: 1 })).months;
  expect(month).toMatchObject({ incidents: 0, testIncidents: 0 });
  expect((await console.incidents.listCalls({})).calls).toEqual([]);
  expect(heard).toEqual([]);
  void ends;
});

test('no drill while an incident is open, nor for a day after it', async () => {
  const { world, alarmId, key, drills } = await aDrilledHome();
  await world.get(`/v1/alarm/${alarmId}/trigger`, key);
  await world.settle();
  await world.advance(60);
  expect(await drills()).toEqual([]);
  await world.get(`/v1/alarm/${alarmId}/clear`, key);
  // Friday's alarm was over at 10:01; Saturday and Sunday have none.
  for (let hour = 0; hour < 3 * 24 - 1; hour++) await world.advance(HOUR);
  expect(await drills()).toEqual([]);
  await world.advance(HOUR);
  expect(await drills()).toEqual(['text open Mon 10:01']);
});

test('off, nobody is drilled; by hand it goes at any hour, and one that is still open makes room', async () => {
  const { world, anna, drills, console, alarmId, key, twilio } = await aDrilledHome();
  await world.rows("UPDATE account SET drills = 'off'");
  await world.advance(3 * DAY);
  expect(await drills()).toEqual([]);
  await world.advance(14 * HOUR);
  await console.drills.startDrill({ contactId: anna, channel: 'text' });
  await world.settle();
  const { incidentId } = await console.drills.startDrill({ contactId: anna, channel: 'text' });
  await world.settle();
  expect((await drills()).map(one => one.replace(/ \w+ \d\d:\d\d/, ''))).toEqual(['text closed', 'text open']);
  expect(twilio.messages.length).toBe(2);
  expect((await console.incidents.getIncident({ incidentId })).incident).toMatchObject({
    environment: 'drill',
    status: 'open',
  });
  await world.get(`/v1/alarm/${alarmId}/trigger`, key);
  await world.settle();
  await expect(console.drills.startDrill({ contactId: anna, channel: 'text' })).rejects.toThrow(
    /An alarm is under way/,
  );
});

test('a drill by hand is refused where it would not reach anybody, and to outsiders', async () => {
  const { world, anna, console } = await aDrilledHome();
  await expect(console.drills.startDrill({ contactId: anna, channel: 'call' })).rejects.toThrow(/channel/);
  await expect(console.drills.startDrill({ contactId: anna, channel: 'webhook' })).rejects.toThrow(/channel/);
  await world.rows('UPDATE contact_channel SET verified_at = NULL');
  await expect(console.drills.startDrill({ contactId: anna, channel: 'text' })).rejects.toThrow(
    /would not reach Anna: the address is not verified/,
  );
  const outsider = await newOwner(world, 'Somebody else');
  await expect(outsider.console.drills.startDrill({ contactId: anna, channel: 'text' })).rejects.toThrow(
    /no such contact/,
  );
  expect((await outsider.console.drills.listProofs({})).proofs).toEqual([]);
});

test('several processes plan each drill once, and one that starts anew plans none again', async () => {
  const { world, drills } = await aDrilledHome();
  const { pool } = world.store;
  const begin = () =>
    startDrills({
      pool,
      carriers: ['text', 'email'],
      kept: KEEP_ALL,
      log: pino({ level: 'silent' }),
      onOpened: () => {},
      onNotice: () => {},
    });
  for (let start = 0; start < 3; start++) {
    const watchers = [begin(), begin(), begin()];
    await Promise.all(watchers.map(watcher => watcher.drain()));
    await Promise.all(watchers.map(watcher => watcher.close()));
    expect(await drills()).toEqual(['text open Fri 10:00']);
  }
});

test('the report of a month says who answered what and how soon, each row chained to the one before', async () => {
  const { world, tokens, responder, console } = await aDrilledHome();
  await world.settle();
  await world.advance(42);
  const [token] = await tokens();
  await responder.acknowledgeByLink({ token: token! });
  await responder.acknowledgeByLink({ token: token! });
  await responder.tellRing({ token: token!, ring: 'aloud' });
  const report = await console.drills.listProofs({ month: '2026-01' });
  expect(report).toMatchObject({ month: '2026-01', before: '0'.repeat(64), chain: 'whole', more: false });
  expect(
    report.proofs.map(({ number, kind, occasion, contactName, channel, afterS }) =>
      [number, kind, occasion, contactName, channel, afterS].join(' '),
    ),
  ).toEqual(['1 answered drill Anna text 42', '2 rang_aloud drill Anna text 0']);
  expect((await console.drills.listProofs({ month: '2025-12' })).proofs).toEqual([]);
  await expect(console.drills.listProofs({ month: 'May' })).rejects.toThrow(/month/);
  await world.rows("UPDATE proof SET contact_name = 'Ben' WHERE id = 1");
  expect((await console.drills.listProofs({ month: '2026-01' })).chain).toBe('broken');
});
