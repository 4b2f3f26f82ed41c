import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { proposedSupervision, type Rhythm } from '../../services/domain/rhythm.ts';
import { createKeyUses } from '../../services/engine/accept/key-uses.ts';
import { startAccepting } from '../../services/engine/watch/accepting.ts';
import { startSenders } from '../../services/engine/watch/senders.ts';
import { readSenders } from '../../services/engine/watch/statements/senders.ts';
import { readOfAccount } from '../../services/readiness/statements.ts';
import { createSeal } from '../../services/store/seal.ts';
import type { Connection } from '../../services/store/statement.ts';
import { advanceClock } from '../support/database.ts';
import { lendStore } from '../support/lent-store.ts';
import { makeAccount } from '../support/owner.ts';
import { PEPPER, startWorld } from '../support/world.ts';

/* DECISIONS.md "Supervised senders": nobody is woken for nothing, and what is looked at every minute costs little. */

const POLL_S = 300;
const DAY_S = 86_400;
const OUTAGE_S = 180;

/** What of a process watches over senders. */
function aProcess(pool: Awaited<ReturnType<typeof lendStore>>['store']['pool']) {
  const log = pino({ level: 'silent' });
  const keyUses = createKeyUses(pool, log);
  const accepting = startAccepting({ pool, log });
  const senders = startSenders({ pool, log, accepting, onNotice() {}, onAlert() {} });
  return {
    keyUses,
    look: senders.drain,
    async end() {
      await keyUses.close();
      await senders.close();
      await accepting.close();
    },
  };
}

test('seven days of a sender that calls every five minutes and has a live socket, and three outages of ours: nobody is told, and its supervision is proposed', async () => {
  const lent = await lendStore(pino({ level: 'silent' }));
  const { pool } = lent.store;
  const owner = await makeAccount({ store: lent.store, seal: createSeal(randomBytes(32), null), pepper: PEPPER }, {});
  const { accountId } = owner;
  await owner.panicButton();
  const [{ id: keyId }, { id: withSocket }] = [await owner.keyWithId(), await owner.keyWithId()];
  // It allows a call to be a little late, and no outage.
  await pool.query('UPDATE api_key SET supervision_s = $2 WHERE account_id = $1', [accountId, POLL_S + 60]);
  let process = aProcess(pool);
  onTestFinished(async () => {
    await process.end();
    await lent.giveBack();
  });
  for (let day = 1; day <= 7; day++) {
    for (let at = 0; at < DAY_S; at += POLL_S) {
      await advanceClock(pool, POLL_S);
      process.keyUses.note({ accountId, keyId }, () => ({ address: '192.0.2.1', agent: 'a panel' }));
      process.keyUses.answered({ accountId, keyId: withSocket });
      await process.look();
      await process.keyUses.flush();
    }
    if (day % 2 === 1) continue;
    await process.end();
    await advanceClock(pool, OUTAGE_S);
    process = aProcess(pool);
    await advanceClock(pool, 20);
  }
  expect((await pool.query('SELECT kind FROM notice')).rows).toEqual([]);
  const proposed = (await readOfAccount(pool, accountId)).senders.map(key =>
    proposedSupervision(key as Rhythm, key.now),
  );
  expect(proposed).toEqual([1_020, 900]);
});

test('a look at 10,000 supervised keys walks over them once, and looks up nothing of those that are heard', async () => {
  const world = await startWorld({ tables: 'fresh' });
  const { accountId } = await world.account();
  await world.rows(
    `INSERT INTO api_key (account_id, id, key, label, supervision_s, alive_at)
     SELECT $1, 'k' || n, 'k' || n, 'A key', 600, tocsin_now() FROM generate_series(1, 10000) n`,
    [accountId],
  );
  await world.rows('ANALYZE api_key');
  await world.services.drain();
  let plan: { Plan: Record<string, number>; 'Execution Time': number } | undefined;
  const explaining = {
    async query(asked: { text: string; values: unknown[]; types: unknown }) {
      const { rows } = await world.store.pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${asked.text}`);
      plan = rows[0]['QUERY PLAN'][0];
      return world.store.pool.query({ ...asked } as never);
    },
  } as unknown as Connection;
  expect(await readSenders(explaining, 'all')).toMatchObject({ supervised: 10_000, accounts: [] });
  const [{ pages }] = (await world.rows<{ pages: number }>(
    "SELECT pg_relation_size('api_key')::int / 8192 AS pages",
  )) as [{ pages: number }];
  const { Plan: whole } = plan!;
  // The table and its index once, and a few pages of what is little.
  expect(whole['Shared Hit Blocks']! + whole['Shared Read Blocks']!).toBeLessThan(2 * pages + 100);
  expect(JSON.stringify(plan)).not.toMatch(/"Relation Name":"source","Alias":"s"[^{}]*"Actual Loops":[1-9]/);
});
