import { expect, test } from 'vitest';
import { KEEP_ALL, type Kept } from '../../services/limits/kept.ts';
import type { KeptUse } from '../../services/limits/table.ts';
import { consoleOf } from '../support/console.ts';
import type { Smtp } from '../support/smtp.ts';
import { startSmtp } from '../support/smtp.ts';
import { startWorld } from '../support/world.ts';
import { aShop, DAY_S, HOUR_S } from './duty-rig.ts';

/** What people were told of duties: to whom, and the subject. */
const told = (smtp: Smtp) => smtp.mails.map(({ envelope, subject }) => `${envelope.to[0]!.split('@')[0]}: ${subject}`);

test('whoever comes on duty is told once, when their turn begins', async () => {
  const { world, smtp, friday, stop } = await aShop({ tell: true });
  await world.settle();
  expect(told(smtp)).toEqual([]);
  await world.advance(12 * HOUR_S - 1);
  expect(told(smtp)).toEqual([]);
  await world.advance(1);
  expect(told(smtp)).toEqual(['mia: ON DUTY: shop-phone']);
  await world.advance(6 * DAY_S);
  expect(told(smtp)).toHaveLength(1);
  await world.advance(DAY_S);
  expect(told(smtp)).toEqual(['mia: ON DUTY: shop-phone', 'noah: ON DUTY: shop-phone']);
  const until = new Date(friday + (12 * HOUR_S + 14 * DAY_S) * 1_000).toISOString().slice(0, 10);
  expect(smtp.mails[1]!.text).toContain(`until ${until}`);
  await stop();
});

test('in their own language and zone', async () => {
  const { world, smtp, people, stop } = await aShop({ tell: true });
  await world.rows("UPDATE contact SET locale = 'de', time_zone = 'America/New_York' WHERE id = $1", [people.Mia]);
  await world.settle();
  await world.advance(12 * HOUR_S);
  expect(told(smtp)).toEqual(['mia: BEREITSCHAFT: shop-phone']);
  expect(smtp.mails[0]!.text).toMatch(/bis \d{4}-\d\d-\d\d 02:00 \(America\/New_York\)/);
  await stop();
});

test('not where the duty does not tell', async () => {
  const { world, smtp, stop } = await aShop({ tell: false });
  await world.settle();
  await world.advance(8 * DAY_S);
  expect(told(smtp)).toEqual([]);
  await stop();
});

test('what came while nothing ran is told by the first that runs, and only what holds', async () => {
  const { world, smtp, stop } = await aShop({ tell: true });
  await world.settle();
  // Three changes pass: to Mia, to Noah, to Mia.
  await world.passTime(12 * HOUR_S + 15 * DAY_S);
  await world.settle();
  expect(told(smtp)).toEqual(['mia: ON DUTY: shop-phone']);
  await world.settle();
  expect(told(smtp)).toHaveLength(1);
  await stop();
});

test('a change of the duty tells who is on it by that', async () => {
  const { world, own, smtp, duty, people, stop } = await aShop({ tell: true });
  await world.settle();
  await own.duties.updateDuty({
    duty: { id: duty.id, version: duty.version, otherwise: { contactIds: [people.Lea] }, hours: [] },
    updateMask: { paths: ['hours', 'otherwise'] },
  });
  await world.settle();
  expect(told(smtp)).toEqual(['lea: ON DUTY: shop-phone']);
  await stop();
});

test('a swap tells both, each once, and when each begins', async () => {
  const { world, own, smtp, friday, stop } = await aShop({ tell: true });
  await world.settle();
  const at = (days: number) => ({ seconds: BigInt(friday / 1_000 + days * DAY_S), nanos: 0 });
  await own.duties.swap({ dutyId: 'shop-phone', at: at(1), withAt: at(8), note: 'A wedding' });
  await world.settle();
  expect(told(smtp).sort()).toEqual(['mia: YOU COVER: shop-phone', 'noah: YOU COVER: shop-phone']);
  for (const { text } of smtp.mails) {
    expect(text).toMatch(
      /You are on duty as "shop-phone" from .* \(A wedding\)\. From .* in your place \(A wedding\)\./,
    );
  }
  await world.advance(12 * HOUR_S);
  // Noah goes on.
  expect(told(smtp)).toHaveLength(2);
  await world.advance(7 * DAY_S);
  expect(told(smtp).slice(2)).toEqual(['mia: ON DUTY: shop-phone']);
  await stop();
});

test('a cover that falls away tells both', async () => {
  const { world, own, smtp, people, friday, stop } = await aShop({ tell: true });
  await world.settle();
  const at = (hours: number) => ({ seconds: BigInt(friday / 1_000 + hours * HOUR_S), nanos: 0 });
  await own.duties.cover({ dutyId: 'shop-phone', from: at(2), until: at(4), contactIds: [people.Lea] });
  await world.settle();
  const before = smtp.mails.length;
  const { duty } = await own.duties.getDuty({ dutyId: 'shop-phone' });
  await own.duties.updateDuty({ duty: { ...duty!, except: [] }, updateMask: { paths: ['except'] } });
  await world.settle();
  expect(told(smtp).slice(before).sort()).toEqual([
    'lea: SOMEBODY COVERS FOR YOU: shop-phone',
    'noah: YOU COVER: shop-phone',
  ]);
  expect(
    smtp.mails.slice(before).every(({ text }) => text?.includes('is on duty') || text?.includes('in place of Lea')),
  ).toBe(true);
  await stop();
});

