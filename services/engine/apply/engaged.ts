import type { Pool } from 'pg';
import { readSources } from '../../store/statements/apply.ts';
import { actionsOf } from '../../store/statements/journal.ts';
import { readQueued } from '../../store/statements/queue.ts';
import { readWaitingGroups } from '../../store/statements/waiting-calls.ts';
import { decideWork, loadPolicies, type Work } from './decided.ts';
import { QUEUED_MOST } from './ready.ts';

/**
 * Of which sources an incident is open or a trigger pending once all that waits for them is applied: decided by the rules,
 * and nothing of it written. For the gate of an alarm that is disarmed (DECISIONS.md "Trigger held back by the gate").
 */
export async function engagedSources(pool: Pool, seqs: readonly number[]): Promise<ReadonlySet<number>> {
  const wanted = new Set(seqs);
  // What waits first: a call that is applied in between then counts twice, which leads to the same.
  const groups = await readWaitingGroups(pool, [...wanted]);
  const calls = groups.flatMap(actionsOf).filter(({ sourceSeq }) => wanted.has(sourceSeq));
  const queued = await readQueued(pool, [...wanted], QUEUED_MOST);
  const rows = await readSources(pool, [...wanted]);
  const works = rows.map((row): Work => {
    const waiting = [...queued, ...calls].filter(({ sourceSeq }) => sourceSeq === row.seq);
    return { row, ready: waiting.sort((a, b) => Number(a.id) - Number(b.id)), upTo: row.now };
  });
  // When an incident closes by itself depends on its policy.
  const policyOf = await loadPolicies(pool, works);
  const engaged = works.filter(work => {
    const { incident, pending } = decideWork(work, policyOf, Number.POSITIVE_INFINITY).decision.state;
    return incident !== null || pending !== null;
  });
  return new Set(engaged.map(({ row }) => row.seq));
}
