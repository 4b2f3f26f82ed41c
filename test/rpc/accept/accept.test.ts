import { expect, test } from 'vitest';
import { effectiveMode, MODES, type ModeId } from '../../../services/domain/mode.ts';
import { judge, type Verb } from '../../../services/domain/source.ts';
import type { Accept } from '../../../services/engine/accept/accept.ts';
import type { Call } from '../../../services/engine/accept/call.ts';
import { newId } from '../../../services/store/id.ts';
import type { Owner } from '../../support/owner.ts';
import { holdApplying } from '../../support/waiting.ts';
import { startWorld, type World } from '../../support/world.ts';
import { aCall, anotherProcess, verdicts, waitingCalls } from './accept-rig.ts';

/** Every situation of an alarm that the rules of accepting tell apart. */
interface Situation {
  armedMode: ModeId | null;
  modes: readonly ModeId[];
  onlyWhenArmed: boolean;
  engaged: 'no' | 'pending' | 'open';
}

const SITUATIONS: Situation[] = ([null, 'away', 'night', 'vacation'] as const).flatMap(armedMode =>
  [MODES, ['home', 'night'] as const, ['away'] as const].flatMap(modes =>
    [false, true].flatMap(onlyWhenArmed =>
      (['no', 'pending', 'open'] as const).map(engaged => ({ armedMode, modes, onlyWhenArmed, engaged })),
    ),
  ),
);

/** A call as it names its mode: none, one of the four, or a word that is none. */
interface Asked {
  verb: Verb;
  named: ModeId | 'unknown' | null;
}

const CALLS: Asked[] = [
  ...([null, 'unknown', ...MODES] as const).flatMap(named => [
    { verb: 'arm' as const, named },
    { verb: 'trigger' as const, named },
  ]),
  { verb: 'disarm', named: null },
  { verb: 'clear', named: null },
];

/** One more than a group has places for in the statement that reads: what is judged together is more than one group. */
const AT_ONCE = 501;

test.each([
  'empty',
  'remembered',
] as const)('memory %s: every situation of an alarm is judged as services/domain/source.ts does, and again after the call', async memory => {
  const world = await startWorld();
  const owner = await world.account();
  const key = await owner.key();
  await holdApplying(world.databaseUrl);
  const cases = SITUATIONS.flatMap(situation => CALLS.map(asked => ({ situation, asked, sourceId: newId() })));
  await makeAlarms(world, owner, cases);
  const accept = anotherProcess(world);
  if (memory === 'remembered') {
    const warming = cases.map(({ sourceId }) => aCall(key, { sourceId, verb: 'arm', modeWord: 'unknown' }));
    expect(new Set(verdicts(await acceptAll(accept, warming)))).toEqual(new Set(['unknown_mode']));
  }

  const expected = cases.map(({ situation, asked }) => expectedOf(situation, asked));
  const calls = cases.map(({ sourceId, asked }) => callOf(key, sourceId, asked));
  expect(await cameTo(world, accept, calls)).toEqual(expected);
  expect(cases.length).toBeGreaterThan(800);
  expect(new Set(expected.map(({ verdict }) => verdict))).toEqual(
    new Set(['accepted', 'unknown_mode', 'mode_missing', 'held_by_gate']),
  );

  const later = cases.map(({ situation, asked }, nth) => expectedOf(after(situation, asked, expected[nth]!), asked));
  const again = cases.map(({ sourceId, asked }) => callOf(key, sourceId, asked));
  expect(await cameTo(world, accept, again)).toEqual(later);
});

test.each([
  'one after the other',
  'all at once',
  'through two processes in turn',
] as const)('a waiting arm or disarm already counts, %s: a bare call acts on the mode that the accepted calls lead to', async how => {
  const world = await startWorld();
  const owner = await world.account();
  const key = await owner.key();
  const sourceId = await owner.alarm();
  await holdApplying(world.databaseUrl);
  const asked: Asked[] = [
    { verb: 'arm', named: 'night' },
    { verb: 'trigger', named: null },
    { verb: 'arm', named: null },
    { verb: 'disarm', named: null },
    { verb: 'trigger', named: null },
    { verb: 'arm', named: 'home' },
    { verb: 'trigger', named: null },
  ];
  const calls = asked.map(one => callOf(key, sourceId, one));
  const processes = how === 'through two processes in turn' ? 2 : 1;
  const accepts = Array.from({ length: processes }, () => anotherProcess(world));
  if (how === 'all at once') await acceptAll(accepts[0]!, calls);
  else for (const [nth, one] of calls.entries()) await accepts[nth % processes]!(one);
  const waiting = await waitingCalls(world);
  expect(calls.map(({ traceId }) => waiting.get(traceId)?.mode)).toEqual([
    'night',
    'night',
    'night',
    null,
    'away',
    'home',
    'home',
  ]);
  expect([...waiting.keys()]).toEqual(calls.map(({ traceId }) => traceId));
});

