import { useOpenIncidents } from '../live/open-incidents.ts';
import { useQuery } from '../live/use-query.ts';
import { useStable } from '../live/use-stable.ts';
import { incidents, READ, readiness } from '../rpc/rpc.ts';
import type { Known } from './rows.tsx';

/** The last call of each source is looked for among this many. */
const CALLS = 200;

const ORDER = ['blocks', 'warns', 'notes', 'ready'];

/** Returns what is known of all sources besides what is stored of each: open incidents, findings and last calls. */
export function useKnown(): { known: Known; ready: number | null; total: number | null } {
  const open = useOpenIncidents();
  const ready = useQuery('readiness', () => readiness.getReadiness({}, READ));
  const calls = useQuery('calls of sources', () => incidents.listCalls({ pageSize: CALLS }, READ));
  const verdicts = (ready.data?.sources ?? []).map(({ sourceId, findings }) => {
    const others = findings.filter(({ code }) => code !== 'in_test').map(({ severity }) => severity);
    return [sourceId, ORDER.find(severity => others.includes(severity)) ?? 'ready'] as const;
  });
  // Newest first: of several of one source the first one stays.
  const lastCalls = (calls.data?.calls ?? []).toReversed().map(call => [call.sourceId, call] as const);
  // A live one counts before one in test.
  const firing = (open.data ?? [])
    .map(({ sourceId, environment }) => [sourceId, environment] as const)
    .toSorted(([, one], [, other]) => Number(one === 'live') - Number(other === 'live'));
  const known = useStable({
    firing: Object.fromEntries(firing),
    verdicts: Object.fromEntries(verdicts),
    lastCalls: Object.fromEntries(lastCalls),
    hasAllCalls: calls.data?.nextPageToken === '',
  });
  return { known, ready: ready.data?.ready ?? null, total: ready.data?.total ?? null };
}
