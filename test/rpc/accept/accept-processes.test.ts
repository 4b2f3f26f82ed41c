import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { effectiveMode, MODES, type ModeId } from '../../../services/domain/mode.ts';
import type { Verb } from '../../../services/domain/source.ts';
import { eventually } from '../../support/wait.ts';
import { holdApplying } from '../../support/waiting.ts';
import { startWorld } from '../../support/world.ts';
import { aCall, anotherProcess, waitingCalls } from './accept-rig.ts';

/* Processes that accept on one database, each with a memory of its own. */

test('what one process accepts and what is revoked holds at once in another that remembers', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const outsider = await world.account();
  await holdApplying(world.databaseUrl);
  const { id, secret } = await owner.keyWithId();
  const sourceId = await owner.alarm({ onlyWhenArmed: true });
  const theirs = { secret: await outsider.key(), sourceId: await outsider.alarm() };
  const [here, there] = [anotherProcess(world), anotherProcess(world)];
  const ask = async (accept: typeof here, verb: Verb, modeWord?: ModeId) => {
    const one = aCall(secret, { sourceId, verb, modeWord });
    const { verdict } = await accept(one);
    return { verdict, mode: (await waitingCalls(world)).get(one.traceId)?.mode ?? null };
  };
  const untouched = async (accept: typeof here) => {
    const one = aCall(theirs.secret, { sourceId: theirs.sourceId });
    expect((await accept(one)).verdict).toBe('accepted');
    expect((await waitingCalls(world)).get(one.traceId)!.mode).toBe('away');
    expect((await accept(aCall(theirs.secret, { sourceId, verb: 'disarm' }))).verdict).toBe('not_found');
  };
  for (const [one, other] of [
    [here, there],
    [there, here],
    [here, there],
  ] as const) {
    expect(await ask(one, 'disarm')).toEqual({ verdict: 'accepted', mode: null });
    expect(await ask(other, 'trigger')).toEqual({ verdict: 'held_by_gate', mode: null });
    expect(await ask(one, 'arm', 'night')).toEqual({ verdict: 'accepted', mode: 'night' });
    expect(await ask(other, 'arm')).toEqual({ verdict: 'accepted', mode: 'night' });
    expect(await ask(other, 'arm', 'home')).toEqual({ verdict: 'accepted', mode: 'home' });
    expect(await ask(one, 'arm')).toEqual({ verdict: 'accepted', mode: 'home' });
    await untouched(other);
  }
  expect(await ask(here, 'trigger')).toEqual({ verdict: 'accepted', mode: 'home' });
  expect(await ask(there, 'trigger')).toEqual({ verdict: 'accepted', mode: 'home' });
  await world.rows('UPDATE api_key SET revoked_at = tocsin_now() WHERE id = $1', [id]);
  for (const accept of [here, there]) {
    expect(await ask(accept, 'trigger')).toEqual({ verdict: 'key_revoked', mode: null });
    await untouched(accept);
  }
});

test('how an alarm is armed is looked up where another process stored a group since, and nowhere else', async () => {
  const world = await startWorld();
  const [owner, outsider] = [await world.account(), await world.account()];
  await holdApplying(world.databaseUrl);
  const alarm = { secret: await owner.key(), sourceId: await owner.alarm({ onlyWhenArmed: true }) };
  const theirs = { secret: await outsider.key(), sourceId: await outsider.alarm() };
  const [here, there] = [anotherProcess(world), anotherProcess(world)];
  const verdictOf = async (accept: typeof here, { secret, sourceId }: typeof alarm, verb: Verb = 'trigger') =>
    (await accept(aCall(secret, { sourceId, verb }))).verdict;
  const holder = new pg.Client({ connectionString: world.databaseUrl });
  await holder.connect();
  onTestFinished(() => holder.end());
  const hold = () => holder.query('BEGIN; LOCK TABLE gate IN ACCESS EXCLUSIVE MODE');
  const letGo = () => holder.query('ROLLBACK');
  const isWaitedFor = async () =>
    (await world.rows("SELECT FROM pg_locks WHERE relation = 'gate'::regclass AND NOT granted")).length > 0;

  expect(await verdictOf(here, alarm, 'arm')).toBe('accepted');
  expect(await verdictOf(here, theirs)).toBe('accepted');
  await hold();
  expect(await verdictOf(here, alarm)).toBe('accepted');
  await letGo();
  expect(await verdictOf(there, theirs)).toBe('accepted');
  await hold();
  const looking = verdictOf(here, alarm);
  await eventually(isWaitedFor, { what: 'the look' });
  await letGo();
  expect(await looking).toBe('accepted');
  await hold();
  expect(await verdictOf(here, alarm)).toBe('accepted');
  await letGo();
});

test('whatever four processes accept at once, each call acts on the mode to which those before it in the journal lead', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const outsider = await world.account();
  await holdApplying(world.databaseUrl);
  const houses = await Promise.all(
    [owner, owner, owner, outsider].map(async whose => ({ key: await whose.key(), sourceId: await whose.alarm() })),
  );
  const processes = Array.from({ length: 4 }, () => anotherProcess(world));
  const asked: { verb: Verb; modeWord?: ModeId }[] = [
    { verb: 'arm', modeWord: 'night' },
    { verb: 'trigger' },
    { verb: 'arm' },
    { verb: 'disarm' },
    { verb: 'trigger' },
    { verb: 'arm', modeWord: 'home' },
    { verb: 'arm' },
  ];
  const sent = new Map<string, { sourceId: string; named: ModeId | null }>();
  const accepted: string[] = [];
  const refused: string[] = [];
  // A caller of each house at each process: none waits for the others, so that the calls of an alarm meet in every order.
  await Promise.all(
    processes.flatMap((accept, which) =>
      houses.map(async ({ key, sourceId }) => {
        for (let turn = 0; turn < 40; turn++) {
          const { verb, modeWord } = asked[(turn * (which + 1) + which) % asked.length]!;
          const one = aCall(key, { sourceId, verb, modeWord });
          sent.set(one.traceId, { sourceId, named: modeWord ?? null });
          const verdict = await accept(one).then(judged => judged.verdict, String);
          if (verdict === 'accepted') accepted.push(one.traceId);
          else refused.push(verdict);
        }
      }),
    ),
  );

  const waiting = [...(await waitingCalls(world)).values()];
  expect(waiting.map(call => call.trace_id).sort()).toEqual(accepted.toSorted());
  const armed = new Map<string, ModeId | null>();
  for (const { trace_id, source_id, verb, mode } of waiting) {
    const { sourceId, named } = sent.get(trace_id)!;
    expect(source_id).toBe(sourceId);
    const effective = effectiveMode(named, armed.get(sourceId) ?? null, MODES);
    expect({ trace_id, mode }).toEqual({ trace_id, mode: verb === 'disarm' ? null : effective });
    if (verb === 'arm') armed.set(sourceId, effective);
    if (verb === 'disarm') armed.set(sourceId, null);
  }
  const gates = await world.rows<{ id: string; armed_mode: string | null }>(
    `SELECT s.id, (SELECT g.armed_mode FROM gate g WHERE g.source_seq = s.seq ORDER BY g.id DESC LIMIT 1) FROM source s`,
  );
  expect(new Map(gates.map(row => [row.id, row.armed_mode]))).toEqual(armed);
  expect(refused).toEqual([]);
});
