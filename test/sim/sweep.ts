import { type Judged, liveAndJudge } from './lives.ts';
import type { Plan } from './plan.ts';
import type { World } from './world.ts';

/** Lives that a death and a cut are put into: a plain one, one in which everything is too much at once, and one of clocks. */
export const SWEPT: readonly { seed: number; plan: Partial<Plan> }[] = [
  {
    seed: 1,
    plan: { calls: 8, harm: 0, ends: 'that evening', clock: 'nobody', limits: 'own', people: 'none', carriers: 'good' },
  },
  {
    seed: 2,
    plan: {
      calls: 8,
      harm: 0,
      ends: 'that evening',
      clock: 'nobody',
      limits: 'small',
      people: 'some',
      carriers: 'bad',
    },
  },
  {
    seed: 3,
    plan: {
      calls: 8,
      harm: 0,
      ends: 'that evening',
      clock: 'keepers',
      limits: 'own',
      people: 'some',
      carriers: 'good',
    },
  },
];

/** A life of the sweep: what it was, and after which statement what happened. */
export interface Swept extends Judged {
  how: 'dieAt' | 'cutAt';
  after: number;
}

/**
 * Lives a life again and again, each time with a death after another one of its statements, then with a cut. `every`: only
 * after each so many statements. Yields one result after the other; the first that is not all right is the undisturbed life.
 */
export async function* sweep(world: World, { seed, plan }: (typeof SWEPT)[number], every = 1): AsyncGenerator<Swept> {
  const undisturbed = await liveAndJudge(world, seed, plan);
  yield { ...undisturbed, how: 'dieAt', after: 0 };
  for (const how of ['dieAt', 'cutAt'] as const) {
    for (let after = 1; after <= undisturbed.statements; after += every) {
      yield { ...(await liveAndJudge(world, seed, { ...plan, [how]: after })), how, after };
    }
  }
}
