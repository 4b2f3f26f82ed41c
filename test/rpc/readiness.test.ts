import { describe, expect, test } from 'vitest';
import type { Finding } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import type { ModeId } from '../../services/domain/mode.ts';
import { consoleOf, refusal } from '../support/console.ts';
import { WAITING_CALLS } from '../support/waiting.ts';
import type { Owner } from '../support/world.ts';
import { tokenOf } from './incident-rig.ts';
import { anOwner } from './readiness-rig.ts';

const all = (policyId: string, windowS = 0) => {
  const mode = { policyId, windowS };
  return { home: mode, away: mode, night: mode, vacation: mode };
};

const told = (findings: readonly Finding[]) =>
  findings.map(({ severity, code, mode }) => `${severity} ${code} ${mode}`.trim());

test('every source in the order of creation with what stands against it, and how many are ready', async () => {
  const { owner, policyId, readiness } = await anOwner({ address: '' });
  const ready = await owner.alarm({ name: 'House', modes: all(policyId) });
  const unbound = await owner.alarm({ name: 'Barn', modes: { away: { policyId } }, test: true });
  const button = await owner.panicButton({ policyId });
  const { sources, total, ready: count, at } = await readiness.getReadiness({});
  expect({ total, count, at: at?.seconds }).toEqual({
    total: 3,
    count: 2,
    at: BigInt(Date.UTC(2026, 0, 15, 20) / 1000),
  });
  expect(sources.map(({ sourceId, name, kind, verdict }) => [sourceId, name, kind, verdict])).toEqual([
    [ready, 'House', 'alarm', 'warns'],
    [unbound, 'Barn', 'alarm', 'blocks'],
    [button, 'Button', 'panic_button', 'warns'],
  ]);
  const noText = (mode: string) => `warns no_carrier ${mode}`.trim();
  expect(sources.map(({ findings }) => told(findings))).toEqual([
    ['home', 'away', 'night', 'vacation'].map(noText).concat('notes no_location_address'),
    [
      'blocks no_policy home',
      'blocks no_policy night',
      'blocks no_policy vacation',
      'blocks in_test',
      noText('away'),
      'notes no_location_address',
    ],
    [noText(''), 'notes no_location_address'],
  ]);
  expect(sources[1]!.findings.every(({ sourceId, sourceName }) => sourceId === unbound && sourceName === 'Barn')).toBe(
    true,
  );
});

test('one source by its id or its key, an alarm before a panic button; deleted ones are gone', async () => {
  const { world, owner, policyId, readiness } = await anOwner();
  const alarm = await owner.alarm({ modes: all(policyId) });
  const button = await owner.panicButton({ policyId });
  await world.rows("UPDATE source SET key = 'front'");
  const one = async (sourceId: string) => (await readiness.getReadiness({ sourceId })).sources.map(one => one.sourceId);
  expect([await one(alarm), await one(button), await one('front')]).toEqual([[alarm], [button], [alarm]]);
  await world.rows('UPDATE source SET deleted_at = tocsin_now(), disabled = true WHERE id = $1', [alarm]);
  expect(await one('front')).toEqual([button]);
  expect((await readiness.getReadiness({})).total).toBe(1);
  expect(await refusal(one(alarm))).toMatchObject({ code: 'NotFound' });
});

test('a channel that its owner switched off is no address, and a contact’s trouble is told with its name', async () => {
  const { world, owner, ben, policyId, readiness } = await anOwner();
  const sourceId = await owner.panicButton({ policyId });
  await world.rows("UPDATE contact_channel SET disabled_reason = 'abroad' WHERE contact_id = $1", [ben]);
  const { findings } = (await readiness.getReadiness({ sourceId })).sources[0]!;
  expect(told(findings)).toEqual([
    'warns no_reachable_contact',
    'warns no_address_for_channel',
    'warns no_address_for_channel',
  ]);
  expect(findings[0]!.problem).toContain('step 2 of the policy "A policy": not Ben');
});

test('an account without sources is empty, and the plan of the account is asked for', async () => {
  const { owner, ben, readiness } = await anOwner({ plan: 'free' });
  expect(await readiness.getReadiness({})).toMatchObject({ sources: [], total: 0, ready: 0 });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: ben, channels: ['email', 'text'] }] }]);
  await owner.panicButton({ policyId });
  const found = async () => told((await readiness.getReadiness({})).sources[0]!.findings);
  expect(await found()).toContain('notes plan_ends');
});

