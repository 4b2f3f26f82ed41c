import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { newOwner, refusal } from '../support/console.ts';
import { startWorld } from '../support/world.ts';
import { startConfigured } from './configuration/configuration-rig.ts';

/* What was probably meant is a help for a few mistakes. A call of nothing but mistakes must not search for each of them. */

/** Counts the statements that read contacts while something is done. */
async function readsOfContacts(work: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    const texts = query.mock.calls.map(([asked]) => (asked as { text?: string }).text ?? String(asked));
    return texts.filter(text => /from "contact"/.test(text)).length;
  } finally {
    query.mockRestore();
  }
}

test('a policy with hundreds of unknown contacts is searched for what was meant once, and told for the first few', async () => {
  const world = await startWorld();
  const { console: own } = await newOwner(world);
  await own.contacts.createContact({ contact: { name: 'Anna', key: 'anna-0' } });
  const steps = Array.from({ length: 20 }, (_, step) => ({
    delayS: 60,
    contacts: Array.from({ length: 20 }, (_, nth) => ({ contactId: `ana-${step}-${nth}`, channels: ['email'] })),
  }));
  for (const step of [0, 19]) steps[step]!.contacts[0]!.contactId = 'anna0';
  let fields: Record<string, string> = {};
  const reads = await readsOfContacts(async () => {
    fields = (await refusal(own.policies.createPolicy({ policy: { name: 'All', steps } }))).fields!;
  });
  expect(Object.keys(fields).length).toBe(400);
  // The same mistake is told the same.
  for (const step of [0, 19])
    expect(fields[`steps[${step}].contacts[0].contactId`]).toContain('Did you mean "anna-0"?');
  expect(Object.values(fields).filter(said => said.includes('Did you mean')).length).toBeLessThanOrEqual(11);
  // Those that are there, and the keys to compare with.
  expect(reads).toBeLessThanOrEqual(2);
});

test('a file with hundreds of unknown references is told what was meant for the first few, and all that is wrong', async () => {
  const { account } = await startConfigured();
  const one = await account();
  const alarms = Array.from({ length: 90 }, (_, nth) => `  - { key: a${nth}, name: A, location: h${nth % 30}ome }\n`);
  const text = `version: 1\nlocations:\n  - { key: home, name: Home }\nalarms:\n${alarms.join('')}`;
  const { problems } = await one.check(text);
  expect(problems).toHaveLength(90);
  const meant = problems.filter(({ didYouMean }) => didYouMean === 'home').map(({ field }) => field);
  expect(meant.slice(0, 3)).toEqual(['alarms[0].location', 'alarms[1].location', 'alarms[2].location']);
  expect(new Set(problems.filter(({ didYouMean }) => didYouMean !== '').map(({ problem }) => problem)).size).toBe(10);
  // The same mistake is told the same.
  expect(meant).toContain('alarms[30].location');
});
