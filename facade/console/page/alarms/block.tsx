import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import { Skeleton } from '../../design/parts.tsx';
import { useQuery } from '../live/use-query.ts';
import { useStable } from '../live/use-stable.ts';
import { inOrder } from '../parts/heads.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { alarms, panicButtons, READ } from '../rpc/rpc.ts';
import { query } from '../way/router.ts';
import { words } from '../words.ts';
import { type Known, PlaceRows, sourceOrders } from './rows.tsx';
import type { Source } from './source.ts';

/** Where the next page begins: the `next_page_token` of the last one. Null: there is none. */
export interface From {
  alarms: string | null;
  buttons: string | null;
}

export interface Filters {
  search: string;
  locationId: string;
}

export interface BlockOf {
  from: From;
  filters: Filters;
  places: readonly Location[];
  known: Known;
  picked: ReadonlyMap<string, Source>;
  onPick(of: Source): void;
  onRead(sources: readonly Source[], next: From | null): void;
}

const SIZE = 200;
const NONE = { things: [] as Source[], next: '' };

/** A page counts as in view this far outside of it, so that it is drawn before it is seen. */
const NEAR = '800px';

/**
 * Shows one page of sources by location. It is read and drawn again only while it is in view, so that a long list costs
 * what is seen of it.
 */
export function Block(on: BlockOf) {
  const { from, filters } = on;
  const whole = useRef<HTMLDivElement>(null);
  const [is, now] = useState<'in_view' | 'out_of_view'>('in_view');
  const last = useRef<{ sources: Source[]; next: From | null } | null>(null);
  const found = useQuery(`sources ${JSON.stringify([from, filters])}`, async () => {
    if (is === 'out_of_view' && last.current !== null) return last.current;
    last.current = await readPage(from, filters);
    return last.current;
  });
  // Of very many pages the oldest are no longer remembered elsewhere.
  const data = useStable(found.data ?? last.current);

  useEffect(() => {
    const watch = new IntersectionObserver(
      entries => now(entries.at(-1)?.isIntersecting === false ? 'out_of_view' : 'in_view'),
      { rootMargin: NEAR },
    );
    watch.observe(whole.current!);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (data !== null) on.onRead(data.sources, data.next);
  }, [data]);

  const drawnOf = useRef(on);
  if (is === 'in_view') drawnOf.current = on;
  const { places, known, picked, onPick } = drawnOf.current;
  const isBegin = from.alarms === '' && from.buttons === '';
  const isFirst = isBegin && filters.search === '';
  const order = query.value.get('order');
  const drawn = useMemo(() => {
    // In order is only what is here as a whole.
    const sources = data?.sources ?? [];
    const orders = isBegin && data?.next === null ? sourceOrders(known, sources) : null;
    const ordered = orders === null ? sources : inOrder(sources, orders);
    const byPlace = Map.groupBy(ordered, ({ locationId }) => locationId);
    // A location with nothing at it is shown once, and alone those that were asked for.
    const wanted = places.filter(({ id }) => filters.locationId === '' || filters.locationId === id);
    const heading = isBegin ? wanted.find(({ id }) => byPlace.has(id)) : undefined;
    return wanted
      .filter(({ id }) => isFirst || byPlace.has(id))
      .map(place => (
        <PlaceRows
          key={place.id}
          place={place}
          sources={byPlace.get(place.id) ?? []}
          known={known}
          picked={picked}
          heads={place === heading ? 'seen' : 'unseen'}
          orders={place === heading ? orders : null}
          onPick={onPick}
        />
      ));
  }, [data, places, known, picked, order]);
  return (
    <div ref={whole} class="stack block">
      {data === null && (found.fault === null ? <Skeleton label={words().loading} /> : <Waiting on={found} />)}
      {data !== null && drawn}
    </div>
  );
}

async function readPage(from: From, { search, locationId }: Filters) {
  const asked = { pageSize: SIZE, search, locationId };
  const [ofAlarms, ofButtons] = await Promise.all([
    from.alarms === null
      ? NONE
      : alarms
          .listAlarms({ ...asked, pageToken: from.alarms }, READ)
          .then(page => ({ things: page.alarms as Source[], next: page.nextPageToken })),
    from.buttons === null
      ? NONE
      : panicButtons
          .listPanicButtons({ ...asked, pageToken: from.buttons }, READ)
          .then(page => ({ things: page.panicButtons as Source[], next: page.nextPageToken })),
  ]);
  const next = { alarms: ofAlarms.next || null, buttons: ofButtons.next || null };
  const isEnd = next.alarms === null && next.buttons === null;
  return { sources: [...ofAlarms.things, ...ofButtons.things], next: isEnd ? null : next };
}
