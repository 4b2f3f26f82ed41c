import { expect, test } from 'vitest';
import type { Verb } from '../../../services/domain/source.ts';
import { type Accept, type Acceptance, createAccept } from '../../../services/engine/accept/accept.ts';
import type { Call } from '../../../services/engine/accept/call.ts';
import { holdApplying } from '../../support/waiting.ts';
import { type Answer, startWorld, type World } from '../../support/world.ts';
import { aCall, anotherProcess, foundations, verdicts, waitingCalls } from './accept-rig.ts';

/* The gate of an alarm that only fires when armed knows what is accepted and not applied yet, in one group and over many. */

/** All at once: in one group. */
type How = 'one after the other' | 'all at once';

const HOW: How[] = ['one after the other', 'all at once'];

/** An owner with a disarmed alarm that only fires when armed, and an outsider with an alarm of their own. */
async function aGate() {
  const world = await startWorld();
  const owner = await world.account();
  const outsider = await world.account();
  const sourceId = await owner.alarm({ onlyWhenArmed: true });
  const theirs = { key: await outsider.key(), sourceId: await outsider.alarm() };
  return { world, owner, key: await owner.key(), sourceId, theirs };
}

async function acceptAll(accept: Accept, calls: readonly Call[], how: How): Promise<Acceptance[]> {
  if (how === 'all at once') return Promise.all(calls.map(accept));
  const judged: Acceptance[] = [];
  for (const one of calls) judged.push(await accept(one));
  return judged;
}

const outcomesOf = async (world: World, sourceId: string) => {
  const found = 'SELECT outcome FROM call_log WHERE source_id = $1 AND applied_at IS NOT NULL ORDER BY id';
  return (await world.rows<{ outcome: string }>(found, [sourceId])).map(({ outcome }) => outcome);
};

test('a trigger joins one that is accepted and not applied, and is held once a clear is', async () => {
  const { world, key, sourceId } = await aGate();
  const letGo = await holdApplying(world.databaseUrl);
  const accept = anotherProcess(world);
  const asked: [Verb, string, string][] = [
    ['trigger', 'held_by_gate', ''],
    ['arm', 'accepted', 'armed'],
    ['trigger', 'accepted', 'opened'],
    ['disarm', 'accepted', 'disarmed'],
    ['trigger', 'accepted', 'folded'],
    ['clear', 'accepted', 'closed'],
    ['trigger', 'held_by_gate', ''],
  ];
  const calls = asked.map(([verb]) => aCall(key, { sourceId, verb }));
  expect(verdicts(await acceptAll(accept, calls, 'one after the other'))).toEqual(asked.map(([, verdict]) => verdict));
  await letGo();
  await world.settle();
  expect(await outcomesOf(world, sourceId)).toEqual(asked.map(([, , outcome]) => outcome).filter(Boolean));
});

test.each(
  HOW,
)('%s: of two triggers around a disarm the second joins the first, whatever a process remembers', async how => {
  const { world, key, sourceId } = await aGate();
  await anotherProcess(world)(aCall(key, { sourceId, verb: 'arm' }));
  const letGo = await holdApplying(world.databaseUrl);
  const verbs: Verb[] = ['trigger', 'disarm', 'trigger'];
  const calls = verbs.map(verb => aCall(key, { sourceId, verb }));
  expect(verdicts(await acceptAll(anotherProcess(world), calls, how))).toEqual(['accepted', 'accepted', 'accepted']);
  await letGo();
  await world.settle();
  expect(await outcomesOf(world, sourceId)).toEqual(['armed', 'opened', 'disarmed', 'folded']);
});

test.each(HOW)('%s: while an incident is open, a disarm does not hold the trigger behind it', async how => {
  const { world, key, sourceId } = await aGate();
  await acceptAll(anotherProcess(world), [aCall(key, { sourceId, verb: 'arm' })], how);
  await acceptAll(anotherProcess(world), [aCall(key, { sourceId })], how);
  await world.settle();
  expect(await outcomesOf(world, sourceId)).toEqual(['armed', 'opened']);
  const calls = [aCall(key, { sourceId, verb: 'disarm' }), aCall(key, { sourceId })];
  // A process that remembers nothing, as after its start.
  expect(verdicts(await acceptAll(anotherProcess(world), calls, how))).toEqual(['accepted', 'accepted']);
  await world.settle();
  expect(await outcomesOf(world, sourceId)).toEqual(['armed', 'opened', 'disarmed', 'folded']);
});

test('a disarm that is not accepted in the end, because its key was revoked, holds no trigger that came with it', async () => {
  const { world, owner, key, sourceId, theirs } = await aGate();
  const thief = await owner.keyWithId();
  await anotherProcess(world)(aCall(key, { sourceId, verb: 'arm' }));
  await holdApplying(world.databaseUrl);
  const on = foundations(world);
  const gated = await owner.alarm({ onlyWhenArmed: true });
  const accept = createAccept({
    ...on,
    // Between what the calls are judged by being read and their being stored: asked because of the third call.
    async engagedOf(seqs) {
      await world.rows('UPDATE api_key SET revoked_at = tocsin_now() WHERE id = $1', [thief.id]);
      return on.engagedOf(seqs);
    },
  });
  const calls = [
    aCall(thief.secret, { sourceId, verb: 'disarm' }),
    aCall(key, { sourceId }),
    aCall(key, { sourceId: gated }),
    aCall(theirs.key, { sourceId: theirs.sourceId }),
  ];
  const judged = await Promise.all(calls.map(accept));
  expect(verdicts(judged)).toEqual(['key_revoked', 'accepted', 'held_by_gate', 'accepted']);
});

test('however much others have waiting, the gate knows the trigger that waits before it, and the owner finds that call', async () => {
  const { world, owner, key, sourceId, theirs } = await aGate();
  await holdApplying(world.databaseUrl);
  const accept = anotherProcess(world);
  const first = aCall(key, { sourceId });
  const before = [aCall(key, { sourceId, verb: 'arm' }), first, aCall(key, { sourceId, verb: 'disarm' })];
  expect(verdicts(await acceptAll(accept, before, 'one after the other'))).toEqual([
    'accepted',
    'accepted',
    'accepted',
  ]);
  // One group each.
  const others = Array.from({ length: 600 }, () => aCall(theirs.key, { sourceId: theirs.sourceId, verb: 'clear' }));
  await acceptAll(accept, others, 'one after the other');
  expect((await waitingCalls(world)).size).toBe(603);
  const { verdict } = await accept(aCall(key, { sourceId }));
  const answer = { status: 202, headers: new Headers(), body: { traceId: first.traceId } as Answer['body'] };
  const found = await owner.call(answer).then(({ outcome }) => outcome, String);
  expect({ verdict, found }).toEqual({ verdict: 'accepted', found: 'accepted' });
});
