import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { ChannelKind } from '../domain/delivery.ts';
import { drillChannels } from '../domain/drill.ts';
import { type Means, meansOf, type NotReached, wouldReach } from '../domain/reach.ts';
import type { Kept } from '../limits/kept.ts';
import { inTransaction } from '../store/statement.ts';
import type { Written } from './apply/write-decided.ts';
import { openDrill } from './watch/open-drill.ts';

/** A drill that somebody asks for: of a contact over one of their channels; `actor` is whom the call log names. */
export interface AskedDrill {
  accountId: string;
  contactId: string;
  channel: ChannelKind;
  actor: string;
}

/**
 * What became of it. `not_reached`: why a message would not go out; `incident`: one is open, which comes first; `busy`: the
 * account or the last drill is being written, so that another try helps.
 */
export type StartedDrill =
  | { kind: 'started'; incidentId: string }
  | { kind: 'not_reached'; because: NotReached }
  | { kind: 'busy' }
  | { kind: 'refused'; because: 'incident' | 'no_location' | 'no_contact' };

/** Starts a drill now, at any hour (DECISIONS.md "Drill"). One of the same person that is still open makes room. */
export function createDrillStarter(engine: {
  pool: Pool;
  carriers: readonly ChannelKind[];
  kept: Kept;
  log: Logger;
  onOpened(written: Written): void;
}): (asked: AskedDrill) => Promise<StartedDrill> {
  const { pool, log, carriers, kept } = engine;
  return async ({ accountId, contactId, channel, actor }) => {
    const done = await inTransaction(pool, client =>
      openDrill({ client, log, carriers, kept }, { accountId, contactId }, actor, person => {
        if (person.incident === 'open') return { kind: 'refused', because: 'incident' } as const;
        const means: Means = meansOf(person, carriers);
        const reach = wouldReach(person.contact, channel, means, person.now);
        if (reach !== 'goes') return { kind: 'not_reached', because: reach } as const;
        // Only this channel: what somebody asked for over one is not answered over another.
        const channels = drillChannels(person.contact, means, person.now).filter(one => one === channel);
        return { kind: 'over', channel, channels } as const;
      }),
    );
    if (done.kind === 'no_contact' || done.kind === 'no_location') return { kind: 'refused', because: done.kind };
    if (done.kind !== 'opened') return done;
    engine.onOpened(done.written);
    return { kind: 'started', incidentId: done.incidentId };
  };
}
