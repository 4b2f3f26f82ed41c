import type { Incident } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { readSome } from '../rpc/pages.ts';
import { incidents, READ } from '../rpc/rpc.ts';
import { words } from '../words.ts';
import { useQuery } from './use-query.ts';

/** More incidents than this are only counted at first: a storm must not delay the page's first sentence. */
export const OPEN_MOST = 1_000;

/** Returns the open incidents, most urgent first: live ones that nobody has taken. Tests in any number hide none that is live. */
export function useOpenIncidents() {
  return useQuery('open', async () => {
    const { things: newest, rest } = await readOpen();
    const live = rest === 'none' ? [] : (await readOpen('live')).things;
    const open = [...new Map([...newest, ...live].map(one => [one.id, one])).values()];
    return open.sort((one, other) => urgencyOf(one) - urgencyOf(other));
  });
}

function readOpen(environment = '') {
  return readSome(OPEN_MOST, async page => {
    const asked = { status: 'open', environment, ...page };
    const { incidents: some, nextPageToken } = await incidents.listIncidents(asked, READ);
    return [some, nextPageToken];
  });
}

/** Tells whether it waits for a person: it is live, and nobody has taken it. */
export function needsSomebody(of: Incident): boolean {
  return urgencyOf(of) === 0;
}

function urgencyOf({ environment, acknowledgedAt }: Incident): number {
  if (environment !== 'live') return 2;
  return acknowledgedAt === undefined ? 0 : 1;
}

/** `Front door, then Hall`: what tripped it, in turn. Null: no device did, or it is not known. */
export function trippedOf(of: Pick<Incident, 'trippedBy' | 'silentSince'>): string | null {
  const say = words().incident;
  const [first, ...joined] = of.trippedBy;
  if (first === undefined) return null;
  return of.silentSince === undefined ? say.inTurn(first, joined) : say.silent(first);
}

/** `House — Night`: what fired, and as what. */
export function titleOf({ sourceName, mode }: Pick<Incident, 'sourceName' | 'mode'>): string {
  return mode === '' ? sourceName : `${sourceName} — ${words().modes[mode] ?? mode}`;
}
