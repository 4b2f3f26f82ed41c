import { timestampDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { refusal } from '../support/console.ts';
import { aShop, DAY_S, HOUR_S } from './duty-rig.ts';

test('before the change of a turn the one is told, after it the other', async () => {
  const { act, told, world, owner, friday, stop } = await aShop();
  await act('trigger');
  await act('clear');
  await world.advance(12 * HOUR_S);
  await act('trigger');
  expect(told()).toEqual(['noah', 'mia']);
  const [later, before] = await owner.incidents();
  expect(before!.deliveries).toMatchObject([{ contactName: 'Noah', dutyName: 'shop-phone' }]);
  expect(timestampDate(before!.deliveries[0]!.onDutyUntil!).getTime()).toBe(friday + 12 * HOUR_S * 1_000);
  expect(later!.deliveries).toMatchObject([{ contactName: 'Mia', dutyName: 'shop-phone' }]);
  await stop();
});

test('a step after the change tells whoever is on duty then', async () => {
  const { act, told, world, stop } = await aShop({ againAfterS: 12 * HOUR_S });
  await act('trigger');
  expect(told()).toEqual(['noah']);
  await world.advance(12 * HOUR_S);
  expect(told()).toEqual(['noah', 'mia']);
  await stop();
});

test('rounds after the change too', async () => {
  const { act, told, world, own, policy, stop } = await aShop();
  await own.policies.updatePolicy({
    policy: { id: policy.id, version: policy.version, repeat: 2, repeatDelayS: 11 * HOUR_S },
    updateMask: { paths: ['repeat', 'repeat_delay_s'] },
  });
  await act('trigger');
  await world.advance(11 * HOUR_S);
  await world.advance(11 * HOUR_S);
  expect(told()).toEqual(['noah', 'noah', 'mia']);
  await stop();
});

test('what is changed afterwards changes nothing that is planned', async () => {
  const { act, told, world, own, duty, people, stop } = await aShop({ againAfterS: HOUR_S });
  await act('trigger');
  await own.duties.updateDuty({
    duty: { id: duty.id, version: duty.version, otherwise: { contactIds: [people.Lea] } },
    updateMask: { paths: ['hours', 'otherwise'] },
  });
  await world.advance(HOUR_S);
  expect(told()).toEqual(['noah', 'noah']);
  await act('clear');
  await act('trigger');
  expect(told()).toEqual(['noah', 'noah', 'lea']);
  await stop();
});

test('who is on a duty cannot be deleted, nor a duty that a policy names', async () => {
  const { act, told, own, people, policy, stop } = await aShop();
  expect(await refusal(own.contacts.deleteContact({ contactId: people.Noah }))).toMatchObject({
    code: 'FailedPrecondition',
    users: ['duty shop-phone'],
  });
  expect(await refusal(own.duties.deleteDuty({ dutyId: 'shop-phone' }))).toMatchObject({
    code: 'FailedPrecondition',
    users: ['policy shop'],
  });
  await act('trigger');
  expect(told()).toEqual(['noah']);
  await own.policies.updatePolicy({
    policy: {
      id: policy.id,
      version: policy.version,
      steps: [{ contacts: [{ contactId: people.Lea, channels: ['email'] }] }],
    },
    updateMask: { paths: ['steps'] },
  });
  await own.duties.deleteDuty({ dutyId: 'shop-phone' });
  await own.contacts.deleteContact({ contactId: people.Noah });
  await stop();
});

test('somebody named by name and by duty in one step is told once', async () => {
  const { act, told, own, policy, people, stop } = await aShop();
  const contacts = [
    { contactId: people.Noah, channels: ['email'] },
    { dutyId: 'shop-phone', channels: ['email'] },
  ];
  await own.policies.updatePolicy({
    policy: { id: policy.id, version: policy.version, steps: [{ contacts }] },
    updateMask: { paths: ['steps'] },
  });
  await act('trigger');
  expect(told()).toEqual(['noah']);
  await stop();
});

test('two who swap a weekend', async () => {
  const { act, told, world, own, friday, stop } = await aShop();
  const at = (days: number) => ({ seconds: BigInt(friday / 1_000 + days * DAY_S), nanos: 0 });
  const { duty } = await own.duties.swap({ dutyId: 'shop-phone', at: at(0), withAt: at(1), note: 'A wedding' });
  expect(duty!.except).toMatchObject([{ note: 'A wedding' }, { note: 'A wedding' }]);
  await act('trigger');
  await act('clear');
  await world.advance(12 * HOUR_S);
  await act('trigger');
  await act('clear');
  await world.advance(7 * DAY_S);
  await act('trigger');
  expect(told()).toEqual(['mia', 'noah', 'noah']);
  await stop();
});

test('hours narrow the channels, and never silence', async () => {
  const { act, own, duty, people, owner, stop } = await aShop();
  const set = (channels: string[]) =>
    own.duties.getDuty({ dutyId: duty.id }).then(({ duty }) =>
      own.duties.updateDuty({
        duty: { id: duty!.id, version: duty!.version, hours: [{ who: { contactIds: [people.Noah] }, channels }] },
        updateMask: { paths: ['hours'] },
      }),
    );
  const { policy } = await own.policies.getPolicy({ policyId: 'shop' });
  const steps = [{ contacts: [{ dutyId: 'shop-phone', channels: ['email', 'webhook'] }] }];
  await own.policies.updatePolicy({
    policy: { id: policy!.id, version: policy!.version, steps },
    updateMask: { paths: ['steps'] },
  });
  const channels = async () => {
    await act('trigger');
    const incident = (await owner.incidents()).find(({ status }) => status === 'open');
    await act('clear');
    return incident!.deliveries.filter(({ insteadOf }) => insteadOf === '').map(({ channel }) => channel);
  };
  await set(['email']);
  expect(await channels()).toEqual(['email']);
  await set(['call']);
  expect(await channels()).toEqual(['email', 'webhook']);
  await stop();
});

test('preview and rehearsal say who would be told, and for which duty', async () => {
  const { own, alarm, world, stop } = await aShop({ againAfterS: 12 * HOUR_S });
  const { deliveries } = await own.readiness.preview({ sourceId: alarm });
  expect(deliveries).toMatchObject([
    { contactName: 'Noah', dutyName: 'shop-phone' },
    { contactName: 'Mia', dutyName: 'shop-phone' },
  ]);
  await world.rows('UPDATE source SET test = true');
  const rehearsing = own.drills.rehearse({ sourceId: alarm });
  for (let nth = 0; nth < 20; nth++) await world.settle();
  const { lines } = await rehearsing;
  expect(lines.map(({ text }) => text).join('\n')).toMatch(/Noah \(on duty as "shop-phone"\)[\s\S]*Mia \(on duty/);
  await stop();
});
