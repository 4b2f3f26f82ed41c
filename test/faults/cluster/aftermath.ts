import { eventually } from '../../support/wait.ts';
import { MISCOUNTED, UNWRITTEN_FOLDS, WAITING_CALLS } from '../../support/waiting.ts';
import type { Deployment } from './deployment.ts';
import type { Follower, Shown } from './follower.ts';
import type { Answered } from './load.ts';

/* What is true of a cluster again after something in it was killed, asked of its database. Each throws what is not. */

type Rows = Pick<Deployment, 'rows'>;

/** No accepted call and no window waits to be applied. */
export async function nothingWaits({ rows }: Rows, when: string): Promise<void> {
  const waiting = `
SELECT 'call ' || trace_id AS what FROM (${WAITING_CALLS}) w
UNION ALL SELECT 'fold ' || key FROM (${UNWRITTEN_FOLDS}) f
UNION ALL SELECT 'window of ' || source_id FROM source_state WHERE pending_id IS NOT NULL
UNION ALL SELECT 'message ' || id FROM delivery WHERE status IN ('scheduled', 'sending')`;
  await eventually(async () => none(await rows(waiting), 'waits'), { what: `nothing to wait, ${when}` });
}

/**
 * Every accepted call was applied, with one outcome. Calls that were stored twice, which a death of services may bring
 * (facade/rpc/transport.ts), count once: their rows say at most once that anything was opened.
 */
export async function acceptedOnce({ rows }: Rows, answered: readonly Answered[], when: string): Promise<void> {
  const accepted = answered.filter(({ status }) => status === 202);
  const found = await rows<{ trace_id: string; opened: number }>(
    `SELECT trace_id, (count(*) FILTER (WHERE outcome = 'opened'))::int AS opened FROM call_log
     WHERE trace_id = ANY ($1::uuid[]) AND applied_at IS NOT NULL AND outcome IS NOT NULL GROUP BY trace_id`,
    [accepted.map(({ traceId }) => traceId)],
  );
  const openedBy = new Map(found.map(({ trace_id, opened }) => [trace_id, opened]));
  const lost = accepted.filter(({ traceId }) => !openedBy.has(traceId));
  const twice = accepted.filter(({ traceId }) => (openedBy.get(traceId) ?? 0) > 1);
  none(lost, `was accepted and lost, ${when}`);
  none(twice, `opened two incidents, ${when}`);
}

/** At most one incident of a source is open, each was opened by exactly one call, and it counts its calls. */
export async function openedOnce({ rows }: Rows, when: string): Promise<void> {
  const odd = await rows(`
SELECT i.source_id, i.id FROM incident i
WHERE (SELECT count(*) FROM call_log c WHERE c.account_id = i.account_id AND c.incident_id = i.id AND c.outcome = 'opened') <> 1
UNION ALL
SELECT source_id, string_agg(id, ' and ') FROM incident WHERE status = 'open' GROUP BY source_id HAVING count(*) > 1
UNION ALL ${MISCOUNTED}`);
  none(odd, `was not opened once, ${when}`);
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
