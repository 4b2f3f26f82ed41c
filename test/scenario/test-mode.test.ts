import { expect, test } from 'vitest';
import { startSmtp } from '../support/smtp.ts';
import { startWorld } from '../support/world.ts';

async function anAlarm(settings: { test?: boolean; locationTest?: boolean } = {}) {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account({ locationTest: settings.locationTest ?? false });
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId, channels: ['email'] }] },
    { delayS: 300, contacts: [{ contactId, channels: ['email'] }] },
  ]);
  const id = await owner.alarm({ test: settings.test ?? false, modes: { away: { policyId } } });
  const key = await owner.key();
  const live = (on: boolean) => world.rows('UPDATE source SET test = $2 WHERE id = $1', [id, !on]);
  return { smtp, world, owner, id, live, do: (action: string) => world.get(`/v1/alarm/${id}/${action}`, key) };
}

test.each([
  { test: true },
  { locationTest: true },
])('in test (%j) who would have been reached is recorded, and nobody is', async settings => {
  const { smtp, world, owner, do: act } = await anAlarm(settings);
  const fired = await act('trigger');
  expect(fired.body.data.environment).toBe('test');
  await world.settle();
  await world.advance(3600);
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ environment: 'test', outcome: 'alerting' });
  const opened = Number(incident!.openedAt!.seconds);
  expect(incident!.deliveries.map(one => [one.status, Number(one.dueAt!.seconds) - opened])).toEqual([
    ['suppressed', 0],
    ['suppressed', 300],
  ]);
  expect(smtp.mails).toEqual([]);
  await smtp.stop();
});

test('a new alarm starts in test', async () => {
  const { world, owner, smtp } = await anAlarm();
  await world.rows('UPDATE location SET test = false');
  const id = await owner.alarm({ test: undefined as never });
  expect((await world.get(`/v1/alarm/${id}/trigger`, await owner.key())).body.data.environment).toBe('test');
  await smtp.stop();
});

test('a live trigger is not swallowed by an open test incident: that one is superseded and people are told', async () => {
  const { smtp, world, owner, live, do: act } = await anAlarm({ test: true });
  await act('trigger');
  await world.advance(1);
  await live(true);
  await act('trigger');
  await world.settle();
  expect(await owner.incidents()).toMatchObject([
    { environment: 'live', status: 'open' },
    { environment: 'test', status: 'closed', closeReason: 'superseded' },
  ]);
  expect(smtp.mails.length).toBe(1);
  await smtp.stop();
});

test('a test trigger folds into an open live incident; the switch has no effect on it', async () => {
  const { smtp, world, owner, live, do: act } = await anAlarm();
  await act('trigger');
  await world.settle();
  await live(false);
  const folded = await act('trigger');
  await world.advance(300);
  expect(folded.body.data.environment).toBe('test');
  expect(await owner.incidents()).toMatchObject([{ environment: 'live', status: 'open', triggerCount: 2 }]);
  expect(smtp.mails.length).toBe(2);
  await smtp.stop();
});

test('closing a test incident leaves as suppressed what was due by then, and cancels what was not', async () => {
  const { smtp, world, owner, do: act } = await anAlarm({ test: true });
  await act('trigger');
  await world.advance(60);
  await act('clear');
  await world.settle();
  expect((await owner.incidents())[0]!.deliveries.map(one => one.status)).toEqual(['suppressed', 'cancelled']);
  await smtp.stop();
});
