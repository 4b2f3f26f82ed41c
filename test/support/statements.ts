import type { Pool } from 'pg';

/** What a pool is asked for from now on: how often each statement, and how often at most at the same time. */
export function statementsOf(pool: Pool) {
  const counts = new Map<string, { all: number; now: number; most: number }>();
  const query = pool.query.bind(pool) as (...of: unknown[]) => Promise<unknown>;
  const of = (name: string) => counts.get(name) ?? { all: 0, now: 0, most: 0 };
  Object.assign(pool, {
    query(...asked: [{ name?: string }]) {
      const name = asked[0].name ?? '';
      const count = of(name);
      counts.set(name, count);
      count.all++;
      count.most = Math.max(count.most, ++count.now);
      return query(...asked).finally(() => count.now--);
    },
  });
  return of;
}
