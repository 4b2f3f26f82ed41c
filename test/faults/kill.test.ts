import { expect, test, vi } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { historyChecker } from '../support/history/checker.ts';
import { nothingUndone } from '../support/history/load.ts';
import { eventually } from '../support/wait.ts';
import { areSent, becomes, deliveriesOf, incidentsOf, stepsOf } from './aftermath.ts';
import { type Answer, type Mortal, PATIENCE_MS, startMortal, type Victim } from './mortal.ts';

/*
 * The product can be killed at any instruction and goes on where it stood. Every kill is a real SIGKILL of
 * what `npm start` started.
 */
vi.setConfig({ testTimeout: 120_000 });

const checker = historyChecker('killed');

test('killed in false-alarm windows: each incident opens at the end of its window, once, and a disarm inside still cancels', async () => {
  const mortal = await startMortal({ windowS: 30 });
  const { house, shop, tryMe } = mortal.sources;
  const overWhileDead = await armAndTrigger(mortal, tryMe);
  await becomes(mortal, overWhileDead, 'pending');
  await mortal.advance(20);
  const opening = await armAndTrigger(mortal, house);
  const cancelled = await armAndTrigger(mortal, shop);
  await becomes(mortal, opening, 'pending');
  await becomes(mortal, cancelled, 'pending');

  const postgres = await mortal.postgres();
  await mortal.kill();
  await expect(mortal.act(`alarm/${house}/trigger`)).rejects.toThrow();
  await mortal.advance(15);
  await mortal.restart();
  expect(await mortal.postgres()).toBe(postgres);
  await becomes(mortal, overWhileDead, 'opened');

  await mortal.advance(14.999);
  expect((await mortal.act(`alarm/${shop}/disarm`)).status).toBe(202);
  await mortal.settle();
  expect(await incidentsOf(mortal, house)).toEqual([]);
  await mortal.advance(0.001);
  await becomes(mortal, opening, 'opened');

  const opened = [
    { alarm: tryMe, incidentId: (await mortal.call(overWhileDead)).incidentId },
    { alarm: house, incidentId: (await mortal.call(opening)).incidentId },
  ];
  for (const { incidentId } of opened) await areSent(mortal, incidentId, 1);
  await mortal.advance(3_600);
  await mortal.settle();
  for (const { alarm, incidentId } of opened) {
    expect(await incidentsOf(mortal, alarm)).toEqual([{ id: incidentId, status: 'open', after_s: 30 }]);
    expect(await stepsOf(mortal, incidentId, 'sent')).toEqual([0]);
    expect(mortal.mails(incidentId).length).toBe(1);
  }
  expect((await mortal.call(cancelled)).outcome).toBe('cancelled');
  expect(await incidentsOf(mortal, shop)).toEqual([]);
  checker.holds(await mortal.history());
});

test('killed between two steps of an escalation: the later steps go out once each, at their times, and no step again', async () => {
  const mortal = await startMortal({ stepsAfterS: [0, 60, 60] });
  const { house } = mortal.sources;
  const fired = await armAndTrigger(mortal, house);
  await becomes(mortal, fired, 'opened');
  const { incidentId } = await mortal.call(fired);
  await areSent(mortal, incidentId, 1);

  await mortal.advance(30);
  await mortal.kill();
  await mortal.restart();

  await mortal.advance(29.999);
  await mortal.settle();
  expect(await stepsOf(mortal, incidentId, 'scheduled')).toEqual([1, 2]);
  await mortal.advance(0.001);
  await areSent(mortal, incidentId, 2);
  await mortal.advance(59.999);
  await mortal.settle();
  expect(await stepsOf(mortal, incidentId, 'scheduled')).toEqual([2]);
  await mortal.advance(0.001);
  await areSent(mortal, incidentId, 3);

  await mortal.advance(3_600);
  await mortal.settle();
  expect(await stepsOf(mortal, incidentId, 'sent')).toEqual([0, 1, 2]);
  const ids = mortal.mails(incidentId).map(mail => mail.messageId);
  expect(ids.length).toBe(3);
  expect(new Set(ids).size).toBe(3);
  checker.holds(await mortal.history());
});

test('killed while a mail is being sent: after its lease the same mail goes out again, recognisable, and counts once', async () => {
  const mortal = await startMortal();
  const { tryMe } = mortal.sources;
  mortal.smtp.behave('hang');
  const fired = await armAndTrigger(mortal, tryMe);
  await becomes(mortal, fired, 'opened');
  const { incidentId } = await mortal.call(fired);
  await mortal.smtp.next();
  expect(await deliveriesOf(mortal, incidentId)).toMatchObject([{ status: 'sending', attempt: 1 }]);

  await mortal.kill();
  mortal.smtp.behave('ok');
  await mortal.restart();
  await mortal.advance(44.999);
  await mortal.settle();
  expect(await deliveriesOf(mortal, incidentId)).toMatchObject([{ status: 'sending', attempt: 1 }]);
  await mortal.advance(0.001);
  await areSent(mortal, incidentId, 1);

  await mortal.advance(3_600);
  await mortal.settle();
  expect(await deliveriesOf(mortal, incidentId)).toMatchObject([{ status: 'sent', attempt: 2 }]);
  const [first, second, ...more] = mortal.mails(incidentId);
  expect(more).toEqual([]);
  expect(second!.messageId).toBe(first!.messageId);
  checker.holds(await mortal.history());
});

