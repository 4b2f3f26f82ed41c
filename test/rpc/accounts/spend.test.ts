import { expect, test } from 'vitest';
import { countSpend, refuseOverCap } from '../../../services/accounts/spend.ts';
import type { AttemptOutcome } from '../../../services/domain/delivery.ts';
import { inTransaction } from '../../../services/store/statement.ts';
import { addSpend } from '../../../services/store/statements/spend.ts';
import { consoleOf, newOwner, refusal } from '../../support/console.ts';
import { startWorld, type World } from '../../support/world.ts';

const DAY_S = 24 * 3600;

/** A message of an account went out, as whoever sends records it. */
const sent = (world: World, accountId: string, channel: 'text' | 'call' | 'email', units = 1) =>
  inTransaction(world.store.pool, client => addSpend(client, { accountId, about: null, channel, units }));

const notices = (world: World, accountId: string) =>
  world.rows('SELECT kind, once, about FROM notice WHERE account_id = $1 ORDER BY seq', [accountId]);

async function anOwner(dailySpendCapCents?: number) {
  const world = await startWorld();
  const owner = await newOwner(world);
  // Raising it takes the operator.
  const { accounts } = consoleOf(world, world.operator, owner.accountId);
  const setCap = async (cents: number) => {
    const { account } = await accounts.getAccount({});
    await accounts.updateAccount({ account: { ...account!, dailySpendCapCents: cents } });
  };
  if (dailySpendCapCents !== undefined) await setCap(dailySpendCapCents);
  return { world, ...owner, setCap };
}

test('a day’s texts and calls are told newest first, days without any are left out', async () => {
  const { world, accountId, console: own } = await anOwner();
  const { console: outsider } = await newOwner(world);
  expect(await own.accounts.getSpend({})).toMatchObject({ days: [], capCents: 1000, ceilingCents: 25_000 });
  expect(await sent(world, accountId, 'email')).toBeNull();
  expect(await sent(world, accountId, 'text', 3)).toMatchObject({ beforeCents: 0, afterCents: 15, capCents: 1000 });
  // The clock stands at 20:00 UTC: the day ends four hours later, not a day later.
  await world.advance(4 * 3600 - 1);
  expect(await sent(world, accountId, 'call')).toMatchObject({ beforeCents: 15, afterCents: 25 });
  await world.advance(1);
  expect(await sent(world, accountId, 'call')).toMatchObject({ beforeCents: 0, afterCents: 10 });
  await world.advance(2 * DAY_S);
  expect(await sent(world, accountId, 'text')).toMatchObject({ beforeCents: 0, afterCents: 5 });
  const days = [
    { day: '2026-01-18', textParts: 1, calls: 0, cents: 5 },
    { day: '2026-01-16', textParts: 0, calls: 1, cents: 10 },
    { day: '2026-01-15', textParts: 3, calls: 1, cents: 25 },
  ];
  expect((await own.accounts.getSpend({})).days).toMatchObject(days);
  expect((await own.accounts.getSpend({ days: 3 })).days).toMatchObject(days.slice(0, 2));
  expect((await own.accounts.getSpend({ days: 1 })).days).toMatchObject(days.slice(0, 1));
  for (const asked of [-1, 91]) {
    expect(await refusal(own.accounts.getSpend({ days: asked }))).toMatchObject({
      code: 'InvalidArgument',
      fields: { days: `takes 1 to 90, or 0 for 7, got ${asked}.` },
    });
  }
  expect(await outsider.accounts.getSpend({})).toMatchObject({ days: [] });
});

