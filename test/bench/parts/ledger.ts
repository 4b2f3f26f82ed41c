import type { Pool } from 'pg';
import { countApplied, countWaiting, type Mark, markNow, untilApplied } from '../actions.ts';
import type { Bench } from '../bench.ts';
import type { Answers } from '../load/load.ts';
import { untilAnswered } from '../machine/product.ts';

/** A product under load: where it is called, and the bench's own door to its database. */
export interface Loadable {
  /** As faults name it. */
  title: string;
  url: string;
  pool: Pool;
}

/** What is kept of a load so that no call is lost without being noticed. */
export interface Ledger {
  /** When it was opened, by the database's clock. */
  mark: Mark;
  /** Waits until every call is answered and applied, or a minute. Returns how long that took, in milliseconds. */
  settle(): Promise<number>;
  /**
   * Counts, and says in the run's faults which calls were lost or still wait, and in its notes which were refused. `cutOff`: how
   * many calls may have been accepted whose answer nobody waited for.
   */
  close(loaded: Pick<Answers, 'accepted' | 'refused' | 'broken'>, cutOff: number): Promise<void>;
}

/** Opens one. No call may be under way or waiting. */
export async function openLedger(bench: Bench, { title, url, pool }: Loadable): Promise<Ledger> {
  const mark = await markNow(pool);
  return {
    mark,
    async settle() {
      const ended = performance.now();
      await untilAnswered(url);
      // That some still wait is a fault, and not the end of everything.
      await untilApplied(pool).catch(() => {});
      return performance.now() - ended;
    },
    async close(loaded, cutOff) {
      const { accepted, refused, broken } = loaded;
      noteRefusals(bench, title, loaded);
      const [applied, waiting] = [await countApplied(pool, mark), await countWaiting(pool)];
      const faults: string[] = [];
      // A call that was refused for want of time, or broke off, may have been stored all the same.
      const most = accepted + refused + broken + cutOff;
      if (waiting > 0) faults.push(`${waiting} accepted calls still wait to be applied.`);
      if (applied + waiting < accepted)
        faults.push(`${accepted} calls were accepted, but only ${applied} are applied.`);
      if (applied > most) faults.push(`${applied} calls are applied for ${accepted} accepted ones.`);
      bench.faults.push(...faults.map(fault => `${title}: ${fault}`));
    },
  };
}

/** Says which calls were refused or broke. Throws where none was accepted: then nothing was measured. */
export function noteRefusals(
  { notes }: Bench,
  title: string,
  { accepted, refused, broken }: Pick<Answers, 'accepted' | 'refused' | 'broken'>,
): void {
  if (accepted === 0) throw new Error(`${title}: none of the calls was accepted, ${refused} were refused.`);
  if (refused > 0) notes.push(`${title}: ${refused} calls were refused beside ${accepted} accepted ones.`);
  if (broken > 0) notes.push(`${title}: ${broken} calls had no answer in time beside ${accepted} accepted ones.`);
}
