import type { Finding, GetReadinessResponse } from '../../../../gen/tocsin/console/v1/readiness_pb.ts';
import type { GetTonightResponse } from '../../../../gen/tocsin/console/v1/tonight_pb.ts';
import type { Incident } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { needsSomebody, titleOf } from '../live/open-incidents.ts';
import { may } from '../rpc/permissions.ts';
import { addressOf } from '../way/router.ts';
import { words } from '../words.ts';
import type { Asked } from './acknowledge-all.tsx';
import { groupsOf } from './finding-list.tsx';
import { Fold } from './fold.tsx';
import { InTheWay } from './in-the-way.tsx';
import { StateChips } from './incident-card.tsx';
import { LastCalls, type useLastCalls } from './last-calls.tsx';
import { Sources } from './sources.tsx';
import { Time } from './time.tsx';
import { Tonight } from './tonight.tsx';
import type { useSources } from './use-sources.ts';

/** How many places are shown, and incidents of each, before the rest is told by its number. */
const PLACES = 6;
const INCIDENTS = 8;

/** The open incidents of a location. */
interface Place {
  id: string;
  name: string;
  open: readonly Incident[];
}

/**
 * Shows many open incidents by location, where more of them need somebody first, and folds away what else Home shows: whoever is woken
 * up sees at once where to go (DECISIONS.md "A storm on Home").
 */
export function Storm(on: {
  open: readonly Incident[];
  sources: ReturnType<typeof useSources>;
  readiness: GetReadinessResponse;
  tonight: GetTonightResponse;
  findings: readonly Finding[];
  calls: ReturnType<typeof useLastCalls>;
  /** The question that stands, null: none. Whoever shows this holds it: it outlives the place, and the storm. */
  asked: Asked | null;
  onAsk(asked: Asked): void;
}) {
  const say = words().storm;
  const places = placesOf(on.open, on.asked?.order ?? []);
  const more = places.length - PLACES;
  const inTheWay = groupsOf(on.findings.filter(({ severity }) => severity !== 'notes')).length;
  return (
    <>
      <section class="stack storm">
        <h2>{say.counts(countsOf(on.open))}</h2>
        <ul class="card rows">
          {places.slice(0, PLACES).map(place => (
            <At
              key={place.id}
              place={place}
              onAsk={of => on.onAsk({ at: place.name, of, order: places.map(({ id }) => id) })}
            />
          ))}
        </ul>
        {more > 0 && (
          <a href={addressOf('incidents?status=open')} data-screen>
            {say.morePlaces(more)}
          </a>
        )}
      </section>
      <div class="stack">
        <Fold title={words().home.sources} says={String(on.readiness.total)}>
          <Sources sources={on.sources} open={on.open} readiness={on.readiness} />
        </Fold>
        <Fold title={words().tonight.title} says="">
          <Tonight of={on.tonight} />
        </Fold>
        <Fold title={words().findings.inTheWay} says={String(inTheWay)}>
          <InTheWay findings={on.findings} />
        </Fold>
        <Fold title={words().home.lastCalls} says="">
          <LastCalls calls={on.calls} of="all" none={words().home.noCalls} />
        </Fold>
      </div>
    </>
  );
}

function At({ place, onAsk }: { place: Place; onAsk(of: readonly Incident[]): void }) {
  const say = words().storm;
  const waiting = place.open.filter(needsSomebody);
  const more = place.open.length - INCIDENTS;
  return (
    <li>
      <div class="at">
        <b class="clamped" dir="auto">
          {place.name}
        </b>
        {waiting.length > 0 && may('act') && (
          <button
            type="button"
            class="button acknowledge"
            aria-label={`${say.acknowledge(waiting.length)}: ${place.name}`}
            onClick={() => onAsk(waiting)}
          >
            {say.acknowledge(waiting.length)}
          </button>
        )}
      </div>
      <details>
        <summary class="soft small">{say.counts(countsOf(place.open))}</summary>
        <ul class="rows">
          {place.open.slice(0, INCIDENTS).map(incident => (
            <li key={incident.id} class="row">
              <div dir="auto">
                <a class="to clamped" href={addressOf(`incidents/${incident.id}`)} data-screen>
                  {titleOf(incident)}
                </a>
                <small>
                  <Time at={incident.openedAt} />
                  {incident.acknowledgedBy !== '' && (
                    <>
                      {' · '}
                      <bdi>{words().incident.acknowledgedBy(incident.acknowledgedBy)}</bdi>
                    </>
                  )}
                </small>
              </div>
              <StateChips of={incident} />
            </li>
          ))}
        </ul>
        {more > 0 && (
          <a class="row small" href={addressOf(`incidents?status=open&place=${place.id}`)} data-screen>
            {words().home.more(more)}
          </a>
        )}
      </details>
    </li>
  );
}

/** Where more need somebody comes first; of equals, where more is open. `order`: those that stay where they are. */
function placesOf(open: readonly Incident[], order: readonly string[]): Place[] {
  const groups = [...Map.groupBy(open, ({ locationId }) => locationId)];
  const places = groups.map(([id, of]) => ({ id, name: of[0]!.locationName, open: of }));
  const kept = (place: Place) => (order.includes(place.id) ? order.indexOf(place.id) : order.length);
  const waiting = (place: Place) => place.open.filter(needsSomebody).length;
  return places.sort(
    (one, other) => kept(one) - kept(other) || waiting(other) - waiting(one) || other.open.length - one.open.length,
  );
}

function countsOf(open: readonly Incident[]) {
  const live = open.filter(({ environment }) => environment === 'live');
  const waiting = live.filter(needsSomebody).length;
  return { waiting, taken: live.length - waiting, test: open.length - live.length };
}
