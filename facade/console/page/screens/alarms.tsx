import { useCallback, useState } from 'preact/hooks';
import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import { Choice, Empty } from '../../design/parts.tsx';
import { AddSource } from '../alarms/add.tsx';
import { Block, type Filters, type From } from '../alarms/block.tsx';
import { useKnown } from '../alarms/known.ts';
import { usePlaces } from '../alarms/lists.ts';
import { Many } from '../alarms/many.tsx';
import { NoPlace, PlaceDialog } from '../alarms/place.tsx';
import { sourceOrders } from '../alarms/rows.tsx';
import type { Source } from '../alarms/source.ts';
import { useStable } from '../live/use-stable.ts';
import { OrderChoice } from '../parts/heads.tsx';
import { Search } from '../parts/search.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { may } from '../rpc/permissions.ts';
import { filter, query } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';

/** "More" adds so many pages of 200. */
const MORE = 5;

/** Shows all alarms and panic buttons by location; the filters stand in the address. */
export function AlarmsScreen() {
  const say = wordsOf('alarms');
  const search = query.value.get('search') ?? '';
  const locationId = query.value.get('location') ?? '';
  const places = usePlaces();
  const { known, ready, total } = useKnown();
  const [picked, pick] = useState<ReadonlyMap<string, Source>>(new Map());
  const toggle = useCallback((of: Source) => {
    pick(before => {
      const next = new Map(before);
      if (!next.delete(of.id)) next.set(of.id, of);
      return next;
    });
  }, []);
  const [whole, isWhole] = useState<readonly Source[] | null>(null);
  const add = query.value.get('add');
  return (
    <>
      <div class="head">
        <div>
          <h1>{say.title}</h1>
          {total !== null && total > 0 && <p class="soft">{say.counts(total, ready ?? 0)}</p>}
        </div>
        {may('configure') && <Adding />}
      </div>
      {places.data === null ? (
        <Waiting on={places} />
      ) : (
        <>
          {total !== 0 && (
            <div class="filters">
              <Search label={say.search} />
              {places.data.length > 1 && (
                <Choice
                  label={say.location}
                  value={locationId}
                  options={[['', words().all], ...places.data.map(({ id, name }) => [id, name] as const)]}
                  onChoose={location => filter({ location, show: '' })}
                />
              )}
              {whole !== null && <OrderChoice orders={sourceOrders(known, whole)} />}
            </div>
          )}
          <Blocks
            key={`${search} ${locationId}`}
            filters={{ search, locationId }}
            {...{ known, picked, places: places.data }}
            onPick={toggle}
            onWhole={isWhole}
          />
          <Many of={[...picked.values()]} onDone={() => pick(new Map())} />
          {(add === 'alarm' || add === 'panic_button') && may('configure') && (
            <AddSource kind={add} places={places.data} onClose={() => filter({ add: '' })} />
          )}
          <PlaceAsked places={places.data} />
        </>
      )}
    </>
  );
}

/** Shows the location that the address names, or a new one if it says so and its reader may add one. */
function PlaceAsked({ places }: { places: readonly Location[] }) {
  const id = query.value.get('place') ?? '';
  const isNew = id === '' && query.value.get('add') === 'location' && may('configure');
  const close = () => filter({ add: '', place: '' });
  const of = places.find(place => place.id === id);
  if (isNew || of !== undefined) return <PlaceDialog key={id} of={of ?? null} onClose={close} />;
  return id === '' ? null : <NoPlace onClose={close} />;
}

function Adding() {
  const say = wordsOf('alarms');
  return (
    <div class="adding">
      <button type="button" class="button" onClick={() => filter({ add: 'alarm' })}>
        {say.addAlarm}
      </button>
      <button type="button" class="button quiet" onClick={() => filter({ add: 'panic_button' })}>
        {say.addButton}
      </button>
      <button type="button" class="button quiet" onClick={() => filter({ add: 'location' })}>
        {say.addPlace}
      </button>
    </div>
  );
}

/** `onWhole`: told of all there is where it stands on the first page; null: it does not. */
type BlocksOf = { filters: Filters; onWhole(all: readonly Source[] | null): void } & Pick<
  Parameters<typeof Block>[0],
  'places' | 'known' | 'picked' | 'onPick'
>;

/** Shows the pages so far, and the way to more. */
function Blocks(on: BlocksOf) {
  const shown = Math.max(1, Number(query.value.get('show')) || 1);
  const [pages, setPages] = useState<readonly { count: number; next: From | null }[]>([]);
  const places = useStable(on.places);
  const froms: From[] = [{ alarms: '', buttons: '' }];
  for (const { next } of pages.slice(0, shown - 1)) if (next !== null) froms.push(next);
  const last = pages[froms.length - 1];
  const isEmpty = pages[0]?.count === 0;

  function learn(index: number, sources: readonly Source[], next: From | null) {
    if (index === 0) on.onWhole(next === null ? sources : null);
    setPages(before => [...before.slice(0, index), { count: sources.length, next }, ...before.slice(index + 1)]);
  }

  return (
    <>
      {isEmpty && <None filtered={on.filters.search !== '' || on.filters.locationId !== ''} />}
      {froms.map((from, index) => (
        <Block
          key={`${index} ${from.alarms} ${from.buttons}`}
          {...{ ...on, places, from }}
          onRead={(sources, next) => learn(index, sources, next)}
        />
      ))}
      {last !== undefined && last.next !== null && (
        <button type="button" class="button quiet" onClick={() => filter({ show: String(shown + MORE) })}>
          {words().incidents.more}
        </button>
      )}
    </>
  );
}

function None({ filtered }: { filtered: boolean }) {
  const { none, noMatch } = wordsOf('alarms');
  return (
    <div class="card">
      {filtered ? (
        <Empty icon="search" title={noMatch.title} text={noMatch.text}>
          <button type="button" class="button quiet" onClick={() => filter({ search: '', location: '' })}>
            {noMatch.do}
          </button>
        </Empty>
      ) : (
        <Empty icon="alarms" title={none.title} text={none.text}>
          {may('configure') && (
            <button type="button" class="button" onClick={() => filter({ add: 'alarm' })}>
              {none.do}
            </button>
          )}
        </Empty>
      )}
    </div>
  );
}
