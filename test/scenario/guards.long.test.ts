import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import { createLocalBus } from '../../services/changes/local.ts';
import { createChannels } from '../../services/channels/channels.ts';
import { startEngine } from '../../services/engine/engine.ts';
import { NO_CARRIERS } from '../support/carriers.ts';
import { advanceClock } from '../support/database.ts';
import { figureOf } from '../support/figures.ts';
import type { Owner, Told } from '../support/owner.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';

/** More messages than a lane sends at once. */
const MORE_THAN_A_LANE = 100;

/** What the timeline says of steps that did not run when they were to: `late 0/1 12`. */
function findings({ timeline }: Told): string[] {
  return timeline.flatMap(({ entry }) => {
    if (entry.case !== 'change' || !entry.value.kind.startsWith('step_')) return [];
    const { kind, round, step, detail } = entry.value;
    return [`${kind.slice('step_'.length)} ${round}/${step} ${detail}`.trim()];
  });
}

async function notices(world: World) {
  return world.rows<{ kind: string; about: Record<string, unknown> }>(
    "SELECT kind, about FROM notice WHERE kind LIKE 'step%' ORDER BY seq",
  );
}

/** An alarm that tells Anna over these channels at once, after a minute and after another. */
async function threeSteps(owner: Owner, channels: ('email' | 'text')[] = ['email'], alarm = {}): Promise<string> {
  const addresses = { email: 'anna@example.com', text: '+12025550100' };
  const contactId = await owner.contact('Anna', Object.fromEntries(channels.map(kind => [kind, addresses[kind]])));
  const contacts = [{ contactId, channels }];
  const policyId = await owner.policy([0, 60, 60].map(delayS => ({ delayS, contacts })));
  return owner.alarm({ modes: { away: { policyId } }, ...alarm });
}

test('steps that run at their time leave no trace in the timeline, and their messages are marked', async () => {
  const world = await startWorld();
  const owner = await world.account();
  await world.get(`/v1/alarm/${await threeSteps(owner)}/trigger`, await owner.key());
  await world.settle();
  for (let minute = 0; minute < 3; minute++) await world.advance(60);
  const [incident] = await owner.incidents();
  expect(findings(incident!)).toEqual([]);
  expect(await world.rows('SELECT DISTINCT audited FROM delivery')).toEqual([{ audited: 'in_time' }]);
  expect(await notices(world)).toEqual([]);
});

test('a step that runs more than 5 s late is reported with how late: timeline, metric, and one notice an incident', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const before = await figureOf(world.url, 'tocsin_steps_late_total');
  await world.get(`/v1/alarm/${await threeSteps(owner)}/trigger`, await owner.key());
  await world.settle();
  await world.advance(72);
  await world.advance(48 + 5);
  const [inTime] = await owner.incidents();
  expect(findings(inTime!)).toEqual(['late 0/1 12']);

  const another = await owner.alarm({ name: 'Shop', modes: { away: {} } });
  await world.get(`/v1/alarm/${another}/trigger`, await owner.key());
  await world.advance(600);
  const shop = (await owner.incidents()).find(({ sourceName }) => sourceName === 'Shop');
  expect(findings(shop!)).toEqual([]);
  expect(await figureOf(world.url, 'tocsin_steps_late_total')).toBe(before + 1);
  const openedAt = new Date(Number(inTime!.openedAt!.seconds) * 1000).toISOString();
  expect(await notices(world)).toEqual([
    { kind: 'step_late', about: { sourceName: 'House', openedAt, round: 0, step: 1, lateS: 12 } },
  ]);
});

test('two late steps of one incident are two entries and one notice', async () => {
  const world = await startWorld();
  const owner = await world.account();
  await world.get(`/v1/alarm/${await threeSteps(owner)}/trigger`, await owner.key());
  await world.settle();
  await world.advance(132);
  const [incident] = await owner.incidents();
  expect(findings(incident!)).toEqual(['late 0/1 72', 'late 0/2 12']);
  expect(await notices(world)).toMatchObject([{ about: { step: 1, lateS: 72 } }]);
});

test('nothing of a test incident is late or missed', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const id = await threeSteps(owner, ['email'], { test: true });
  const key = await owner.key();
  await world.get(`/v1/alarm/${id}/trigger`, key);
  await world.advance(90);
  await world.get(`/v1/alarm/${id}/clear`, key);
  await world.advance(90);
  const [incident] = await owner.incidents();
  expect(incident!.deliveries.map(({ status }) => status)).toEqual(['suppressed', 'suppressed', 'cancelled']);
  expect(findings(incident!)).toEqual([]);
});

