import { expect, test } from 'vitest';
import type { PolicyNow, ToldDuty } from '../../services/domain/duty-told.ts';
import type { ContactCopy } from '../../services/domain/escalation.ts';
import { dutyFindings, lookAtDuties } from '../../services/domain/readiness-duty.ts';
import { duty, hours } from './duty-rig.ts';
import { means, NOW, person, policy } from './readiness-rig.ts';

/** Two people who have no address. */
const NOBODY = new Map(['a', 'b'].map(name => [name, person(name, ['email'], [])]));

/** Means that count how often it was asked whether somebody would be reached over a channel. */
function countedMeans() {
  const { carriers, ...rest } = means();
  let asked = 0;
  const counting = {
    ...rest,
    get carriers() {
      asked++;
      return carriers;
    },
  };
  return { means: counting, asked: () => asked };
}

/** A map that counts how often somebody is looked up: once for each shift and person. */
class Counted extends Map<string, ContactCopy> {
  asked = 0;
  override get(name: string) {
    this.asked++;
    return super.get(name);
  }
}

/** A policy of so many duties, which two people have in turns of twelve hours. */
function ofDuties(count: number, people: ReadonlyMap<string, ContactCopy>): PolicyNow {
  const halves = [hours({ from: '00:00', to: '12:00', who: ['a'] }), hours({ from: '12:00', to: '00:00', who: ['b'] })];
  const of = duty({ hours: halves, otherwise: ['a'] });
  const told = Array.from(
    { length: count },
    (_, at): ToldDuty => ({ id: `d${at}`, key: `d${at}`, name: `D${at}`, duty: of, channels: ['email'], people }),
  );
  return { ...policy(), steps: [{ delayS: 0, contacts: told }] };
}

test('at most twenty duties of a policy are looked at', () => {
  const found = (count: number) => dutyFindings(ofDuties(count, NOBODY), lookAtDuties(means(), NOW));
  expect(found(19)).toHaveLength(19);
  expect(found(30)).toHaveLength(20);
});

test('whoever is on many duties of many policies is asked about once, and each duty walked once', () => {
  const counted = countedMeans();
  const people = new Counted([...['a', 'b'].map(name => [name, person(name, ['email'])] as const)]);
  const look = lookAtDuties(counted.means, NOW);
  for (let nth = 0; nth < 50; nth++) expect(dutyFindings(ofDuties(20, people), look)).toEqual([]);
  expect(counted.asked()).toBe(2);
  // 14 days have 28 shifts, and a 29th where the first had begun.
  expect(people.asked).toBeLessThanOrEqual(20 * 29);
});
