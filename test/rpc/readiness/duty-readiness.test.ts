import { timestampDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { aShop, DAY_S } from '../../scenario/duty-rig.ts';
import { consoleOf } from '../../support/console.ts';

test('a time in which nobody on duty can be reached is found before it comes', async () => {
  const { own, owner, world, people, alarm, friday, stop } = await aShop();
  const found = async (who = own) => {
    const { sources } = await who.readiness.getReadiness({ sourceId: alarm });
    return sources[0]!.findings.filter(({ code }) => code === 'duty_unreachable');
  };
  expect(await found()).toEqual([]);
  await world.rows('UPDATE contact_channel SET verified_at = NULL WHERE contact_id = $1', [people.Mia]);
  const [finding, ...more] = await found();
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ severity: 'warns', contactId: people.Mia, mode: 'away' });
  expect(finding!.dutyId).toMatch(/^[a-z0-9]{32}$/);
  const saturday = friday + 12 * 3_600_000;
  expect(timestampDate(finding!.from!).getTime()).toBe(saturday);
  expect(timestampDate(finding!.until!).getTime()).toBe(saturday + 7 * DAY_S * 1_000);
  expect(finding!.problem).toMatch(
    /^Nobody who is on duty as "shop-phone" can be reached from .* 08:00 \(Europe\/Vienna\)/,
  );
  const [german] = await found(consoleOf(world, world.operator, owner.accountId, 'de'));
  expect(german!.problem).toMatch(/ist niemand zu erreichen/);
  // A cover mends it.
  await own.duties.cover({
    dutyId: 'shop-phone',
    from: finding!.from!,
    until: finding!.until!,
    contactIds: [people.Lea],
  });
  expect(await found()).toEqual([]);
  await stop();
});

test('a change of a duty answers with what is the matter then', async () => {
  const { own, owner, duty, stop } = await aShop();
  const nobody = await owner.contact('Nobody', {});
  const { findings } = await own.duties.updateDuty({
    duty: { id: duty.id, version: duty.version, otherwise: { contactIds: [nobody] }, hours: [] },
    updateMask: { paths: ['otherwise', 'hours'] },
  });
  expect(findings.map(({ code }) => code)).toContain('duty_unreachable');
  expect(findings.map(({ code }) => code)).toContain('no_reachable_contact');
  await stop();
});
