import type { ServiceImpl } from '@connectrpc/connect';
import type { DrillService } from '../../gen/tocsin/console/v1/drills_pb.ts';
import type { Bus } from '../changes/bus.ts';
import type { Channel } from '../channels/channel.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { carriersOf } from '../domain/reach.ts';
import { DRILLS_MOST } from '../limits/table.ts';
import { createRateLimit } from '../limits/times.ts';
import { withAccess } from '../rpc/auth.ts';
import type { Seal } from '../store/seal.ts';
import type { Pepper } from '../store/secret.ts';
import { readNow } from '../store/statements/responder.ts';
import type { Store } from '../store/store.ts';
import { drill } from './drill.ts';
import { listProofs } from './proofs.ts';
import { rehearse } from './rehearsal.ts';
import { type StartDrill, startDrill } from './start-drill.ts';

/** What the drill service needs. */
export interface DrillsOn {
  store: Store;
  /** KEY_PEPPER, under which console tokens are digested. */
  pepper: Pepper;
  /** Decrypts the addresses of contacts. */
  seal: Seal;
  channels: { byKind: Record<ChannelKind, Pick<Channel, 'send'>>; unconfigured: readonly ChannelKind[] };
  /** Wakes a waiting rehearsal. */
  bus: Bus;
  /** Notifies the engine of a stored action. */
  nudge(): void;
  /** Starts a drill that asks for an answer. */
  startDrill: StartDrill;
}

/** Tries what is configured: one message to one person, or a whole source in test. For console tokens. */
export function createDrillService(deps: DrillsOn): ServiceImpl<typeof DrillService> {
  const { store, bus, nudge } = deps;
  const asked = withAccess(store, deps.pepper);
  const limit = createRateLimit(DRILLS_MOST);
  const drilling = { ...deps, pool: store.pool, orm: store.orm, carriers: carriersOf(deps.channels), limit };
  return {
    drill: asked((request, { accountId }) => drill(drilling, accountId, request)),
    startDrill: asked(async (request, who) =>
      startDrill(drilling, who, request, (await readNow(store.pool)).getTime()),
    ),
    listProofs: asked(({ month }, { accountId }) => listProofs(store.pool, accountId, month)),
    rehearse: asked((request, who, context) => rehearse({ store, bus, nudge }, who, request, context)),
  };
}
