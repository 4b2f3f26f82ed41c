import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { effectiveMode, MODES, type ModeId } from '../../services/domain/mode.ts';
import { type CallFacts, judge, type Verb } from '../../services/domain/source.ts';
import { type AskedCall, acceptCalls } from '../../services/store/accept-statement.ts';
import { secretDigest } from '../../services/store/secret.ts';
import { Mode } from '../../services/store/source.ts';
import { type Owner, PEPPER, startWorld, type World } from '../support/world.ts';

/** Every situation of an alarm that the rules of accepting tell apart. */
interface Situation {
  armedMode: ModeId | null;
  modes: readonly ModeId[];
  onlyWhenArmed: boolean;
  engaged: 'no' | 'pending' | 'open';
}

const SITUATIONS: Situation[] = [null, 'away', 'night', 'vacation'].flatMap(armedMode =>
  [MODES, ['home', 'night'] as const, ['away'] as const].flatMap(modes =>
    [false, true].flatMap(onlyWhenArmed =>
      (['no', 'pending', 'open'] as const).map(engaged => ({
        armedMode: armedMode as ModeId | null,
        modes,
        onlyWhenArmed,
        engaged,
      })),
    ),
  ),
);

type Named = CallFacts['named'];

const CALLS: { verb: Verb; named: Named }[] = [
  ...([null, 'unknown', ...MODES] as const).flatMap(named => [
    { verb: 'arm' as const, named },
    { verb: 'trigger' as const, named },
  ]),
  { verb: 'disarm', named: null },
  { verb: 'clear', named: null },
];

test('the accept statement judges every situation of an alarm as services/domain/source.ts does', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const key = await owner.key();
  const asked: AskedCall[] = [];
  const expected: { verdict: string; mode: ModeId | null }[] = [];
  for (const situation of SITUATIONS) {
    const sourceId = await alarmIn(world, owner, situation);
    for (const { verb, named } of CALLS) {
      asked.push(call(key, { sourceId, verb, named }));
      const known = named === 'unknown' ? null : named;
      const effective = effectiveMode(known, situation.armedMode, situation.modes);
      const verdict = judge({
        key: 'valid',
        reachable: true,
        disabled: false,
        kind: 'alarm',
        verb,
        named,
        effective,
        modes: situation.modes,
        onlyWhenArmed: situation.onlyWhenArmed,
        armedMode: situation.armedMode,
        engaged: situation.engaged !== 'no',
      });
      expected.push({
        verdict,
        mode: verdict === 'accepted' && (verb === 'arm' || verb === 'trigger') ? effective : null,
      });
    }
  }

  const judged = await acceptCalls(world.store.pool, asked);
  const stored = await world.rows<{ trace_id: string; mode: ModeId | null }>('SELECT trace_id, mode FROM action');
  const modeOf = new Map(stored.map(row => [row.trace_id, row.mode]));

  expect(asked.length).toBeGreaterThan(900);
  expect(judged.map((one, i) => ({ verdict: one.verdict, mode: modeOf.get(asked[i]!.traceId) ?? null }))).toEqual(
    expected,
  );
  expect(new Set(expected.map(one => one.verdict))).toEqual(
    new Set(['accepted', 'unknown_mode', 'mode_missing', 'held_by_gate']),
  );
  expect(stored.length).toBe(expected.filter(one => one.verdict === 'accepted').length);
});

test('a waiting arm or disarm already counts: the mode of a bare call is the one that the accepted calls lead to', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const key = await owner.key();
  const sourceId = await owner.alarm();
  const modes: (string | null)[] = [];
  for (const [verb, named] of [
    ['arm', 'night'],
    ['trigger', null],
    ['arm', null],
    ['disarm', null],
    ['trigger', null],
    ['arm', 'home'],
    ['trigger', null],
  ] as const) {
    const one = call(key, { sourceId, verb, named });
    await acceptCalls(world.store.pool, [one]);
    const [row] = await world.rows<{ mode: string | null }>('SELECT mode FROM action WHERE trace_id = $1', [
      one.traceId,
    ]);
    modes.push(row!.mode);
  }
  expect(modes).toEqual(['night', 'night', 'night', null, 'away', 'home', 'home']);
});

