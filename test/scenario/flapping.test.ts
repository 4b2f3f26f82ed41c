import { expect, test } from 'vitest';
import type { Owner } from '../support/owner.ts';
import { startTwilio } from '../support/twilio.ts';
import { startWorld, type World } from '../support/world.ts';

const NUMBER = '+12025550101';

/** A world whose texts go to a carrier, with an account whose alarm and button text Anna at once. */
async function aHouse() {
  const twilio = await startTwilio();
  const world = await startWorld({ carriers: { twilio: twilio.settings } });
  const house = await withTexts(world, NUMBER);
  return { world, ...house, textsTo: (number: string) => twilio.messages.filter(({ fields }) => fields.To === number) };
}

async function withTexts(world: World, number: string) {
  const owner: Owner = await world.account();
  const contactId = await owner.contact('Anna', { text: number });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['text'] }] }]);
  const key = await owner.key();
  return {
    owner,
    key,
    alarm: await owner.alarm({ modes: { away: { policyId } } }),
    button: await owner.panicButton({ policyId }),
  };
}

/** Triggers and clears so many times, two seconds apart. */
async function flap(world: World, path: string, key: string, times: number) {
  for (let nth = 0; nth < times; nth++) {
    for (const verb of ['trigger', 'clear']) {
      expect((await world.get(`/v1/${path}/${verb}`, key)).status).toBe(202);
      await world.settle();
    }
    await world.advance(2);
  }
}

test('a sensor that flaps opens its incidents and texts nobody more often than a person can bear; the neighbour is told', async () => {
  const { world, owner, alarm, key, textsTo } = await aHouse();
  await flap(world, `alarm/${alarm}`, key, 30);
  expect(await owner.incidents()).toHaveLength(30);
  expect(textsTo(NUMBER)).toHaveLength(5);

  const neighbour = await withTexts(world, '+12025550102');
  await world.get(`/v1/alarm/${neighbour.alarm}/trigger`, neighbour.key);
  await world.settle();
  expect(textsTo('+12025550102')).toHaveLength(1);
});

test('an incident that stays open for 30 s is no flapping: its message goes, and says how many more there were', async () => {
  const { world, alarm, key, textsTo } = await aHouse();
  await flap(world, `alarm/${alarm}`, key, 12);
  await world.get(`/v1/alarm/${alarm}/trigger`, key);
  await world.settle();
  expect(textsTo(NUMBER)).toHaveLength(5);
  await world.advance(29);
  expect(textsTo(NUMBER)).toHaveLength(5);
  await world.advance(1);
  expect(textsTo(NUMBER)).toHaveLength(6);
  expect(textsTo(NUMBER).at(-1)!.fields.Body).toContain('and 7 more within 10 min');
});

test('every press of a panic button is told, however often it is pressed', async () => {
  const { world, button, key, textsTo } = await aHouse();
  await flap(world, `panic/${button}`, key, 8);
  expect(textsTo(NUMBER)).toHaveLength(8);
});
