import { expect, test } from 'vitest';
import { RECIPES } from '../../facade/recipes/recipes.ts';
import { startNodeRed } from '../support/node-red.ts';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';

/** The first time Node-RED has to be fetched. */
test.each([
  'alarm',
  'panic_button',
] as const)('Node-RED itself loads the recipe for what is of the kind %s, and fires it', async kind => {
  const world = await startWorld();
  const owner = await world.account();
  const id = kind === 'alarm' ? await owner.alarm() : await owner.panicButton();
  const of = { kind, id, name: 'House "1"', key: 'front-door', base: world.url, secret: await owner.key() };
  const { press } = await startNodeRed(RECIPES['node-red'](of).text);
  await press('tocsin_front_door_try');
  await eventually(
    async () => {
      await world.settle();
      return (await owner.incidents()).length > 0;
    },
    { what: 'the flow to fire' },
  );
  expect(await owner.incidents()).toMatchObject([{ sourceId: id, status: 'open', triggerCount: 1 }]);
}, 400_000);
