import type { MessageInitShape } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import type { WatchChangesResponseSchema } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import type { Bus } from '../changes/bus.ts';
import { endOfStream, pause } from '../rpc/stream.ts';
import type { KeyReach } from './change-channel.ts';
import { KINDS, listenForNews } from './change-news.ts';

/** The longest a watch goes without checking its key, in milliseconds: the signal of a revocation may get lost. */
const RECHECK_MS = 5_000;

/** Between two bundles of signals, in milliseconds (DECISIONS.md "When"): the first at once, then one of each kind. */
const REST_MS = 250;

/** How long a new watch waits for a bus without connection, in milliseconds: signals arrive once the bus is back. */
const BUS_MS = 1_000;

type Told = MessageInitShape<typeof WatchChangesResponseSchema>;

/**
 * Streams what to read again until the caller goes away (SPEC.md 6, InventoryService.WatchChanges). While the caller is
 * slow only the kinds that changed are kept, so no queue can grow. `keyOf` throws as soon as the key of the call is no
 * longer valid; it is called before every bundle, so that a revoked key is told nothing more.
 */
export async function* watchChanges(
  on: { bus: Bus; keyOf(context: HandlerContext): Promise<KeyReach> },
  context: HandlerContext,
): AsyncGenerator<Told> {
  const { signal } = context;
  const { accountId, keyId, alarmId } = await on.keyOf(context);
  const news = listenForNews(on.bus, { accountId, keyId, alarmId });
  try {
    await listening(on.bus, signal);
    for (const kind of KINDS) yield { change: { kind, alarmId: '' } };
    while (!signal.aborted) {
      await news.wait(RECHECK_MS, signal);
      if (signal.aborted) break;
      await on.keyOf(context);
      const changes = news.take();
      for (const change of changes) yield { change };
      if (changes.length > 0) await pause(REST_MS, signal);
    }
    endOfStream(signal);
  } finally {
    news.end();
  }
}

/**
 * The subscription must be active before the client is told to read: only changes after that are sure to be noticed.
 */
function listening(bus: Bus, signal: AbortSignal): Promise<void> {
  return pause(BUS_MS, signal, wake => void bus.flush().then(wake, wake));
}
