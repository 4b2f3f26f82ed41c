import type { PoolClient } from 'pg';
import { looksAt } from '../../domain/incident.ts';
import { createLru } from '../../process/lru.ts';
import {
  type Cursor,
  type LockedSource,
  lockSources,
  readSources,
  type SourceRow,
} from '../../store/statements/apply.ts';
import type { Work } from './decided.ts';

/** How many sources are remembered at least: a kilobyte each. */
const MOST = 10_000;

/** The sources that the journal's last turns worked on. */
export interface KnownSources {
  /** Locks sources until the end of the transaction, and returns those nobody else holds. Reads only what may have changed. */
  lock(client: PoolClient, look: Cursor, seqs: readonly number[]): Promise<SourceRow[]>;
  /**
   * Call it once the cursor is moved. `counted`: those of the works of which nothing was written but counts, as they are now. Should the
   * transaction be rolled back, that cursor is never found, and all is forgotten.
   */
  wrote(cursor: Cursor, works: readonly Work[], counted: readonly SourceRow[]): void;
}

/**
 * Remembers sources from one turn of the journal to the next: most of them only count. A source is as it was if its version is, which all
 * others move who write one (LockedSource), and if no other process moved the cursor: of incidents, that process wrote what
 * it liked.
 */
export function createKnownSources(): KnownSources {
  const rows = createLru<number, SourceRow>(MOST);
  let written: Pick<Cursor, 'id' | 'run'> | null = null;

  function isAsKnown(row: SourceRow, { version, now }: LockedSource): boolean {
    // What became of its messages is read when it is due to count as unanswered, or to ask again.
    const looks = row.incident === null ? null : looksAt(row.incident);
    return row.version === version && (looks === null || looks > now);
  }

  return {
    async lock(client, look, seqs) {
      if (written?.id !== look.id || written.run !== look.run) rows.clear();
      const known = new Map(seqs.map(seq => [seq, rows.get(seq)]));
      const unknown = seqs.filter(seq => known.get(seq) === undefined);
      // Pipelined: sent together, executed in order.
      const [locked, read] = await Promise.all([lockSources(client, seqs), readSources(client, unknown)]);
      const changed: number[] = [];
      const sources = read.filter(({ seq }) => locked.has(seq));
      for (const one of locked.values()) {
        const row = known.get(one.seq);
        if (row === undefined) continue;
        if (isAsKnown(row, one)) sources.push({ ...row, now: one.now, queue: one.queue });
        else changed.push(one.seq);
      }
      return changed.length === 0 ? sources : [...sources, ...(await readSources(client, changed))];
    },

    wrote(cursor, works, counted) {
      written = cursor;
      for (const { row } of works) rows.delete(row.seq);
      for (const row of counted) rows.set(row.seq, row);
    },
  };
}