test('a deployment that was down for an hour reports after its start what it sends late, once, however many engines it has', async () => {
  const world = await startWorld();
  const owner = await world.account();
  await world.get(`/v1/alarm/${await threeSteps(owner)}/trigger`, await owner.key());
  await world.settle();
  await world.services.close();
  await advanceClock(world.store.pool, 3600);

  const log = pino({ level: 'silent' });
  const engines = [1, 2].map(() =>
    startEngine({
      pool: world.store.pool,
      bus: createLocalBus(),
      channels: createChannels(NO_CARRIERS, log),
      seal: { seal: text => text, open: sealed => sealed },
      links: { wayBackOf: () => null, tokenOf: id => id },
      log,
    }),
  );
  const written = () =>
    world.rows("SELECT kind, step, detail FROM incident_entry WHERE kind LIKE 'step%' ORDER BY step, kind");
  await Promise.all(engines.map(engine => engine.drain()));
  await Promise.all(engines.map(engine => engine.drain()));
  expect(await written()).toEqual([
    { kind: 'step_late', step: 1, detail: '3540' },
    { kind: 'step_late', step: 2, detail: '3480' },
  ]);
  expect(await notices(world)).toHaveLength(1);
  await Promise.all(engines.map(engine => engine.close()));
});

test('a step of which nothing is tried is reported as missed, then as late once it runs; if it is acknowledged first it stays missed; other channels are in time', async () => {
  const smtp = await startSmtp({ mode: 'hang' });
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account();
  const key = await owner.key();
  await fillTheLane(world, owner);
  const late = await threeSteps(owner);
  const missed = await threeSteps(owner, ['email'], { name: 'Shop' });
  const byText = await threeSteps(owner, ['text'], { name: 'Yard' });
  for (const id of [late, missed, byText]) await world.get(`/v1/alarm/${id}/trigger`, key);
  await eventually(async () => (await openIncidents(world)) === 4, { what: 'the incidents to be open' });
  const texts = "SELECT FROM delivery WHERE channel = 'text' AND first_attempt_at IS NOT NULL";
  await eventually(async () => (await world.rows(texts)).length === 1, { what: 'the text to be tried in time' });
  await advanceClock(world.store.pool, 8);

  const of = async (id: string) => (await owner.incidents()).find(({ sourceId }) => sourceId === id)!;
  await eventually(async () => findings(await of(late)).length + findings(await of(missed)).length === 2, {
    what: 'both steps to be called missed',
    within: 20_000,
  });
  const operator = { headers: { authorization: `Bearer ${world.operator}`, 'x-tocsin-account': owner.accountId } };
  const incidents = createClient(
    IncidentService,
    createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }),
  );
  await incidents.acknowledge({ incidentId: (await of(missed)).id }, operator);
  smtp.behave('ok');
  smtp.cut();
  await eventually(async () => findings(await of(late)).length === 2, { what: 'the step to run', within: 20_000 });
  await world.settle();

  expect(findings(await of(late))).toEqual(['missed 0/0', 'late 0/0 8']);
  expect(findings(await of(missed))).toEqual(['missed 0/0']);
  expect(findings(await of(byText))).toEqual([]);
  const kinds = (await notices(world)).map(({ kind, about }) => `${kind} ${about.sourceName}`);
  expect(kinds.sort()).toEqual(['step_late House', 'step_missed House', 'step_missed Shop']);
  expect(await figureOf(world.url, 'tocsin_steps_missed_total')).toBeGreaterThanOrEqual(2);
  await smtp.stop();
});

test('a message that a throttle puts off is late on purpose', async () => {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const contacts = [{ contactId, channels: ['email' as const] }];
  const policyId = await owner.policy(Array.from({ length: 12 }, () => ({ delayS: 10, contacts })));
  const id = await owner.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  for (let step = 0; step < 12; step++) await world.advance(10);
  expect((await owner.incidents())[0]!.deliveries.at(-1)).toMatchObject({ status: 'scheduled', reason: 'throttled' });
  await world.advance(900);
  const [incident] = await owner.incidents();
  expect(incident!.deliveries.map(({ status }) => status)).toEqual(Array(12).fill('sent'));
  expect(findings(incident!)).toEqual([]);
  await smtp.stop();
});

/** Opens an incident that keeps every slot of the email lane for as long as the mail server hangs. */
async function fillTheLane(world: World, owner: Owner): Promise<void> {
  const contacts = await Promise.all(
    Array.from({ length: MORE_THAN_A_LANE }, async (_, index) => ({
      contactId: await owner.contact(`Contact ${index}`, { email: `contact-${index}@example.com` }),
      channels: ['email' as const],
    })),
  );
  const policyId = await owner.policy([{ delayS: 0, contacts }]);
  const id = await owner.alarm({ name: 'Big house', modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  let before = 0;
  let steady = 0;
  await eventually(
    async () => {
      const sending = (await world.rows("SELECT FROM delivery WHERE status = 'sending'")).length;
      steady = sending > 0 && sending === before ? steady + 1 : 0;
      before = sending;
      return steady >= 10;
    },
    { what: 'the lane to be full' },
  );
}

async function openIncidents(world: World): Promise<number> {
  return (await world.rows("SELECT FROM incident WHERE status = 'open'")).length;
}