/** What a call should come to, and the mode that should be stored with it. */
interface Expected {
  verdict: string;
  mode: ModeId | null;
}

function expectedOf({ armedMode, modes, onlyWhenArmed, engaged }: Situation, { verb, named }: Asked): Expected {
  const effective = effectiveMode(named === 'unknown' ? null : named, armedMode, modes);
  const verdict = judge({
    key: 'valid',
    reachable: true,
    disabled: false,
    kind: 'alarm',
    verb,
    named,
    effective,
    modes,
    onlyWhenArmed,
    armedMode,
    engaged: engaged !== 'no',
  });
  return { verdict, mode: verdict === 'accepted' && (verb === 'arm' || verb === 'trigger') ? effective : null };
}

/** The situation that a call leads to, as far as the same call asks. */
function after(situation: Situation, { verb }: Asked, { verdict, mode }: Expected): Situation {
  if (verdict !== 'accepted') return situation;
  if (verb === 'arm') return { ...situation, armedMode: mode };
  return verb === 'trigger' ? { ...situation, engaged: 'open' } : situation;
}

function callOf(key: string, sourceId: string, { verb, named }: Asked): Call {
  return aCall(key, { sourceId, verb, ...(named === null ? {} : { modeWord: named }) });
}

async function acceptAll(accept: Accept, calls: readonly Call[]) {
  const judged = [];
  for (let at = 0; at < calls.length; at += AT_ONCE) {
    judged.push(...(await Promise.all(calls.slice(at, at + AT_ONCE).map(accept))));
  }
  return judged;
}

/** What calls come to, and the modes that are stored with them; what is refused must not be stored. */
async function cameTo(world: World, accept: Accept, calls: readonly Call[]): Promise<Expected[]> {
  const judged = await acceptAll(accept, calls);
  const waiting = await waitingCalls(world);
  return calls.map(({ traceId }, nth) => {
    const stored = waiting.get(traceId);
    expect(stored !== undefined).toBe(judged[nth]!.verdict === 'accepted');
    return { verdict: judged[nth]!.verdict, mode: (stored?.mode ?? null) as ModeId | null };
  });
}

/** Alarms in their situations, with the ids given: as the engine would have left them. */
async function makeAlarms(
  world: World,
  owner: Owner,
  alarms: readonly { sourceId: string; situation: Situation }[],
): Promise<void> {
  const rows = JSON.stringify(alarms.map(({ sourceId, situation }) => ({ id: sourceId, ...situation })));
  const each = `json_to_recordset($2::json) AS r (id text, "armedMode" text, modes json, "onlyWhenArmed" boolean, engaged text)`;
  const values = [owner.accountId, rows];
  await world.rows(
    `INSERT INTO source (account_id, id, key, kind, location_id, name, test, disabled, only_when_armed, version)
     SELECT $1, r.id, r.id, 'alarm', $3, 'An alarm', false, false, r."onlyWhenArmed", 1 FROM ${each}`,
    [...values, owner.locationId],
  );
  await world.rows(
    `INSERT INTO mode (account_id, source_id, id, name)
     SELECT $1, r.id, m, m FROM ${each}, json_array_elements_text(r.modes) m`,
    values,
  );
  await world.rows(
    `INSERT INTO source_state (account_id, source_id, armed_mode, pending_id, pending_due_at, pending_mode,
       pending_environment, pending_trace_id, pending_count, pending_last_at)
     SELECT $1, r.id, r."armedMode", CASE WHEN engaged = 'pending' THEN 1 END,
       CASE WHEN engaged = 'pending' THEN tocsin_now() + interval '1 h' END, 'away', 'live', gen_random_uuid(), 1, tocsin_now()
     FROM ${each}`,
    values,
  );
  await world.rows(
    `INSERT INTO gate (source_seq, id, armed_mode)
     SELECT s.seq, 0, r."armedMode" FROM ${each} JOIN source s ON s.account_id = $1 AND s.id = r.id
     WHERE r."armedMode" IS NOT NULL`,
    values,
  );
  await world.rows(
    `INSERT INTO incident (account_id, id, source_id, location_id, environment, status, outcome, opened_at,
       escalation_ends_at, auto_close_at, trigger_count, last_trigger_at, trace_id, copy)
     SELECT $1, 'i' || substr(r.id, 2), r.id, $3, 'live', 'open', 'nobody_to_alert', tocsin_now(), tocsin_now(),
       tocsin_now() + interval '1 day', 1, tocsin_now(), gen_random_uuid(), '{}'
     FROM ${each} WHERE r.engaged = 'open'`,
    [...values, owner.locationId],
  );
}
