import { loadHistory, nothingUndone, type Recorded } from '../../support/history/load.ts';
import type { History } from '../../support/history.ts';
import { eventually } from '../../support/wait.ts';
import type { Deployment } from './deployment.ts';
import type { Follower, Shown } from './follower.ts';
import type { Made } from './load.ts';

/* What is true of a cluster again after something in it was killed, asked of its database. Each throws what is not. */

type Rows = Pick<Deployment, 'rows'>;

type Done = Pick<Deployment, 'rows' | 'accounts'>;

/**
 * All that was accepted is done, as the checker wants it. Calls may be stored twice, which a death of services brings
 * (facade/rpc/transport.ts). */
export async function allDone({ rows, accounts }: Done, calls: readonly Made[], more: Recorded = {}): Promise<History> {
  await nothingUndone(rows);
  const sources = accounts.flatMap(({ id: accountId, alarmIds }) =>
    alarmIds.map(id => ({ id, accountId, environment: 'test' as const })),
  );
  return loadHistory(rows, { calls, sources, repeats: 'by the facade', ...more });
}

/** Every follower listens, and what it last read is what the database holds. */
export async function allCurrent({ rows }: Rows, followers: readonly Follower[], when: string): Promise<void> {
  const states = await rows<{ account_id: string; id: string; state: string }>(`
SELECT s.account_id, s.id, CASE WHEN EXISTS (
    SELECT FROM incident i WHERE i.account_id = s.account_id AND i.source_id = s.id AND i.status = 'open'
  ) THEN 'triggered' ELSE coalesce(st.armed_mode, 'disarmed') END AS state
FROM source s JOIN source_state st ON st.account_id = s.account_id AND st.source_id = s.id WHERE s.kind = 'alarm'`);
  const of = (accountId: string): Shown =>
    Object.fromEntries(states.filter(row => row.account_id === accountId).map(({ id, state }) => [id, state]));
  const expected = new Map(followers.map(({ account }) => [account, of(account.id)]));
  const troubles = () => followers.flatMap(one => one.trouble(expected.get(one.account)!) ?? []);
  await eventually(() => none(troubles(), 'is behind'), {
    what: `every socket to be current, ${when}`,
    within: 60_000,
  });
}

function none(things: readonly unknown[], what: string): true {
  if (things.length === 0) return true;
  const [first] = things;
  const shown = typeof first === 'string' ? first : JSON.stringify(first);
  throw new Error(`${things.length} in all of what ${what}, such as: ${shown}`);
}
