import { expect, test } from 'vitest';
import type { Call } from '../../../services/engine/accept/call.ts';
import { holdApplying } from '../../support/waiting.ts';
import { startWorld } from '../../support/world.ts';
import { aCall, anotherProcess, verdicts, waitingCalls } from './accept-rig.ts';

test('key, reach and switches are judged in the order of DECISIONS.md, each before the mode word, and remembered alike', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const outsider = await world.account();
  const alarm = await owner.alarm();
  const other = await owner.alarm();
  const panic = await owner.panicButton();
  const disabled = await owner.alarm();
  const deactivated = await owner.alarm();
  const disabledPanic = await owner.panicButton();
  await world.rows('UPDATE source SET disabled = true WHERE id = ANY ($1)', [[disabled, disabledPanic]]);
  await world.rows('UPDATE source SET deactivated = true WHERE id = $1', [deactivated]);
  const key = await owner.key();
  const scoped = await owner.key(alarm);
  const revoked = await owner.keyWithId();
  await world.rows('UPDATE api_key SET revoked_at = tocsin_now() WHERE id = $1', [revoked.id]);
  const expired = await owner.keyWithId();
  await world.rows('UPDATE api_key SET expires_at = tocsin_now() WHERE id = $1', [expired.id]);
  const rotated = await owner.keyWithId();
  await world.rows("UPDATE api_key_secret SET ends_at = tocsin_now() - interval '1 s' WHERE key_id = $1", [rotated.id]);
  const both = await owner.keyWithId();
  await world.rows('UPDATE api_key SET revoked_at = tocsin_now(), expires_at = tocsin_now() WHERE id = $1', [both.id]);
  const unknown = { modeWord: 'unknown' };

  const table: [string, string, Partial<Call>][] = [
    [key, 'accepted', { sourceId: alarm }],
    [scoped, 'accepted', { sourceId: alarm }],
    [scoped, 'not_found', { sourceId: other, ...unknown }],
    [scoped, 'not_found', { sourceId: panic, kind: 'panic_button' }],
    [scoped, 'not_found', { sourceId: disabled }],
    [key, 'accepted', { sourceId: panic, kind: 'panic_button' }],
    [key, 'accepted', { sourceId: panic, kind: 'panic_button', verb: 'clear' }],
    [key, 'not_found', { sourceId: panic }],
    [key, 'not_found', { sourceId: alarm, kind: 'panic_button' }],
    [key, 'not_found', { sourceId: 'a'.repeat(32), ...unknown }],
    [key, 'not_found', { sourceId: "'; DROP TABLE source; --\0" }],
    [await outsider.key(), 'not_found', { sourceId: alarm, ...unknown }],
    [key, 'source_disabled', { sourceId: disabled, ...unknown }],
    [key, 'source_disabled', { sourceId: deactivated }],
    [key, 'source_disabled', { sourceId: disabledPanic, kind: 'panic_button' }],
    [key, 'unknown_mode', { sourceId: alarm, ...unknown }],
    [key, 'unknown_mode', { sourceId: alarm, modeWord: 'Away' }],
    [key, 'unknown_mode', { sourceId: alarm, modeWord: '' }],
    [revoked.secret, 'key_revoked', { sourceId: alarm, ...unknown }],
    [both.secret, 'key_revoked', { sourceId: alarm }],
    [expired.secret, 'key_expired', { sourceId: alarm }],
    [rotated.secret, 'key_expired', { sourceId: alarm }],
    ['toc_never_made', 'key_unknown', { sourceId: alarm }],
    [`${key}x`, 'key_unknown', { sourceId: alarm }],
    ['', 'key_unknown', { sourceId: alarm }],
  ];
  await holdApplying(world.databaseUrl);
  const accept = anotherProcess(world);
  for (const memory of ['empty', 'remembered']) {
    const judged = await Promise.all(table.map(([secret, , over]) => accept(aCall(secret, over))));
    expect(verdicts(judged), memory).toEqual(table.map(([, verdict]) => verdict));
  }
  expect((await waitingCalls(world)).size).toBe(2 * table.filter(([, verdict]) => verdict === 'accepted').length);
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
  await holdApplying(world.databaseUrl);
  const [key, accept] = [await owner.key(), anotherProcess(world)];
  for (const _memory of ['empty', 'remembered']) {
    const judged = await accept(aCall(key, { sourceId, verb: 'arm' }));
    expect(judged).toEqual({ verdict: 'accepted', environment, location: { id: owner.locationId, name: 'Home' } });
  }
  const stored = [...(await waitingCalls(world)).values()].map(call => call.environment);
  expect(stored).toEqual([environment, environment]);
});
