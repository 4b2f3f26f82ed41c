import { register } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { readCeilings } from '../../services/engine/send/statements/ceiling.ts';
import { inTransaction } from '../../services/store/statement.ts';
import { addSpend } from '../../services/store/statements/spend.ts';
import { tokenOf } from '../rpc/incident/incident-rig.ts';
import { consoleOf, refusal } from '../support/console.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { expectInTime } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';

/** What the one text of an incident costs here, in cents. */
const TEXT_CENTS = 5;

/** A world whose texts and mails go to carriers. */
async function aWorld(tables?: 'fresh') {
  const [twilio, smtp] = [await startTwilio(), await startSmtp()];
  onTestFinished(async () => {
    await twilio.stop();
    await smtp.stop();
  });
  const world = await startWorld({ carriers: { twilio: twilio.settings }, smtpUrl: smtp.url, tables });
  return {
    world,
    textsTo: (number: string) => twilio.messages.filter(({ fields }) => fields.To === number).length,
    mailsTo: (address: string) => smtp.mails.filter(({ envelope }) => envelope.to.includes(address)).length,
  };
}

/** An account with panic buttons that text Anna, who has email too; the ceiling of a day in cents, which the operator sets. */
async function aHouse(
  world: World,
  { number, ceilingCents, steps = 1 }: { number: string; ceilingCents: number; steps?: number },
) {
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const contactId = await owner.contact('Anna', { text: number, email: `${number.slice(1)}@example.com` });
  const told = { delayS: 0, contacts: [{ contactId, channels: ['text' as const] }] };
  const policyId = await owner.policy(Array.from({ length: steps }, () => told));
  const buttons = [
    await owner.panicButton({ name: 'Hall', policyId }),
    await owner.panicButton({ name: 'Attic', policyId }),
  ];
  const key = await owner.key();
  const operator = consoleOf(world, world.operator, owner.accountId);
  const set = async (fields: { dailySpendCeilingCents?: number; dailySpendCapCents?: number }) => {
    const { account } = await operator.accounts.getAccount({});
    await operator.accounts.updateAccount({ account: { ...account!, ...fields } });
  };
  await set({ dailySpendCeilingCents: ceilingCents, dailySpendCapCents: 0 });
  return {
    owner,
    contactId,
    buttons,
    operator,
    set,
    own: consoleOf(world, await tokenOf(world, owner, 'Anna’s laptop')),
    async press(nth = 0) {
      for (const verb of ['trigger', 'clear']) {
        expect((await world.get(`/v1/panic/${buttons[nth]}/${verb}`, key)).status).toBe(202);
        await world.settle();
      }
      await world.advance(1);
    },
    /** What became of the messages of the newest incident. */
    async became() {
      const [newest] = await owner.incidents();
      return newest!.deliveries.map(({ channel, status, reason }) => `${channel} ${status} ${reason}`.trim());
    },
    async notices() {
      const { notices } = await operator.accounts.listNotices({});
      return notices.filter(({ kind }) => kind === 'spend_ceiling').map(({ explanation }) => explanation);
    },
  };
}

async function stopped(): Promise<Record<string, number>> {
  const { values } = await register.getSingleMetric('tocsin_spend_ceiling_total')!.get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels.by), value]));
}

const ANNA = '+12025550101';
const BEN = '+12025550102';

test('over the fifth of a source live alerts take other channels; its other sources and another account do not notice (DECISIONS.md "Spending ceiling")', async () => {
  const { world, textsTo, mailsTo } = await aWorld();
  const house = await aHouse(world, { number: ANNA, ceilingCents: 5 * 2 * TEXT_CENTS });
  const beside = await aHouse(world, { number: BEN, ceilingCents: 5 * 2 * TEXT_CENTS });
  const before = await stopped();
  for (let nth = 0; nth < 4; nth++) await house.press();
  expect((await house.own.accounts.getSpend({})).days).toMatchObject([{ cents: 2 * TEXT_CENTS }]);
  expect([textsTo(ANNA), mailsTo('12025550101@example.com')]).toEqual([2, 2]);
  expect(await house.became()).toEqual(['text failed spend_ceiling', 'email sent']);
  expect((await house.owner.incidents())[0]!.deliveries[0]!.explanation).toBe(
    'Failed: the daily SMS and call limit was reached. A message by email went in its place.',
  );
  expect(await house.notices()).toEqual([
    'SMS and calls about "Hall" have cost $0.10 today, and one source may use $0.10 a day. Until midnight UTC, live alerts use the other channels, except for the first SMS and call to each person.',
  ]);
  expect((await stopped()).over_source_share! - (before.over_source_share ?? 0)).toBe(2);
  expect(mailsTo('owner@example.com')).toBeGreaterThan(0);

  await house.press(1);
  expect(textsTo(ANNA)).toBe(3);
  await beside.press();
  await beside.press();
  expect(textsTo(BEN)).toBe(2);
  expect(await beside.notices()).toEqual([]);
  // The day ends four hours after the clock of the tests begins.
  await world.advance(4 * 3600);
  await house.press();
  await house.press();
  expect(textsTo(ANNA)).toBe(5);
});

