import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import type { GetTonightResponse } from '../../../gen/tocsin/console/v1/tonight_pb.ts';
import { commandLine } from '../../cli/command-line.ts';
import { consoleOf, refusal } from '../../support/console.ts';
import { tokenOf } from '../incident/incident-rig.ts';
import { all, anOwner } from './readiness-rig.ts';

/* DECISIONS.md "Tonight": one sentence that says whether somebody would be reached. */

const NOW = Date.UTC(2026, 0, 15, 20);
const DAY_MS = 86_400_000;

const shown = ({ places }: GetTonightResponse) =>
  places.map(({ name, lines }) => [
    name,
    lines.map(({ mode, standing, sources, people }) =>
      [mode, standing, sources.join('+'), ...people.map(one => `${one.name} ${one.afterS} ${one.proof}`)].join(' '),
    ),
  ]);

test('who would be told by what is armed, and by what is not if it were armed for the night', async () => {
  const { world, owner, ben, policyId, own } = await anOwner();
  await world.rows('UPDATE contact_channel SET proven_at = NULL WHERE contact_id = $1', [ben]);
  const house = await owner.alarm({ name: 'House', modes: all(policyId) });
  await owner.alarm({ name: 'Barn', modes: { away: { policyId, windowS: 30 }, night: { policyId, windowS: 30 } } });
  await owner.panicButton({ policyId });
  await world.get(`/v1/alarm/${house}/arm/away`, await owner.key());
  await world.settle();
  const told = await own.tonight.getTonight({});
  expect(shown(told)).toEqual([
    [
      'Home',
      [
        'away armed House Anna 0 fresh Ben 60 never',
        'night if_armed Barn Anna 30 fresh Ben 90 never',
        ' always Button Anna 0 fresh Ben 60 never',
      ],
    ],
  ]);
  expect(told).toMatchObject({ verdict: 'doubtful', reason: 'finding_warns', at: { seconds: BigInt(NOW / 1000) } });
  expect(told.title).toMatch(/^Tonight: Anna by email at once, Ben by email after 60 s/);
  expect(told.text).toMatch(/^Ben has never been proven\./);
});

test('nobody is told where the night has no policy; what is in the way is listed, and where it can be mended', async () => {
  const { owner, policyId, own } = await anOwner();
  const sourceId = await owner.alarm({ name: 'House', modes: { away: { policyId } } });
  const told = await own.tonight.getTonight({});
  expect(told).toMatchObject({ verdict: 'blocked', reason: 'nobody_told' });
  expect(told.title).toBe('Tonight: nobody would be told if House goes off in night mode.');
  // What the other modes lack does not concern tonight.
  expect(told.findings.filter(({ code }) => code === 'no_policy')).toMatchObject([{ mode: 'night', sourceId }]);
});

test('what is in test, switched off or deleted', async () => {
  const { world, owner, policyId, own } = await anOwner();
  expect(await own.tonight.getTonight({})).toMatchObject({ verdict: 'nothing', places: [] });
  await owner.alarm({ name: 'House', modes: all(policyId), test: true });
  expect(await own.tonight.getTonight({})).toMatchObject({ verdict: 'in_test', title: 'House is still in test.' });
  await world.rows('UPDATE source SET disabled = true');
  expect(await own.tonight.getTonight({})).toMatchObject({ verdict: 'nothing', places: [] });
});

test('one alarm or panic button can be asked about alone, in the same words', async () => {
  const { owner, policyId, own } = await anOwner();
  const house = await owner.alarm({ name: 'House', modes: all(policyId) });
  await owner.alarm({ name: 'Barn' });
  const button = await owner.panicButton({ policyId });
  const ofHouse = await own.tonight.getTonight({ sourceId: house });
  expect(shown(ofHouse)).toEqual([['Home', ['night if_armed House Anna 0 fresh Ben 60 fresh']]]);
  expect(shown(await own.tonight.getTonight({ sourceId: button }))).toEqual([
    ['Home', [' always Button Anna 0 fresh Ben 60 fresh']],
  ]);
  expect(ofHouse.findings.filter(({ sourceId }) => sourceId !== '' && sourceId !== house)).toEqual([]);
  expect(await refusal(own.tonight.getTonight({ sourceId: 'a'.repeat(32) }))).toMatchObject({ code: 'NotFound' });
});

test('a time to come can be asked, up to 31 days ahead, and nothing that is over', async () => {
  const { owner, policyId, own } = await anOwner();
  await owner.alarm({ modes: all(policyId) });
  const at = (ms: number) => own.tonight.getTonight({ at: timestampFromMs(ms) });
  const saturday = await at(NOW + DAY_MS + 7 * 3_600_000);
  expect(saturday.title).toMatch(/^3:00\sAM, Saturday, January 17 \(UTC\): Anna by email at once/);
  expect(saturday.at?.seconds).toBe(BigInt((NOW + DAY_MS + 7 * 3_600_000) / 1000));
  expect((await at(NOW - 1_000)).at?.seconds).toBe(BigInt(NOW / 1000));
  for (const wrong of [NOW - DAY_MS, NOW + 32 * DAY_MS]) {
    expect(await refusal(at(wrong))).toMatchObject({
      code: 'InvalidArgument',
      message: expect.stringContaining('31 days'),
    });
  }
});

test('another account’s people and alarms are nobody’s night', async () => {
  const { world, owner, policyId } = await anOwner();
  await owner.alarm({ modes: all(policyId) });
  const outsider = await world.account();
  const theirs = consoleOf(world, await tokenOf(world, outsider, 'Somebody'));
  expect(await theirs.tonight.getTonight({})).toMatchObject({ verdict: 'nothing', places: [], senders: 0 });
  const { key } = { key: await outsider.key() };
  expect(await refusal(consoleOf(world, key).tonight.getTonight({}))).toMatchObject({ code: 'Unauthenticated' });
});

test('the command line says it, by the clock of its machine, and ends with 1 where it is told to be strict', async () => {
  const { world, owner, policyId } = await anOwner();
  await owner.alarm({ name: 'House', modes: all(policyId) });
  const token = await tokenOf(world, owner, 'Anna’s laptop');
  const cli = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token });
  const { exit, out } = await cli.text('tonight');
  expect(exit).toBe(0);
  expect(out).toContain('Tonight: Anna by email at once');
  expect(out).toContain('  House (night, if it were armed):\n    Anna by email at once: proven by email 2026-01-15\n');
  expect(await cli.text('tonight', '--strict')).toMatchObject({ exit: 1 });
  expect((await cli.json('tonight')).json).toMatchObject({ verdict: 'doubtful', places: [{ name: 'Home' }] });
  expect(await cli.text('tonight', '--at', 'someday')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('sat 03:00'),
  });
});
