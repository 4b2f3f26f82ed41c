import type { Incident } from '../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { useLoad } from './load.ts';
import { incidents } from './rpc.ts';

/** Those that are open, in the order in which they want somebody: live ones that nobody has first. */
export function useOpenIncidents() {
  return useLoad('open', async () => {
    const { incidents: open } = await incidents.listIncidents({ status: 'open', pageSize: 200 }, { timeoutMs: 4_000 });
    return open.sort((one, other) => urgencyOf(one) - urgencyOf(other));
  });
}

function urgencyOf({ environment, acknowledgedAt }: Incident): number {
  if (environment !== 'live') return 2;
  return acknowledgedAt === undefined ? 0 : 1;
}

/** `House — Night`: what fired, and as what. */
export function titleOf({ sourceName, mode }: Pick<Incident, 'sourceName' | 'mode'>, modeName = mode): string {
  return modeName === '' ? sourceName : `${sourceName} — ${modeName[0]!.toUpperCase()}${modeName.slice(1)}`;
}