test('over the ceiling of the account the first text to each person per source still goes, drills and codes do not', async () => {
  const { world, textsTo } = await aWorld();
  const house = await aHouse(world, { number: ANNA, ceilingCents: 1000 });
  const { accountId } = house.owner;
  const spend = { accountId, about: null, channel: 'call', units: 30 } as const;
  for (let nth = 0; nth < 4; nth++) await inTransaction(world.store.pool, client => addSpend(client, spend));
  for (const nth of [0, 1, 0, 1]) await house.press(nth);
  expect(textsTo(ANNA)).toBe(2);
  expect(await house.became()).toEqual(['text failed spend_ceiling', 'email sent']);
  expect(await house.notices()).toEqual([
    'SMS and calls have cost $12.10 today, and an account may use $10.00 a day. Until midnight UTC, live alerts use the other channels, except for the first SMS and call to each person.',
  ]);
  expect(await refusal(house.own.drills.drill({ contactId: house.contactId, channel: 'text' }))).toMatchObject({
    code: 'ResourceExhausted',
    message: expect.stringMatching(
      /^spend_ceiling: .* the daily ceiling is \$10\.00\..* ask the operator to raise the ceiling/,
    ),
  });
  await house.set({ dailySpendCeilingCents: 0 });
  await house.press();
  expect(textsTo(ANNA)).toBe(3);
});

test('of many texts that are due at the same moment no more go than the ceiling has room for', async () => {
  const { world, textsTo, mailsTo } = await aWorld();
  // No more than the throttle lets go at once.
  const house = await aHouse(world, { number: ANNA, ceilingCents: 5 * 10, steps: 5 });
  await house.press();
  expect(textsTo(ANNA)).toBeGreaterThan(0);
  expect(textsTo(ANNA)).toBeLessThanOrEqual(2);
  expect(textsTo(ANNA) + mailsTo('12025550101@example.com')).toBe(5);
});

test('whether a text goes is read as fast after thousands of texts of the day as before them', async () => {
  const { world } = await aWorld('fresh');
  const house = await aHouse(world, { number: ANNA, ceilingCents: 1000, steps: 10 });
  await house.press(1);
  await house.press();
  const ofHall = await world.rows<{ accountId: string; id: string }>(
    'SELECT account_id AS "accountId", id FROM delivery WHERE incident_id = (SELECT id FROM incident ORDER BY seq DESC LIMIT 1)',
  );
  /** The fastest of some, in milliseconds. */
  const took = async () => {
    const times: number[] = [];
    for (let nth = 0; nth < 10; nth++) {
      const began = performance.now();
      const facts = await readCeilings(world.store.working, ofHall);
      times.push(performance.now() - began);
      expect([...facts.values()].map(({ told }) => told)).toEqual(ofHall.map(() => 'not_today'));
    }
    return Math.min(...times);
  };
  // As if nothing about this source had gone out, on the table and in the books.
  await world.rows('UPDATE delivery SET sent_at = NULL WHERE id = ANY ($1)', [ofHall.map(({ id }) => id)]);
  await world.rows('DELETE FROM source_told WHERE source_id = $1', [house.buttons[0]]);
  const before = await took();
  await world.rows(
    `INSERT INTO incident SELECT (jsonb_populate_record(i, jsonb_build_object('id', md5(n::text), 'seq', nextval('incident_seq_seq')))).*
     FROM incident i, generate_series(1, 4000) n WHERE i.source_id = $1`,
    [house.buttons[1]],
  );
  await world.rows(
    `INSERT INTO delivery (account_id, id, incident_id, kind, round, step, contact_id, channel, status, due_at, sent_at, audited)
     SELECT account_id, md5(n::text), md5(n::text), kind, 0, 0, contact_id, channel, 'sent', due_at, tocsin_now(), 'in_time'
     FROM generate_series(1, 4000) n, (SELECT * FROM delivery WHERE status = 'sent' AND channel = 'text' LIMIT 1) d`,
  );
  expectInTime(await took(), 4 * before);
});
