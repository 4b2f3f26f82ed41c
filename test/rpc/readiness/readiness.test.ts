import { describe, expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../../gen/tocsin/console/v1/readiness_pb.ts';
import { consoleOf, refusal } from '../../support/console.ts';
import type { Owner } from '../../support/owner.ts';
import { startSmtp } from '../../support/smtp.ts';
import { startWorld } from '../../support/world.ts';
import { tokenOf } from '../incident/incident-rig.ts';
import { all, anOwner, ownerIn } from './readiness-rig.ts';

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

test('asked for what would be in the way once live: of a source in test, the links that nobody else can open', async () => {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const world = await startWorld({ publicUrl: 'http://localhost:8080', smtpUrl: smtp.url });
  const { owner, policyId, readiness } = await ownerIn(world, { locationTest: true });
  const sourceId = await owner.panicButton({ policyId, test: true });
  const codes = async (whenLive: boolean) =>
    (await readiness.getReadiness({ sourceId, whenLive })).sources[0]!.findings.filter(
      ({ severity }) => severity === 'blocks',
    ).map(({ code }) => code);
  expect(await codes(false)).toEqual(['in_test']);
  expect(await codes(true)).toEqual(['links_unreachable']);
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
  // What mends it, for pages that lead there.
  const { locationId } = owner;
  const mends = { sourceId, sourceKind: 'panic_button', locationId, policyId, contactId: ben };
  expect(findings[0]).toMatchObject({ ...mends, channel: '' });
  expect(findings.slice(1)).toMatchObject([mends, mends]);
  expect(findings[1]!.channel).not.toBe('');
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
    fix: 'Change to the paid plan before then.',
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
    fix: 'Change to the paid plan before then, or disable what you need least.',
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
