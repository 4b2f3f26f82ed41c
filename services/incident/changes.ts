import { Code, ConnectError } from '@connectrpc/connect';
import type { Pool } from 'pg';
import { say } from '../rpc/reader.ts';
import { floorBelowNewest, latestClosed, readEntriesAbove, readPrints } from './statements/incident-watch.ts';

/** A change of an incident. `changed`: acknowledged, joined by a trigger, or one of its deliveries moved. */
export interface IncidentEvent {
  kind: 'opened' | 'changed' | 'closed';
  incidentId: string;
}

/** How many closed incidents are watched for late news of their deliveries; those watched longest are dropped first. */
const CLOSED_WATCHED = 100;

/** How many of the newest entries count as possibly uncommitted when a watch begins. */
const LOOK_BACK = 1_000;

/** How many entries may be remembered while one long transaction is under way. */
const MOST_REMEMBERED = 100_000;

export interface IncidentChanges {
  /** Starts watching: changes committed before this returns are never reported, later ones always. */
  begin(): Promise<void>;
  /** Returns what happened since the last look, in the order of opening. */
  look(): Promise<IncidentEvent[]>;
}

/**
 * Finds changes in the incidents of an account, or of one of its sources. Open incidents are compared with their last
 * state; incidents that opened and closed in between are found by their entries, which are only ever added.
 */
export function trackIncidents(pool: Pool, accountId: string, sourceId: string): IncidentChanges {
  const known = new Map<string, { status: 'open' | 'closed'; print: string }>();
  const entries = createEntryCursor(pool, accountId);

  async function prints(touched: Iterable<string>) {
    const rows = await readPrints(pool, accountId, sourceId, [...new Set([...known.keys(), ...touched])]);
    const before = new Map(rows.map(({ id }) => [id, known.get(id)]));
    for (const { id, status, print } of rows) known.set(id, { status, print });
    forgetClosed(known);
    return rows.map(row => ({ ...row, before: before.get(row.id) }));
  }

  return {
    async begin() {
      await entries.begin();
      await prints(await latestClosed(pool, accountId, sourceId, CLOSED_WATCHED));
    },
    async look() {
      const found = await prints(await entries.look());
      return found.flatMap(({ id, status, print, before }): IncidentEvent[] => {
        const kinds: IncidentEvent['kind'][] = [];
        if (before === undefined) kinds.push('opened');
        if (status === 'closed' && before?.status !== 'closed') kinds.push('closed');
        else if (before !== undefined && before.print !== print) kinds.push('changed');
        return kinds.map(kind => ({ kind, incidentId: id }));
      });
    },
  };
}

function forgetClosed(known: Map<string, { status: 'open' | 'closed' }>): void {
  const closed = [...known].filter(([, { status }]) => status === 'closed').map(([id]) => id);
  for (const id of closed.slice(0, Math.max(0, closed.length - CLOSED_WATCHED))) known.delete(id);
}

/**
 * Reads the entries of an account, each once. Ids are assigned before commit, so a higher one may be seen first. So
 * everything above `floor` is read again, leaving out what is remembered, and the floor rises to an id only when every
 * transaction that was under way when it was seen has ended.
 */
function createEntryCursor(pool: Pool, accountId: string) {
  let floor = 0n;
  let mark: { newest: bigint; next: bigint } | null = null;
  let seen = new Set<string>();

  async function look(): Promise<string[]> {
    const read = await readEntriesAbove(pool, accountId, floor);
    const fresh = read.entries.filter(([id]) => !seen.has(id));
    for (const [id] of fresh) seen.add(id);
    if (mark !== null && mark.next <= BigInt(read.oldest)) {
      floor = mark.newest;
      seen = new Set([...seen].filter(id => BigInt(id) > floor));
      mark = null;
    }
    mark ??= { newest: BigInt(read.newest), next: BigInt(read.next) };
    if (seen.size > MOST_REMEMBERED) {
      throw new ConnectError(say().refusals.tooMuchChanged, Code.ResourceExhausted);
    }
    return fresh.map(([, incidentId]) => incidentId);
  }

  return {
    async begin() {
      floor = await floorBelowNewest(pool, accountId, LOOK_BACK);
      await look();
    },
    look,
  };
}