test('what the end of the first 14 days will switch off stands in one line, until they end (DECISIONS.md "Downgrade")', async () => {
  const { world, owner, readiness } = await anOwner({ plan: 'free' });
  const paid = await world.account({ plan: 'paid' });
  const beside = consoleOf(world, await tokenOf(world, paid, 'Beside')).readiness;
  const channels = ['text', 'call'];
  const ends = { at: { seconds: BigInt(Date.UTC(2026, 0, 29, 20) / 1000) }, channels };
  expect((await readiness.getReadiness({})).firstDaysEnd).toMatchObject({
    ...ends,
    sources: 0,
    problem:
      'The first 14 days of the account end at 2026-01-29 20:00 UTC: then the free plan switches off messages by text and call.',
    fix: 'Change to the paid plan before.',
  });
  await owner.panicButton({ name: 'Tried', test: true });
  const asked = await owner.panicButton({ name: 'A' });
  for (const name of ['B', 'C', 'D', 'E', 'F', 'G', 'H']) await owner.panicButton({ name });
  // Asked for one source, it is told all the same: it is the account's.
  expect((await readiness.getReadiness({ sourceId: asked })).firstDaysEnd).toMatchObject({
    ...ends,
    sources: 6,
    problem:
      'The first 14 days of the account end at 2026-01-29 20:00 UTC: then the free plan switches off messages by text and call, ' +
      'and Tried, D, E, F, G, 1 more (it covers 3 alarms and panic buttons together).',
    fix: 'Change to the paid plan before, or disable what you need least.',
  });
  for (let n = 0; n < 4; n++) await paid.panicButton({});
  expect((await beside.getReadiness({})).firstDaysEnd).toBeUndefined();
  await world.advance(14 * 24 * 3600);
  expect((await readiness.getReadiness({})).firstDaysEnd).toBeUndefined();
});

describe('the answer to a change shows what still stands against the sources that it concerns', () => {
  test('those that stand on what was changed, and no others', async () => {
    const { world, owner, anna, ben, policyId, own } = await anOwner();
    const cleo = await owner.contact('Cleo', {});
    const second = await owner.policy([{ delayS: 0, contacts: [{ contactId: ben, channels: ['email'] }] }]);
    const house = await owner.alarm({ name: 'House', modes: { away: { policyId }, night: { policyId: second } } });
    const barn = await owner.alarm({ name: 'Barn', modes: all(second) });
    const button = await owner.panicButton({ policyId, test: true });
    const deleted = await owner.alarm({ modes: all(policyId) });
    await world.rows('UPDATE source SET deleted_at = tocsin_now(), disabled = true WHERE id = $1', [deleted]);
    const concerned = async (answer: Promise<{ findings: Finding[] }>) =>
      [...new Set((await answer).findings.map(({ sourceId }) => sourceId))].sort();
    const changed = { name: 'Changed', version: 1 };
    const updateMask = { paths: ['name'] };
    const { locations, contacts, policies, alarms, panicButtons } = own;
    const ofContact = (id: string) => concerned(contacts.updateContact({ contact: { ...changed, id }, updateMask }));

    const location = { ...changed, id: owner.locationId };
    expect(await concerned(locations.updateLocation({ location, updateMask }))).toEqual([house, barn, button].sort());
    expect(await ofContact(ben)).toEqual([house, barn, button].sort());
    expect(await ofContact(anna)).toEqual([house, button].sort());
    expect(await ofContact(cleo)).toEqual([]);
    const policy = { ...changed, id: second };
    expect(await concerned(policies.updatePolicy({ policy, updateMask }))).toEqual([house, barn].sort());
    expect(await concerned(alarms.updateAlarm({ alarm: { ...changed, id: barn }, updateMask }))).toEqual([barn]);
    const panicButton = { ...changed, id: button };
    expect(await concerned(panicButtons.updatePanicButton({ panicButton, updateMask }))).toEqual([button]);
  });

  test('worst first, at most 50', async () => {
    const { owner, policyId, own } = await anOwner({ address: '' });
    for (let nth = 0; nth < 13; nth++) await owner.alarm({ modes: { away: { policyId } } });
    const location = { id: owner.locationId, version: 1, name: 'Cottage' };
    const { findings } = await own.locations.updateLocation({ location, updateMask: { paths: ['name'] } });
    expect(findings.map(({ severity }) => severity)).toEqual([...Array(39).fill('blocks'), ...Array(11).fill('warns')]);
  });
});

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
    expect(told.deliveries.map(({ outcome }) => outcome)).toEqual(Array(3).fill('suppressed'));
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

test('an outsider sees none of it, and hears the same words as about what is not there', async () => {
  const { world, owner, policyId } = await anOwner();
  const sourceId = await owner.alarm({ modes: all(policyId) });
  await world.rows("UPDATE source SET key = 'front'");
  const outsider: Owner = await world.account();
  const theirs = consoleOf(world, await tokenOf(world, outsider, 'Somebody else')).readiness;
  const noSuch = { code: 'NotFound', message: 'There is no such alarm or panic button in this account.' };
  for (const named of [sourceId, 'front', 'a'.repeat(32)]) {
    expect(await refusal(theirs.getReadiness({ sourceId: named }))).toMatchObject(noSuch);
    expect(await refusal(theirs.preview({ sourceId: named }))).toMatchObject(noSuch);
  }
  expect(await theirs.getReadiness({})).toMatchObject({ sources: [], total: 0 });
  for (const token of ['', await owner.key()]) {
    const nobody = consoleOf(world, token).readiness;
    expect(await refusal(nobody.getReadiness({}))).toMatchObject({ code: 'Unauthenticated' });
    expect(await refusal(nobody.preview({ sourceId }))).toMatchObject({ code: 'Unauthenticated' });
  }
});
