import { startLoop } from '../loop.ts';
import { createJournalWorker } from './journal.ts';
import { createQueueWorker } from './queue.ts';
import type { ApplyOn } from './worker.ts';
import type { Written } from './write-decided.ts';

/** The two loops that apply: that of the journal, and that of the queue, which also takes what is too heavy for the first. */
export interface Applying {
  /** Calls of machines were stored. */
  nudgeJournal(): void;
  /** Actions of people were stored. */
  nudgeQueue(): void;
  /** Resolves when nothing waits and no timer is due. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** Starts both. */
export function startApplying(deps: ApplyOn): Applying {
  const { log } = deps;
  const onApplied = (written: Written) => {
    deps.onApplied(written);
    if (written.left === 'some') queueing.nudge();
  };
  const queue = createQueueWorker({ ...deps, onApplied });
  const queueing = startLoop('apply queue', queue.look, log);
  const onHeavy = (sourceSeqs: readonly number[]) => {
    queue.takeHeavy(sourceSeqs);
    queueing.nudge();
  };
  const journal = createJournalWorker({ ...deps, onApplied, onHeavy });
  const applying = startLoop('apply', journal.look, log);
  return {
    nudgeJournal: applying.nudge,
    nudgeQueue: queueing.nudge,
    async drain() {
      journal.hurry();
      await applying.drain();
      await queueing.drain();
    },
    async close() {
      await Promise.all([applying.close(), queueing.close()]);
    },
  };
}