test('a cover that begins at once tells each once', async () => {
  const { world, own, smtp, people, stop } = await aShop({ tell: true });
  await world.settle();
  await own.duties.cover({ dutyId: 'shop-phone', contactIds: [people.Lea] });
  await world.settle();
  expect(told(smtp).sort()).toEqual(['lea: ON DUTY: shop-phone', 'noah: SOMEBODY COVERS FOR YOU: shop-phone']);
  await stop();
});

test('an owner is told nothing of it, and no call rings', async () => {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const noah = await owner.contact('Noah', { call: '+12025550111' });
  await world.rows(
    `INSERT INTO duty (account_id, id, key, name, time_zone, hours, otherwise, exceptions, contact_ids, look_at, on_duty)
     VALUES ($1, 'd', 'd', 'Night', 'UTC', '[]', json_build_array($2::text), '[]', ARRAY[$2], tocsin_now(), '{}')`,
    [owner.accountId, noah],
  );
  await world.settle();
  expect(smtp.mails).toEqual([]);
  expect(await world.rows('SELECT kind, contact_id FROM notice')).toEqual([{ kind: 'duty_begins', contact_id: noah }]);
  expect(await world.rows('SELECT * FROM notice_delivery')).toEqual([]);
  await smtp.stop();
});

/** A file with so many people, and duties of twenty of them each. */
const manyDuties = (people: number, duties: number, of: (who: readonly string[]) => string) => {
  const names = Array.from({ length: people }, (_, at) => `p${at}`);
  const twenty = (at: number) => Array.from({ length: 20 }, (_, nth) => names[(at * 20 + nth) % people]!);
  return `version: 1
contacts:
  - { key: owner, name: Owner }
${names.map(name => `  - { key: ${name}, name: ${name} }`).join('\n')}
duties:
${Array.from({ length: duties }, (_, at) => `  - { key: d${at}, timeZone: UTC, ${of(twenty(at))} }`).join('\n')}
`;
};

async function manyPeople(kept?: Kept) {
  const world = await startWorld(kept === undefined ? {} : { kept });
  const owner = await world.account();
  const own = consoleOf(world, world.operator, owner.accountId);
  const apply = async (text: string) => {
    for await (const { event } of own.configuration.apply({ text }))
      if (event.case === 'result') expect(event.value).toMatchObject({ outcome: 'applied', problems: [] });
    await world.settle();
  };
  const told = (kind: string) =>
    world.rows<{ contact_id: string; about: Record<string, string> }>(
      'SELECT contact_id, about FROM notice WHERE kind = $1',
      [kind],
    );
  return { world, owner, apply, told };
}

test('a change tells at most 200 people, and each of them once', async () => {
  const { apply, told } = await manyPeople();
  const except = (who: readonly string[]) =>
    `otherwise: [owner], except: [${[2190, 2191, 2192, 2193].map(year => `{ from: ${year}-01-01, to: ${year}-01-02, who: [${who}] }`)}]`;
  await apply(manyDuties(230, 24, () => 'otherwise: [owner]'));
  await apply(manyDuties(230, 24, except));
  const changed = await told('duty_changed');
  expect(changed).toHaveLength(200);
  expect(new Set(changed.map(one => one.contact_id)).size).toBe(200);
  // Each of them is on some duties, four times each, of which three times are said. Who comes first is nobody's promise.
  for (const { about } of changed) {
    expect(about).toMatchObject({
      duty: expect.stringMatching(/^d\d+$/),
      duty2: about.duty,
      duty3: about.duty,
      part: 'comes',
    });
    expect(Number(about.more)).toBeGreaterThan(0);
  }
  await apply(manyDuties(230, 24, who => `otherwise: [${who}]`));
  const begun = await told('duty_begins');
  expect(begun).toHaveLength(200);
  expect(new Set(begun.map(one => one.contact_id)).size).toBe(200);
});

test('what notices of duties keep counts toward what an account may store', async () => {
  const taken: [string, KeptUse, number][] = [];
  const kept: Kept = {
    ...KEEP_ALL,
    take(accountId, use, amount = 1) {
      taken.push([accountId, use, amount]);
      return use === 'duty_notices' && taken.filter(([, one]) => one === use).length > 5 ? 'too_much' : 'taken';
    },
  };
  const { apply, told } = await manyPeople(kept);
  await apply(manyDuties(20, 1, () => 'otherwise: [owner]'));
  await apply(manyDuties(20, 1, who => `otherwise: [${who}]`));
  expect(await told('duty_begins')).toHaveLength(5);
  const bytes = (use: KeptUse) => taken.filter(([, one]) => one === use).map(([, , amount]) => amount);
  expect(Math.min(...bytes('duty_notices'))).toBeGreaterThan(600);
  taken.length = 0;
  await apply(
    manyDuties(20, 1, who => `otherwise: [${who}], except: [{ from: 2190-01-01, to: 2190-01-02, who: [owner] }]`),
  );
  expect(await told('duty_changed')).toHaveLength(21);
  expect(Math.max(...bytes('configuration'))).toBeGreaterThan(21 * 600);
});
