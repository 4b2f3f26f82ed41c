import { expect, test } from 'vitest';
import { changed, startConfigured, told } from './configuration-rig.ts';

const PEOPLE = Array.from({ length: 20 }, (_, nth) => `p${nth}`);

/** A file of twenty people, and a policy that tells them all over all channels: a hundred messages a step and round. */
function fileOf({ steps = 1, repeat = 0, name = 'All', place = 'Home' }): string {
  const contacts = PEOPLE.map(key => `{ contact: ${key}, channels: [text, call, email, push, webhook] }`).join(', ');
  return `version: 1
locations:
  - { key: home, name: ${place} }
contacts:
${PEOPLE.map(key => `  - { key: ${key}, name: ${key} }\n`).join('')}policies:
  - key: all
    name: ${name}
    repeat: ${repeat}
    steps:
${`      - { delayS: 60, contacts: [${contacts}] }\n`.repeat(steps)}`;
}

const says = (got: string) =>
  `takes at most 500 messages in one incident, got ${got}: use fewer rounds, steps, contacts or channels.`;

test('a file with a policy that asks for more than one incident plans is refused with the place, and nothing of it is stored', async () => {
  const { account } = await startConfigured();
  const [home, outsider] = [await account(), await account('Somebody else')];
  const tooMany = fileOf({ steps: 20, repeat: 5 });
  const expected = [`30 policies[0].steps ${says('12000 (6 rounds of 2000)')}`];
  expect(told((await home.check(tooMany)).problems)).toEqual(expected);
  const refused = await home.apply(tooMany);
  expect({ outcome: refused.outcome, problems: told(refused.problems) }).toEqual({
    outcome: 'refused',
    problems: expected,
  });
  expect(told((await home.check(fileOf({ repeat: 5 }))).problems)).toEqual([
    `28 policies[0].repeat ${says('600 (6 rounds of 100)')}`,
  ]);
  expect(await home.export()).not.toContain('key:');
  for (const one of [home, outsider]) expect(await one.apply(fileOf({ steps: 5 }))).toMatchObject({ problems: [] });
});

test('one that was stored before there was the limit is exported, may be said once more, and changes only to what is within', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  await home.apply(fileOf({ steps: 5 }));
  await world.rows('UPDATE policy SET repeat = 5');
  const exported = await home.export();
  expect(exported).toContain('repeat: 5');
  expect(await home.apply(exported, { prune: true })).toMatchObject({ outcome: 'unchanged', problems: [] });

  const moved = await home.apply(fileOf({ steps: 5, repeat: 5, place: 'Cottage' }));
  expect(changed(moved.changes)).toEqual(['update location home name']);
  const renamed = await home.apply(fileOf({ steps: 5, repeat: 5, name: 'Everybody', place: 'Home' }));
  expect(told(renamed.problems)).toEqual([`28 policies[0].repeat ${says('3000 (6 rounds of 500)')}`]);
  expect(await home.export()).toContain('Cottage');
  const within = await home.apply(fileOf({ steps: 5, name: 'Everybody', place: 'Cottage' }));
  expect(changed(within.changes)).toEqual(['update policy all name,repeat']);
});
