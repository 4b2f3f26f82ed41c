import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import type { WatchIncidentsRequest, WatchIncidentsResponseSchema } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import { alarmOf, type Bus, subjects } from '../changes/bus.ts';
import { createHeldTurns } from '../limits/fair.ts';
import { accountOf } from '../rpc/auth.ts';
import { idFilter, wordFilter } from '../rpc/fields.ts';
import { say } from '../rpc/reader.ts';
import { endOfStream, listen, pause } from '../rpc/stream.ts';
import { Incident } from '../store/entities/incident.ts';
import { Source } from '../store/entities/source.ts';
import type { Pepper } from '../store/secret.ts';
import type { Store } from '../store/store.ts';
import { type IncidentEvent, trackIncidents } from './changes.ts';
import { createPace, type Pace } from './pace.ts';
import { incidentView } from './view.ts';

/**
 * The longest a watch goes without looking, in milliseconds: the truth is in the database, a hint only makes it faster.
 */
const POLL_MS = 2_000;

/** Between two looks, in milliseconds: if everything in an account changes at once, changes are sent in bundles. */
const REST_MS = 100;

/** Between two signals, in milliseconds: as long as they go on, each takes twice as long as the one before. */
const SIGNAL_REST_MS = { least: 250, most: 1_000 };

/** How many incidents are read at once. A watch keeps nothing else in memory but the fingerprints of open incidents. */
const AT_ONCE = 50;

/** How many watches of one account look at once: all of a hundred would take the connections to the database from others. */
const LOOKS_AT_ONCE = 2;

/** Lets the watches of each account take turns at looking. */
export const createLooks = () => createHeldTurns(LOOKS_AT_ONCE);

type Told = MessageInitShape<typeof WatchIncidentsResponseSchema>;

/**
 * Streams changes until the caller goes away (DECISIONS.md "Realtime": a change is announced once it is readable). The
 * next look waits until the events of the last one are consumed, so a slow caller holds up nobody and fills no queue.
 * The token is checked before each look and each bundle: nothing is sent to a revoked one.
 */
export async function* watchIncidents(
  on: { store: Store; pepper: Pepper; bus: Bus; looks: ReturnType<typeof createLooks> },
  { sourceId, besides }: WatchIncidentsRequest,
  context: HandlerContext,
): AsyncGenerator<Told> {
  const { signal } = context;
  const accountId = await accountOf(on.store, on.pepper, context);
  const check = async () => {
    if ((await accountOf(on.store, on.pepper, context)) !== accountId) throw movedOn();
  };
  await checkSource(on.store, accountId, sourceId);
  const signals = wordFilter('besides', besides, ['signals']) === null ? null : createPace(SIGNAL_REST_MS);
  const hints = listen(on.bus, accountId, signals === null ? {} : hearing(accountId, sourceId, signals));
  try {
    const changes = trackIncidents(on.store.pool, accountId, sourceId);
    await on.looks(accountId, () => changes.begin());
    yield { kind: 'ready' };
    while (!signal.aborted) {
      await hints.wait(Math.min(POLL_MS, signals?.dueInMs() ?? POLL_MS), signal);
      if (signal.aborted) break;
      const events = await on.looks(accountId, async () => {
        await check();
        return changes.look();
      });
      for (let from = 0; from < events.length; from += AT_ONCE) {
        const bundle = await on.looks(accountId, async () => {
          if (from > 0) await check();
          return withIncidents(on.store, accountId, events.slice(from, from + AT_ONCE));
        });
        yield* bundle;
      }
      if (signals?.take() === 'due') yield { kind: 'signal' };
      await pause(REST_MS, signal);
    }
    endOfStream(signal);
  } finally {
    hints.end();
  }
}

/**
 * What wakes whoever wants signals: changes of incidents as all others, and calls, which change none, once until they are
 * told. Of another source than theirs nothing is told.
 */
function hearing(accountId: string, sourceId: string, signals: Pace) {
  const isOther = (payload: unknown) => sourceId !== '' && !['', sourceId].includes(alarmOf(payload));
  return {
    hear(payload: unknown) {
      if (!isOther(payload)) signals.note();
      return 'concerns' as const;
    },
    missed: () => signals.note(),
    also: [
      {
        subject: subjects.calls(accountId),
        hear(payload: unknown) {
          if (isOther(payload) || signals.waits()) return 'ignored' as const;
          signals.note();
          return 'concerns' as const;
        },
      },
    ],
  };
}

/** Whoever named no account, as they were a member of one alone, may have become a member of another one alone. */
function movedOn(): ConnectError {
  return new ConnectError(say().refusals.streamOfFormerAccount, Code.NotFound);
}

async function checkSource(store: Store, accountId: string, sourceId: string): Promise<void> {
  const filter = idFilter('sourceId', 'id', sourceId);
  if (sourceId === '' || (await store.orm.em.fork().count(Source, { accountId, ...filter })) > 0) return;
  throw new ConnectError(say().refusals.noSuch('source', ''), Code.NotFound);
}

async function withIncidents(store: Store, accountId: string, events: readonly IncidentEvent[]): Promise<Told[]> {
  const ids = events.map(({ incidentId }) => incidentId);
  const rows = await store.orm.em.fork().find(Incident, { accountId, id: { $in: ids } });
  const views = new Map(rows.map(row => [row.id, incidentView(row)]));
  return events.flatMap(({ kind, incidentId }) => {
    const incident = views.get(incidentId);
    return incident === undefined ? [] : [{ kind, incidentId, incident }];
  });
}
