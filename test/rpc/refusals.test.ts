import { randomUUID } from 'node:crypto';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createRefusalLog } from '../../services/engine/accept/refusals.ts';
import { newId } from '../../services/store/id.ts';
import type { Owner } from '../support/owner.ts';
import { type Answer, startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "Outcome of each call": refused calls are written off the request path. */

/** A log of refusals by a clock that is moved, and what the owner is told of them. */
async function aLog() {
  const world = await startWorld();
  let at = 0;
  const log = createRefusalLog(world.store.pool, pino({ level: 'silent' }), { now: () => at });
  const toldOf = (owner: Owner, traceId: string) => owner.call({ body: { traceId } } as Answer);
  const pass = (ms: number) => {
    at += ms;
  };
  return { world, log, toldOf, pass };
}

async function refuserOf(world: World, log: ReturnType<typeof createRefusalLog>) {
  const owner = await world.account();
  const { id } = await owner.keyWithId();
  const [key] = await world.rows<{ seq: string }>('SELECT seq FROM api_key WHERE id = $1', [id]);
  return {
    owner,
    refuse() {
      const traceId = randomUUID();
      const asked = { traceId, parentTraceId: null, verb: 'arm', sourceId: newId() } as const;
      log.add(asked, { accountId: owner.accountId, keySeq: Number(key!.seq) }, 'not_found');
      return traceId;
    },
  };
}

test('a refused call bears the time of its answer, however late it is written down', async () => {
  const { world, log, toldOf, pass } = await aLog();
  const [{ owner, refuse }, neighbour] = [await refuserOf(world, log), await refuserOf(world, log)];
  const [first, theirs] = [refuse(), neighbour.refuse()];
  pass(60_000);
  const second = refuse();
  pass(5_000);
  await log.flush();
  const [clock] = await world.rows<{ ms: number }>('SELECT (extract(epoch FROM tocsin_now()) * 1000)::float8 AS ms');
  const ago = async (of: Owner, traceId: string) => clock!.ms - timestampMs((await toldOf(of, traceId)).at!);
  expect([await ago(owner, first), await ago(owner, second), await ago(neighbour.owner, theirs)]).toEqual([
    65_000, 5_000, 65_000,
  ]);
});