test('key, reach and switches are judged in the order of DECISIONS.md, each before the mode word', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const outsider = await world.account();
  const alarm = await owner.alarm();
  const other = await owner.alarm();
  const panic = await owner.panicButton();
  const disabled = await owner.alarm();
  const deactivated = await owner.alarm();
  await world.rows('UPDATE source SET disabled = true WHERE id = $1', [disabled]);
  await world.rows('UPDATE source SET deactivated = true WHERE id = $1', [deactivated]);
  const key = await owner.key();
  const scoped = await owner.key(alarm);
  const revoked = await owner.keyWithId();
  await world.rows('UPDATE api_key SET revoked_at = tocsin_now() WHERE id = $1', [revoked.id]);
  const expired = await owner.keyWithId();
  await world.rows('UPDATE api_key SET expires_at = tocsin_now() WHERE id = $1', [expired.id]);
  const rotated = await owner.keyWithId();
  await world.rows("UPDATE api_key_secret SET ends_at = tocsin_now() - interval '1 s' WHERE key_id = $1", [rotated.id]);

  const verdicts: [string, string, Partial<AskedCall>][] = [
    [key, 'accepted', { sourceId: alarm }],
    [scoped, 'accepted', { sourceId: alarm }],
    [scoped, 'not_found', { sourceId: other, named: 'unknown' }],
    [scoped, 'not_found', { sourceId: panic, kind: 'panic' }],
    [key, 'accepted', { sourceId: panic, kind: 'panic' }],
    [key, 'not_found', { sourceId: panic }],
    [key, 'not_found', { sourceId: alarm, kind: 'panic' }],
    [await outsider.key(), 'not_found', { sourceId: alarm, named: 'unknown' }],
    [key, 'source_disabled', { sourceId: disabled, named: 'unknown' }],
    [key, 'source_disabled', { sourceId: deactivated }],
    [key, 'unknown_mode', { sourceId: alarm, named: 'unknown' }],
    [revoked.secret, 'key_revoked', { sourceId: alarm, named: 'unknown' }],
    [expired.secret, 'key_expired', { sourceId: alarm }],
    [rotated.secret, 'key_expired', { sourceId: alarm }],
    ['toc_never_made', 'key_unknown', { sourceId: alarm }],
  ];
  const judged = await acceptCalls(
    world.store.pool,
    verdicts.map(([secret, , over]) => call(secret, { verb: 'trigger', named: null, ...over })),
  );
  expect(judged.map(one => one.verdict)).toEqual(verdicts.map(([, verdict]) => verdict));
});

test.each([
  [false, false, 'live'],
  [true, false, 'test'],
  [false, true, 'test'],
  [true, true, 'test'],
])('own test switch %s, location test switch %s: runs %s', async (test, locationTest, environment) => {
  const world = await startWorld();
  const owner = await world.account({ locationTest });
  const sourceId = await owner.alarm({ test });
  const [judged] = await acceptCalls(world.store.pool, [
    call(await owner.key(), { sourceId, verb: 'arm', named: null }),
  ]);
  expect(judged?.environment).toBe(environment);
});

function call(secret: string, over: Partial<AskedCall>): AskedCall {
  return {
    digest: secretDigest(PEPPER, secret),
    kind: 'alarm',
    sourceId: '',
    verb: 'trigger',
    named: null,
    traceId: randomUUID(),
    gate: 'settled',
    ...over,
  };
}

async function alarmIn(world: World, owner: Owner, situation: Situation): Promise<string> {
  const id = await owner.alarm({ onlyWhenArmed: situation.onlyWhenArmed });
  const gone = MODES.filter(mode => !situation.modes.includes(mode));
  await world.store.orm.em.fork().nativeDelete(Mode, { accountId: owner.accountId, sourceId: id, id: { $in: gone } });
  const pending = situation.engaged === 'pending';
  await world.rows(
    `UPDATE source_state SET armed_mode = $2, pending_id = CASE WHEN $3 THEN 1 END,
       pending_due_at = CASE WHEN $3 THEN tocsin_now() + interval '1 h' END, pending_mode = 'away',
       pending_environment = 'live', pending_trace_id = gen_random_uuid(), pending_count = 1, pending_last_at = tocsin_now()
     WHERE source_id = $1`,
    [id, situation.armedMode, pending],
  );
  if (situation.engaged === 'open') {
    await world.rows(
      `INSERT INTO incident (account_id, id, source_id, location_id, environment, status, outcome, opened_at,
         escalation_ends_at, auto_close_at, trigger_count, last_trigger_at, trace_id, copy)
       VALUES ($1, $2, $3, $4, 'live', 'open', 'nobody_to_alert', tocsin_now(), tocsin_now(),
         tocsin_now() + interval '1 day', 1, tocsin_now(), gen_random_uuid(), '{}')`,
      [owner.accountId, `i${id.slice(1)}`, id, owner.locationId],
    );
  }
  return id;
}
