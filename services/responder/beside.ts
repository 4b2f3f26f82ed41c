import type { Logger } from 'pino';
import { createFair } from '../limits/fair.ts';

/** How much is under way at once over all, and how much of one party may wait for what it has under way. */
const MOST = 64;
const WAITING_MOST = 20;

/** What is done beside a loop, which does not wait for it. */
export interface Beside {
  /** Does the work of a party after what it already has under way. What is too much is left out: nothing that counts may depend on it. */
  run(party: string, work: () => Promise<void>): void;
  /** Resolves once nothing is under way. From then on nothing begins. */
  end(): Promise<void>;
}

/** Nobody's work waits for that of others, unless there is far too much in all. */
export function createBeside(log: Logger): Beside {
  const line = createFair({ places: MOST, mayTake: held => held === 0, waiting: WAITING_MOST });
  const underWay = new Set<Promise<void>>();
  let state: 'open' | 'ended' = 'open';

  async function take(party: string, work: () => Promise<void>): Promise<void> {
    const place = await line.enter(party);
    if (typeof place === 'string') return log.warn('more is to be answered than can be: an answer is left out');
    using _place = place;
    if (state === 'ended') return;
    await work().catch(error => log.error({ err: error }, 'what somebody said to a bot was not answered'));
  }

  return {
    run(party, work) {
      if (state === 'ended') return;
      const taken = take(party, work).finally(() => underWay.delete(taken));
      underWay.add(taken);
    },
    async end() {
      state = 'ended';
      await Promise.all(underWay);
    },
  };
}
