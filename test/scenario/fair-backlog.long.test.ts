import pg from 'pg';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLocalBus } from '../../services/changes/local.ts';
import type { Channel } from '../../services/channels/channel.ts';
import { createChannels } from '../../services/channels/channels.ts';
import { startEngine } from '../../services/engine/engine.ts';
import { carriers } from '../support/carriers.ts';
import { connection } from '../support/connection.ts';
import { advanceClock } from '../support/database.ts';
import type { Owner } from '../support/owner.ts';
import { startTwilio, type TwilioServer } from '../support/twilio.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';

/*
 * What stands in the way of a lane (DECISIONS.md "Turns"): a long backlog and the dead rows it leaves behind, leases that ran out,
 * and messages of incidents that are over.
 */
vi.setConfig({ testTimeout: 120_000 });

/** What a first attempt may always take, in milliseconds: below that lies the noise of the machine. */
const NOISE_MS = 500;

const QUIET = '+12025550111';
const QUIET_LATER = '+12025550112';
const LOUD = '+12025550222';

/** A world with a carrier for texts, an account that has much to send and another one. */
async function startRig() {
  const twilio = await startTwilio();
  const world = await startWorld({ carriers: { twilio: twilio.settings } });
  onTestFinished(twilio.stop);
  const [loud, quiet] = [await world.account(), await world.account()];
  return { twilio, world, loud, quiet };
}

/** A button that tells these numbers, in this order, so many seconds after it is pressed. */
async function button(owner: Owner, numbers: readonly string[], delayS = 0): Promise<string> {
  return owner.panicButton({ policyId: await owner.policy([{ delayS, contacts: await people(owner, numbers) }]) });
}

async function people(owner: Owner, numbers: readonly string[]) {
  const contacts = [];
  for (const text of numbers) {
    contacts.push({ contactId: await owner.contact('Somebody', { text }), channels: ['text' as const] });
  }
  return contacts;
}

async function press(world: World, owner: Owner, id: string): Promise<void> {
  expect((await world.get(`/v1/panic/${id}/trigger`, await owner.key())).status).toBe(202);
}

/**
 * What the other account waits for its messages, in milliseconds: from the press of a button to the first one, and from the time
 * of a later step to its message. The middle of five each.
 */
async function attempts({ twilio, world, quiet }: { twilio: TwilioServer; world: World; quiet: Owner }) {
  const took = { first: [] as number[], later: [] as number[] };
  const came = async (number: string, act: () => Promise<void>) => {
    const count = () => twilio.messages.filter(({ fields }) => fields.To === number).length;
    const before = count();
    const began = performance.now();
    await act();
    await eventually(() => count() > before, { what: 'the text', within: 60_000 });
    return performance.now() - began;
  };
  const [first, later] = [await people(quiet, [QUIET]), await people(quiet, [QUIET_LATER])];
  const policyId = await quiet.policy([
    { delayS: 0, contacts: first },
    { delayS: 60, contacts: later },
  ]);
  for (let nth = 0; nth < 5; nth++) {
    const id = await quiet.panicButton({ policyId });
    took.first.push(await came(QUIET, () => press(world, quiet, id)));
    took.later.push(await came(QUIET_LATER, () => advanceClock(world.store.pool, 60)));
  }
  const middle = (times: number[]) => times.sort((a, b) => a - b)[2]!;
  return { first: middle(took.first), later: middle(took.later) };
}

type Attempts = Awaited<ReturnType<typeof attempts>>;

function expectAsAlone(beside: Attempts, alone: Attempts): void {
  expectInTime(beside.first, Math.max(2 * alone.first, NOISE_MS));
  expectInTime(beside.later, Math.max(2 * alone.later, NOISE_MS));
}

/** A text of the loud account that its carrier never answers; `alone`: how another account was told before. */
async function aHangingText() {
  const rig = await startRig();
  const { twilio, world, loud } = rig;
  const alone = await attempts(rig);
  twilio.behave('hang');
  await press(world, loud, await button(loud, [LOUD]));
  await eventually(() => twilio.messages.some(({ fields }) => fields.To === LOUD), { what: 'a first text' });
  return { rig, twilio, world, loud, alone };
}

/**
 * Copies the one message that an account has until it has so many more, due an hour ago and a millisecond apart. As news of who
 * has it: repeats of an alert to one person would wait (DECISIONS.md "Throttle of repeats").
 */
async function pile(world: World, { accountId }: Owner, count: number): Promise<void> {
  // News of who has it is of use while somebody does.
  await world.rows('UPDATE incident SET acknowledged_at = tocsin_now() WHERE account_id = $1', [accountId]);
  await world.rows(
    `INSERT INTO delivery (account_id, id, incident_id, kind, round, step, contact_id, channel, status, due_at, planned_at, audited)
     SELECT account_id, md5(n::text), incident_id, 'acknowledged', n, step, contact_id, channel, 'scheduled', at, at, 'in_time'
     FROM delivery, generate_series(1, $2) n, LATERAL (SELECT tocsin_now() - interval '1 hour' + n * interval '1 ms' AS at) t
     WHERE account_id = $1`,
    [accountId, count],
  );
}