test('killed before a press in the console is applied: it is afterwards, once, and sent again it is the same press', async () => {
  const mortal = await startMortal();
  const { bedside } = mortal.sources;
  const letGo = await mortal.holdQueue();
  const pressId = newId();
  const lost = mortal.press(pressId).catch(() => 'no answer');
  await eventually(async () => (await mortal.rows('SELECT 1 FROM queued_action')).length, {
    what: 'the press to be stored',
  });
  await mortal.kill();
  expect(await lost).toBe('no answer');
  await letGo();
  await mortal.restart();

  const pressed = await mortal.press(pressId);
  expect(pressed).toMatchObject({ outcome: 'opened', environment: 'live' });
  await areSent(mortal, pressed.incidentId, 1);
  expect(await mortal.press(pressId)).toEqual(pressed);
  await mortal.settle();
  expect((await incidentsOf(mortal, bedside)).map(({ id }) => id)).toEqual([pressed.incidentId]);
  expect(mortal.mails(pressed.incidentId).length).toBe(1);
});

test('killed right after a 202, again and again: no accepted trigger is lost, each alerts, and none opens two incidents', async () => {
  const mortal = await startMortal();
  const { house, shop, tryMe, bedside } = mortal.sources;
  const alarms = [house, shop, tryMe].map(id => `alarm/${id}`);
  const all = [...alarms, `panic/${bedside}`];
  for (const round of [1, 2, 3, 4, 5]) {
    const armed = await Promise.all(alarms.map(alarm => mortal.act(`${alarm}/arm`)));
    for (const answer of armed) await becomes(mortal, answer, 'armed');
    // Once for certain before anything is applied; else wherever the kill finds it.
    const letGo = round === 1 ? await mortal.holdQueue() : null;
    const accepted: Answer[] = [];
    const fired = all.map(async source => {
      const answer = await mortal.act(`${source}/trigger`);
      if (answer.status === 202) accepted.push(answer);
    });
    await (letGo === null ? Promise.any(fired) : Promise.all(fired));
    await mortal.kill();
    await Promise.allSettled(fired);
    expect(accepted.length).toBeGreaterThanOrEqual(letGo === null ? 1 : all.length);
    await letGo?.();

    await mortal.restart();
    for (const answer of accepted) await becomes(mortal, answer, 'opened');
    // A mail that was under way when the product died is sent again after its lease, and one of an alarm that by now
    // flaps when its incident has stood for a while.
    await mortal.advance(45);
    for (const answer of accepted) {
      const { incidentId } = await mortal.call(answer);
      await areSent(mortal, incidentId, 1);
      expect(new Set(mortal.mails(incidentId).map(mail => mail.messageId)).size).toBe(1);
    }
    await Promise.all(all.map(source => mortal.act(`${source}/clear`)));
    await mortal.settle();
    for (const id of [house, shop, tryMe, bedside]) {
      expect((await incidentsOf(mortal, id)).length, `round ${round}`).toBeLessThanOrEqual(round);
    }
    checker.holds(await mortal.history(), `round ${round}`);
  }
});

test.each<Victim>([
  'the product',
  'the product and its PostgreSQL',
])('%s killed under load: every 202 has one outcome after the restart, nothing waits, one incident is open at most', async victim => {
  const mortal = await startMortal();
  const { house, shop, tryMe, bedside } = mortal.sources;
  await mortal.rows("UPDATE mode SET window_s = 30 WHERE source_id = $1 AND id = 'away'", [house]);
  const alarm = (id: string) => ['arm', 'trigger', 'trigger', 'clear', 'disarm'].map(verb => `alarm/${id}/${verb}`);
  const button = ['trigger', 'clear'].map(verb => `panic/${bedside}/${verb}`);
  const load = startLoad(mortal, [...alarm(house), ...alarm(shop), ...alarm(tryMe), ...button]);
  await eventually(() => load.accepted.length >= 2_000, { what: '2,000 accepted calls', within: 30_000 });
  const postgres = await mortal.postgres();
  await mortal.kill(victim);
  const statuses = await load.ended;
  expect([...statuses].filter(status => ![202, 404, 503].includes(status))).toEqual([]);

  await mortal.restart();
  expect((await mortal.postgres()) === postgres).toBe(victim === 'the product');
  // Past every window, then past every lease of a mail and the while that an incident of a flapping alarm has to stand.
  await mortal.advance(120);
  await nothingUndone(mortal.rows, { within: PATIENCE_MS, but: ['fold', 'message'] });
  await mortal.advance(60);
  checker.holds(await mortal.history({ [house]: { away: 30 } }));
  const logged = await mortal.rows<{ outcome: string }>(
    'SELECT DISTINCT outcome FROM call_log WHERE trace_id = ANY($1::uuid[])',
    [load.accepted],
  );
  const ends = ['armed', 'disarmed', 'opened', 'cancelled', 'folded', 'closed', 'nothing_open', 'held_by_gate'];
  expect(ends).toEqual(expect.arrayContaining(logged.map(row => row.outcome)));
});

async function armAndTrigger(mortal: Mortal, alarmId: string): Promise<Answer> {
  await mortal.act(`alarm/${alarmId}/arm`);
  const fired = await mortal.act(`alarm/${alarmId}/trigger`);
  expect(fired.status).toBe(202);
  return fired;
}

/** How many callers there are at a time, each on a connection of its own that is kept. */
const CALLERS = 200;

/** Calls the paths over and over until the product answers no longer. */
function startLoad(mortal: Mortal, paths: readonly string[]): { accepted: string[]; ended: Promise<Set<number>> } {
  const accepted: string[] = [];
  const statuses = new Set<number>();
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let turn = caller; ; turn++) {
      const answer = await mortal.act(paths[turn % paths.length]!).catch(() => null);
      if (answer === null) return;
      statuses.add(answer.status);
      if (answer.status === 202) accepted.push(answer.traceId);
    }
  });
  return { accepted, ended: Promise.all(callers).then(() => statuses) };
}
