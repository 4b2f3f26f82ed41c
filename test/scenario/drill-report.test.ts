import { createHash } from 'node:crypto';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { expect, onTestFinished, test } from 'vitest';
import { setAhead } from '../../services/process/wall-clock.ts';
import { aDrilledHome, DAY } from './drill-rig.ts';

/* What the report says of drills, and what it does not (DECISIONS.md "Report of proofs"). */

type Home = Awaited<ReturnType<typeof aDrilledHome>>;

const reported = async ({ console }: Home) =>
  (await console.drills.listProofs({ month: '2026-01' })).proofs.map(({ kind, channel }) => `${kind} ${channel}`);

const newest = async ({ world }: Home) =>
  (
    await world.rows<{ id: string }>("SELECT id FROM incident WHERE environment = 'drill' ORDER BY seq DESC LIMIT 1")
  )[0]!.id;

test('a drill that was sent and not answered within a day is a row', async () => {
  const home = await aDrilledHome();
  await home.world.settle();
  await home.world.advance(DAY);
  expect(await reported(home)).toEqual(['unanswered text']);
});

test('one that reached nobody is none: it says nothing of the person', async () => {
  const home = await aDrilledHome();
  const { world, smtp, drills } = home;
  await world.rows("DELETE FROM contact_channel WHERE channel <> 'email'");
  await smtp.stop();
  await world.settle();
  for (let day = 0; day < 5; day++) await world.advance(DAY);
  expect((await drills()).slice(0, 2)).toEqual(['email closed Fri 10:00', 'email closed Mon 10:00']);
  expect(await reported(home)).toEqual([]);
  expect((await home.console.accounts.listNotices({})).notices.filter(({ kind }) => kind === 'drill_missed')).toEqual(
    [],
  );
});

test('one that somebody closed in the console before its time is none', async () => {
  const home = await aDrilledHome();
  await home.world.settle();
  await home.console.incidents.close({ incidentId: await newest(home) });
  await home.world.advance(DAY);
  expect(await reported(home)).toEqual([]);
});

test('acknowledging in the console is no answer of the person: the drill comes again', async () => {
  const home = await aDrilledHome();
  const { world, console, drills } = home;
  await world.settle();
  await console.incidents.acknowledge({ incidentId: await newest(home), by: 'Anna' });
  for (let day = 0; day < 3; day++) await world.advance(DAY);
  expect(await drills()).toEqual(['text closed Fri 10:00 console', 'email open Mon 10:00']);
  expect(await reported(home)).toEqual(['unanswered text']);
});

test('the digests follow from the times that are shown, however far clocks are from the time of the deployment', async () => {
  const { world, tokens, responder, console } = await aDrilledHome();
  await world.settle();
  const [token] = await tokens();
  await responder.acknowledgeByLink({ token: token! });
  onTestFinished(() => setAhead(0));
  setAhead(90_000);
  const { before, proofs } = await console.drills.listProofs({ month: '2026-01' });
  const [row] = proofs;
  const times = [row!.at!, row!.askedAt!].map(time => timestampDate(time).toISOString());
  const { kind, occasion, incidentId, contactId, contactName, channel } = row!;
  const said = JSON.stringify([before, 1, ...times, kind, occasion, incidentId, contactId, contactName, channel]);
  expect(createHash('sha256').update(said).digest('hex')).toBe(row!.digest);
});

test('a drill cannot be closed over its link, as its page says', async () => {
  const { world, tokens, responder, drills } = await aDrilledHome();
  await world.settle();
  const [token] = await tokens();
  await expect(responder.closeByLink({ token: token! })).rejects.toThrow(/A drill cannot be closed/);
  expect(await drills()).toEqual(['text open Fri 10:00']);
});