test('100,000 due messages of one account, and as many dead versions of them: another account is told as soon as alone', async () => {
  const { rig, world, loud, alone } = await aHangingText();
  // While somebody reads what was, the database cannot sweep up.
  const reader = await connection(world.databaseUrl);
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await reader.query('SELECT FROM account');
  const slow = new pg.Client({ connectionString: world.databaseUrl });
  await slow.connect();
  await pile({ ...world, rows: async (sql, values) => (await slow.query(sql, values)).rows }, loud, 100_000);
  await slow.query("UPDATE delivery SET due_at = due_at + interval '10 minutes' WHERE status = 'scheduled'");
  await slow.end();

  const underWay = () => world.rows("SELECT FROM delivery WHERE status = 'sending'");
  await eventually(async () => (await underWay()).length > 20, {
    what: 'the loud account to have its share under way',
  });
  expectAsAlone(await attempts(rig), alone);
});

test('what a worker of one account left behind when it died is sent again, and delays nobody else', async () => {
  const { rig, twilio, world, loud, alone } = await aHangingText();
  // Whoever sends again asks first what became of the attempt before.
  twilio.behave('hang', 'list');
  await pile(world, loud, 300);
  await world.rows(
    `UPDATE delivery SET status = 'sending', attempt = 1, lease_until = tocsin_now()
     WHERE account_id = $1 AND status = 'scheduled'`,
    [loud.accountId],
  );
  await eventually(() => twilio.requests('list') > 15, { what: 'them to be sent again' });
  expectAsAlone(await attempts(rig), alone);
});

test('what is due for an incident that is over is cancelled, however much it is, and nobody else waits for it', async () => {
  const { twilio, world, loud, quiet } = await startRig();
  await press(world, loud, await button(loud, [LOUD]));
  await world.settle();
  await pile(world, loud, 2_000);
  await world.rows(
    `UPDATE incident SET status = 'closed', closed_at = tocsin_now(), close_reason = 'clear' WHERE account_id = $1`,
    [loud.accountId],
  );
  await press(world, quiet, await button(quiet, [QUIET]));
  await twilio.nextMessage(({ fields }) => fields.To === QUIET);
  const left = "SELECT FROM delivery WHERE status IN ('scheduled', 'sending')";
  await eventually(async () => (await world.rows(left)).length === 0, { what: 'all to be cancelled' });
  const states = 'SELECT status, count(*)::int AS n FROM delivery WHERE account_id = $1 GROUP BY status';
  expect((await world.rows(states, [loud.accountId])).map(({ status }) => status)).not.toContain('sending');
  expect(twilio.messages.filter(({ fields }) => fields.To === LOUD).length).toBeLessThan(100);
});

test('the messages of an incident are begun in their order, however many there are and whatever else is due', async () => {
  const { world, loud, quiet } = await startRig();
  const numbers = (from: number) => Array.from({ length: 150 }, (_, n) => `+1202555${from + n}`);
  for (const [owner, from] of [
    [loud, 1000],
    [loud, 2000],
    [quiet, 3000],
  ] as const) {
    await press(world, owner, await button(owner, numbers(from), 60));
  }
  await world.settle();
  await world.services.close();
  await advanceClock(world.store.pool, 60);

  const begun: string[] = [];
  const text: Channel = {
    kind: 'text',
    atOnce: 64,
    async send(_to, { deliveryId }) {
      begun.push(deliveryId);
      await new Promise(resolve => setTimeout(resolve, 5));
      return { kind: 'sent', providerRef: deliveryId };
    },
    async close() {},
  };
  const log = pino({ level: 'silent' });
  const engine = startEngine({
    pool: world.store.pool,
    bus: createLocalBus(),
    channels: { byKind: { ...createChannels(carriers(null), log).byKind, text }, unconfigured: [] },
    seal: { seal: plain => plain, open: sealed => sealed },
    links: { wayBackOf: () => null, tokenOf: id => id },
    log,
  });
  await engine.drain();
  await engine.close();

  const planned = await world.rows<{ incident_id: string; id: string }>(
    'SELECT incident_id, id FROM delivery ORDER BY seq',
  );
  for (const messages of Map.groupBy(planned, ({ incident_id }) => incident_id).values()) {
    const ids = messages.map(({ id }) => id);
    expect(ids).toHaveLength(150);
    expect(begun.filter(id => ids.includes(id))).toEqual(ids);
  }
  // Nor does an account wait for the last message of another.
  const quiets = planned.slice(300).map(({ id }) => id);
  expect(begun.slice(0, 60).filter(id => quiets.includes(id)).length).toBeGreaterThan(10);
});