test('the owner hears once a day of 80 % and once of the cap; live messages go on', async () => {
  const { world, accountId, setCap } = await anOwner(40);
  expect(await sent(world, accountId, 'text', 4)).toMatchObject({ afterCents: 20, verdict: 'within_cap' });
  expect(await notices(world, accountId)).toEqual([]);
  expect(await sent(world, accountId, 'call')).toMatchObject({ afterCents: 30, verdict: 'within_cap' });
  expect(await sent(world, accountId, 'text')).toMatchObject({ afterCents: 35, verdict: 'spend_warning' });
  expect(await sent(world, accountId, 'call')).toMatchObject({ afterCents: 45, verdict: 'spend_capped' });
  expect(await sent(world, accountId, 'call')).toMatchObject({ afterCents: 55, verdict: 'spend_capped' });
  const today = [
    { kind: 'spend_warning', once: '2026-01-15', about: { cents: 35, capCents: 40 } },
    { kind: 'spend_capped', once: '2026-01-15', about: { cents: 45, capCents: 40 } },
  ];
  expect(await notices(world, accountId)).toEqual(today);
  // Raised and reached again on the same day: told already. The next day is another one.
  await setCap(60);
  expect(await sent(world, accountId, 'call')).toMatchObject({ afterCents: 65, verdict: 'spend_capped' });
  expect(await notices(world, accountId)).toEqual(today);
  await world.advance(DAY_S);
  await sent(world, accountId, 'text', 13);
  expect((await notices(world, accountId)).slice(2)).toEqual([
    { kind: 'spend_capped', once: '2026-01-16', about: { cents: 65, capCents: 60 } },
  ]);
});

test('a lowered cap is told with the next message, although no message crossed it', async () => {
  const { world, accountId, setCap } = await anOwner(1000);
  await sent(world, accountId, 'call');
  await setCap(5);
  await sent(world, accountId, 'text');
  expect(await notices(world, accountId)).toMatchObject([{ kind: 'spend_capped', about: { cents: 15, capCents: 5 } }]);
});

test('messages that go out at the same time are all counted, and the owner hears once', async () => {
  const { world, accountId, console: own } = await anOwner(40);
  await Promise.all(Array.from({ length: 12 }, () => sent(world, accountId, 'text')));
  expect((await own.accounts.getSpend({})).days).toMatchObject([{ textParts: 12, cents: 60 }]);
  expect((await notices(world, accountId)).map(({ kind }) => kind)).toEqual(['spend_warning', 'spend_capped']);
});

test('what is not recorded is not spent: spending and its notice go with the message’s transaction', async () => {
  const { world, accountId, console: own } = await anOwner(5);
  const dies = inTransaction(world.store.pool, async client => {
    await addSpend(client, { accountId, about: null, channel: 'call', units: 1 });
    throw new Error('killed before the commit');
  });
  await expect(dies).rejects.toThrow('killed before the commit');
  expect((await own.accounts.getSpend({})).days).toEqual([]);
  expect(await notices(world, accountId)).toEqual([]);
});

test('over the cap a drill or a code by text or call is refused until the next day, or until the cap is raised', async () => {
  const { world, accountId, setCap } = await anOwner(10);
  const { accountId: other } = await newOwner(world);
  const guard = (channel: 'text' | 'call' | 'email', account = accountId) =>
    refuseOverCap(world.store.pool, account, channel);
  const counted = (outcome: AttemptOutcome) => countSpend(world.store.pool, accountId, 'text', outcome);
  await guard('text');
  // Only what went out costs.
  await counted({ kind: 'temporary_fault', reason: 'busy' });
  await counted({ kind: 'kept', reason: 'no carrier', message: '' });
  await guard('text');
  await counted({ kind: 'sent', providerRef: 'SM1', units: 2 });
  for (const channel of ['text', 'call'] as const) {
    const refused = await refusal(guard(channel));
    expect(refused).toMatchObject({ code: 'ResourceExhausted' });
    expect(refused.message).toBe(
      'spend_capped: SMS and calls have cost an estimated $0.10 today, and the daily cap is $0.10. ' +
        `Drills and codes by ${channel} are refused until 2026-01-16 00:00 UTC. Use another channel, or ask the ` +
        'operator to raise the cap (daily_spend_cap_cents; tocsin accounts update --daily-spend-cap-cents).',
    );
  }
  await guard('email');
  await guard('text', other);
  await setCap(11);
  await guard('text');
  await setCap(10);
  await expect(guard('text')).rejects.toThrow('spend_capped');
  await setCap(0);
  await guard('text');
  await setCap(10);
  await world.advance(4 * 3600);
  await guard('text');
});
