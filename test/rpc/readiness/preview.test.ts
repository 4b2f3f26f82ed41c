import { describe, expect, test } from 'vitest';
import type { ModeId } from '../../../services/domain/mode.ts';
import { refusal } from '../../support/console.ts';
import { WAITING_CALLS } from '../../support/waiting.ts';
import { all, anOwner } from './readiness-rig.ts';

describe('the preview of a trigger', () => {
  const shown = (deliveries: readonly { afterS: number; contactName: string; channel: string; outcome: string }[]) =>
    deliveries.map(one => `${one.afterS} ${one.contactName} ${one.channel} ${one.outcome}`);

  test('live: who would be told when, window included, and what would become of each message', async () => {
    const { owner, policyId, readiness } = await anOwner();
    const sourceId = await owner.alarm({ modes: { away: { policyId, windowS: 30 } } });
    const told = await readiness.preview({ sourceId });
    expect(told).toMatchObject({
      verdict: 'fires',
      mode: 'away',
      environment: 'live',
      windowS: 30,
      policyName: 'A policy',
      escalationEndsS: 90,
    });
    expect(shown(told.deliveries)).toEqual(['30 Anna email sent', '90 Ben email sent', '90 Ben text no_carrier']);
  });

  test('it tells what then happens: the same messages at the same times, in test', async () => {
    const { world, owner, policyId, readiness } = await anOwner();
    const sourceId = await owner.alarm({ test: true, modes: { away: { policyId, windowS: 30 } } });
    const told = await readiness.preview({ sourceId });
    await world.get(`/v1/alarm/${sourceId}/trigger`, await owner.key());
    await world.settle();
    await world.advance(30);
    const [incident] = await owner.incidents();
    const triggeredAt = Number(incident!.openedAt!.seconds) - 30;
    expect(told.deliveries.map(({ afterS, contactName, channel }) => [afterS, contactName, channel])).toEqual(
      incident!.deliveries.map(({ dueAt, contactName, channel }) => [
        Number(dueAt!.seconds) - triggeredAt,
        contactName,
        channel,
      ]),
    );
    expect(told.deliveries.map(({ outcome }) => outcome)).toEqual(['suppressed', 'suppressed', 'no_carrier']);
    expect(incident!.deliveries.map(({ reason }) => reason)).toEqual(['', '', 'no_carrier']);
  });

  test('the mode is the one that a bare trigger would take now, or the one that is named', async () => {
    const { world, owner, policyId, readiness } = await anOwner();
    const sourceId = await owner.alarm({ modes: { night: { policyId } } });
    const key = await owner.key();
    const modeOf = async (mode = '') => {
      const told = await readiness.preview({ sourceId, mode });
      return [told.mode, told.policyName];
    };
    expect(await modeOf()).toEqual(['away', '']);
    expect(await modeOf('night')).toEqual(['night', 'A policy']);
    await world.get(`/v1/alarm/${sourceId}/arm/night`, key);
    await world.settle();
    expect(await modeOf()).toEqual(['night', 'A policy']);
  });

  test('why a trigger would be refused, and that a further one would join; then nobody is listed, but for one that it holds only until it is armed', async () => {
    const { world, owner, policyId, readiness } = await anOwner();
    const key = await owner.key();
    const verdict = async (sourceId: string, mode = '') => {
      const told = await readiness.preview({ sourceId, mode });
      if (told.verdict !== 'fires' && told.verdict !== 'held_by_gate')
        expect([told.deliveries, told.escalationEndsS]).toEqual([[], 0]);
      return told.verdict;
    };
    const gated = await owner.alarm({ onlyWhenArmed: true, modes: all(policyId) });
    expect(await verdict(gated)).toBe('held_by_gate');
    expect((await readiness.preview({ sourceId: gated })).deliveries).not.toEqual([]);
    await world.get(`/v1/alarm/${gated}/arm/home`, key);
    expect(await verdict(gated)).toBe('fires');

    const open = await owner.alarm({ modes: all(policyId) });
    await world.get(`/v1/alarm/${open}/trigger`, key);
    await world.settle();
    expect(await verdict(open)).toBe('folds');
    const waiting = await owner.alarm({ modes: all(policyId, 30) });
    await world.get(`/v1/alarm/${waiting}/trigger`, key);
    await world.settle();
    expect(await verdict(waiting)).toBe('folds');
    // Disarmed and gated, but a trigger waits that it can join.
    await world.rows('UPDATE source SET only_when_armed = true WHERE id = $1', [waiting]);
    expect(await verdict(waiting)).toBe('folds');

    const bare = await owner.alarm({ modes: all(policyId) });
    await world.rows("DELETE FROM mode WHERE source_id = $1 AND id = 'away'", [bare]);
    expect([await verdict(bare), await verdict(bare, 'night')]).toEqual(['mode_missing', 'fires']);
    await world.rows('UPDATE source SET disabled = true WHERE id = $1', [bare]);
    expect(await verdict(bare, 'night')).toBe('source_disabled');
  });

  test('a live trigger would take the place of an open rehearsal, and says so', async () => {
    const { world, owner, policyId, readiness } = await anOwner();
    const sourceId = await owner.alarm({ test: true, modes: all(policyId) });
    await world.get(`/v1/alarm/${sourceId}/trigger`, await owner.key());
    await world.settle();
    expect((await readiness.preview({ sourceId })).verdict).toBe('folds');
    await world.rows('UPDATE source SET test = false');
    expect((await readiness.preview({ sourceId })).verdict).toBe('fires');
  });

  test('a panic button has no mode and no window; a word that is no mode is refused by name', async () => {
    const { owner, policyId, readiness } = await anOwner();
    const button = await owner.panicButton({ policyId });
    const told = await readiness.preview({ sourceId: button });
    expect(told).toMatchObject({ verdict: 'fires', mode: '', windowS: 0, escalationEndsS: 60 });
    expect(shown(told.deliveries)).toEqual(['0 Anna email sent', '60 Ben email sent', '60 Ben text no_carrier']);
    const alarm = await owner.alarm();
    expect((await refusal(readiness.preview({ sourceId: alarm, mode: 'Away' }))).fields).toEqual({
      mode: 'takes home, away, night, vacation, or nothing, got "Away".',
    });
    expect((await refusal(readiness.preview({ sourceId: button, mode: 'away' }))).code).toBe('InvalidArgument');
  });

  test('it fires and writes nothing', async () => {
    const { world, owner, policyId, readiness } = await anOwner();
    const sourceId = await owner.alarm({ modes: all(policyId) });
    const written = () =>
      world.rows(`SELECT (SELECT count(*) FROM (${WAITING_CALLS}) w) AS waiting, (SELECT count(*) FROM call_log) AS calls,
        (SELECT count(*) FROM incident) AS incidents, (SELECT count(*) FROM delivery) AS deliveries,
        (SELECT json_agg(st) FROM source_state st) AS states`);
    const before = await written();
    for (const mode of ['', 'away', 'night'] satisfies (ModeId | '')[]) {
      expect((await readiness.preview({ sourceId, mode })).deliveries.length).toBe(3);
    }
    await world.settle();
    expect(await written()).toEqual(before);
  });
});
