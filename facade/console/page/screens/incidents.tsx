import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { useState } from 'preact/hooks';
import type { Incident } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Choice, Empty, Field } from '../../design/parts.tsx';
import { OPEN_MOST, titleOf, trippedOf, useOpenIncidents } from '../live/open-incidents.ts';
import { useQuery } from '../live/use-query.ts';
import { useHeldOrder } from '../live/use-stable.ts';
import { Actions } from '../parts/act.tsx';
import { StateChips } from '../parts/incident-card.tsx';
import { LoadMore, shownNow } from '../parts/load-more.tsx';
import { MoreFilters } from '../parts/more-filters.tsx';
import { Narrowed } from '../parts/narrowed.tsx';
import { Time } from '../parts/time.tsx';
import { useSources } from '../parts/use-sources.ts';
import { Waiting } from '../parts/waiting.tsx';
import { readSome } from '../rpc/pages.ts';
import { may } from '../rpc/permissions.ts';
import { incidents, READ } from '../rpc/rpc.ts';
import { daySpan, type Narrowing, narrowing } from '../way/narrowing.ts';
import { addressOf, filter, query } from '../way/router.ts';
import { words } from '../words.ts';

/** Lists incidents, open and past; the filters stand in the address. */
export function IncidentsScreen() {
  const say = words().incidents;
  const [picked, pick] = useState<ReadonlySet<string>>(new Set());
  const status = query.value.get('status') ?? '';
  const environment = query.value.get('environment') ?? '';
  const shown = shownNow();
  const open = useOpenIncidents();
  const to = narrowing();
  const isNarrowed = Object.values(to).some(one => one !== '');
  /** Of others it is not offered: a list is in order only where all of it is here. */
  const canOrder = status === 'open' && open.data !== null && open.data.length < OPEN_MOST;
  const order = canOrder ? (query.value.get('order') ?? '') : '';
  const asked = {
    status,
    environment,
    locationId: to.place,
    sourceId: to.source,
    keyId: to.key,
    contactId: to.person,
    ...(to.day === '' ? {} : openedOn(to.day)),
  };
  const read = () =>
    readSome(order === '' ? shown : OPEN_MOST, async page => {
      const { incidents: some, nextPageToken } = await incidents.listIncidents({ ...asked, ...page }, READ);
      return [some, nextPageToken];
    });
  const which = order === '' ? shown : 'all';
  // These are searched for among all that there are.
  const pace = to.key + to.person === '' ? 'usual' : 'slow';
  const found = useQuery(`incidents ${status} ${environment} ${Object.values(to).join()}`, read, which, pace);
  const { list, hold } = useHeldOrder<Incident, HTMLUListElement>();
  const ordered =
    found.data?.rest === 'none' ? hold(inOrder(found.data.things, order), order) : (found.data?.things ?? []);
  const things = order === '' ? ordered : ordered.slice(0, shown);
  const first = things[0];
  const waiting = things.filter(({ status }) => status === 'open');
  const chosen = waiting.filter(({ id }) => picked.has(id));

  function toggle(id: string) {
    pick(before => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }

  return (
    <>
      <div>
        <h1>{say.title}</h1>
        {open.data !== null && <p class="soft">{countsOf(open.data)}</p>}
      </div>
      <Filters
        status={status}
        environment={environment}
        to={to}
        named={first?.sourceName ?? ''}
        order={canOrder ? order : null}
      />
      {isNarrowed && <Narrowed to={to} names={{ place: first?.locationName ?? '', source: first?.sourceName ?? '' }} />}
      {found.data === null ? (
        <Waiting on={found} />
      ) : (
        <div class="card">
          {waiting.length > 1 && may('act') && (
            <label class="pick-all">
              <span class="check">
                <input
                  type="checkbox"
                  checked={chosen.length === waiting.length}
                  onChange={() => pick(new Set(chosen.length === waiting.length ? [] : waiting.map(({ id }) => id)))}
                />
              </span>
              {say.select(words().incident.some(waiting.length))}
            </label>
          )}
          <ul ref={list} class="rows in-columns">
            {things.map(incident => (
              <Row
                key={incident.id}
                of={incident}
                picked={picked.has(incident.id)}
                onToggle={() => toggle(incident.id)}
              />
            ))}
          </ul>
          {things.length === 0 && <None filtered={status !== '' || environment !== '' || isNarrowed} />}
        </div>
      )}
      {found.data !== null && <LoadMore rest={things.length < ordered.length ? 'more' : found.data.rest} />}
      {chosen.length > 0 && (
        <section class="card many" aria-label={say.selected(chosen.length)}>
          <b>{say.selected(chosen.length)}</b>
          <Actions
            of={chosen}
            onDone={() => {
              pick(new Set());
              found.again();
            }}
          />
        </section>
      )}
    </>
  );
}

/** `named`: the alarm or panic button that it is narrowed to, which may be gone. `order`: null where none is offered. */
function Filters(on: { status: string; environment: string; to: Narrowing; named: string; order: string | null }) {
  const say = words();
  const { status, environment, to } = on;
  const { data } = useSources();
  const sources = [...(data?.alarms ?? []), ...(data?.buttons ?? [])].map(({ id, name }) => [id, name] as const);
  const isListed = to.source === '' || sources.some(([id]) => id === to.source);
  return (
    <div class="filters">
      <Choice
        label={say.incidents.status}
        value={status}
        options={[
          ['', say.all],
          ['open', say.incident.open],
          ['closed', say.incident.closed],
        ]}
        onChoose={status => filter({ status })}
      />
      <Choice
        label={say.incidents.environment}
        value={environment}
        options={[
          ['', say.all],
          ['live', say.incident.live],
          ['test', say.incident.test],
        ]}
        onChoose={environment => filter({ environment })}
      />
      <Choice
        label={say.incidents.source}
        name="source"
        value={to.source}
        options={[['', say.all], ...sources, ...(isListed ? [] : [[to.source, on.named || '…'] as const])]}
        onChoose={source => filter({ source, show: '' })}
      />
      <Field
        label={say.incidents.day}
        name="day"
        type="date"
        value={to.day}
        onInput={day => filter({ day, show: '' })}
      />
      <MoreFilters to={to} order={on.order} />
    </div>
  );
}

function Row({ of, picked, onToggle }: { of: Incident; picked: boolean; onToggle(): void }) {
  const say = words();
  const title = titleOf(of);
  const tripped = trippedOf(of);
  return (
    <li class="pick">
      {of.status === 'open' && may('act') ? (
        <label class="check">
          <input type="checkbox" checked={picked} onChange={onToggle} aria-label={say.incidents.select(title)} />
        </label>
      ) : (
        <span />
      )}
      <div>
        <a href={addressOf(`incidents/${of.id}`)} data-screen dir="auto">
          {title}
        </a>
        {tripped !== null && <small dir="auto">{say.incident.tripped(tripped)}</small>}
        <small>
          <bdi>{of.locationName}</bdi> · <Time at={of.openedAt} /> · {say.incident.triggers(of.triggerCount)}
          {of.acknowledgedBy !== '' && (
            <>
              {' · '}
              <bdi>{say.incident.acknowledgedBy(of.acknowledgedBy)}</bdi>
            </>
          )}
        </small>
      </div>
      <StateChips of={of} />
    </li>
  );
}

function None({ filtered }: { filtered: boolean }) {
  const { none, noMatch } = words().incidents;
  if (!filtered) {
    return (
      <Empty icon="incidents" title={none.title} text={none.text}>
        {may('act') && (
          <a class="button quiet" href={addressOf('alarms')} data-screen>
            {none.do}
          </a>
        )}
      </Empty>
    );
  }
  return (
    <Empty icon="search" title={noMatch.title} text={noMatch.text}>
      <button
        type="button"
        class="button quiet"
        onClick={() => filter({ status: '', environment: '', place: '', source: '', key: '', person: '', day: '' })}
      >
        {noMatch.do}
      </button>
    </Empty>
  );
}

/** Returns open incidents, newest first, as the address orders them. */
function inOrder(open: readonly Incident[], order: string): readonly Incident[] {
  if (order === '') return open;
  const oldest = open.toReversed();
  if (order !== 'unanswered') return oldest;
  return oldest.toSorted((one, other) => waitsBehind(one) - waitsBehind(other));
}

function waitsBehind({ environment, acknowledgedAt }: Incident): number {
  return acknowledgedAt ? 2 : Number(environment !== 'live');
}

function openedOn(day: string) {
  const { from, to } = daySpan(day);
  return { openedAfter: timestampFromDate(from), openedBefore: timestampFromDate(to) };
}

/** Says how many incidents are open. Acknowledged ones are counted: they are open. */
function countsOf(open: readonly Incident[]): string {
  const waiting = open.filter(({ acknowledgedAt }) => acknowledgedAt === undefined).length;
  return words().incidents.counts(open.length, waiting);
}
