import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { Choice, Empty } from '../../design/parts.tsx';
import { LoadMore, shownNow } from '../parts/load-more.tsx';
import { Search } from '../parts/search.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { isCalled, readsIn, usePeople } from '../people/people.ts';
import { canBeReached } from '../people/reach.ts';
import { WayChip } from '../people/way-chip.tsx';
import { may } from '../rpc/permissions.ts';
import { addressOf, filter, query } from '../way/router.ts';
import { language, wordsOf } from '../words.ts';

/** A shorter list needs no search. */
const SEARCHED_FROM = 10;

/** Lists contacts and whether they can be reached; the search stands in the address. */
export function PeopleScreen() {
  const say = wordsOf('people');
  const found = usePeople();
  const people = found.data ?? [];
  const search = query.value.get('search') ?? '';
  const wanted = search === '' ? people : people.filter(person => isCalled(person, search));
  const order = query.value.get('order') ?? '';
  const shown = inOrder(wanted, order).slice(0, shownNow());
  const unreached = people.filter(person => !canBeReached(person)).length;
  return (
    <>
      <div class="head top">
        <div>
          <h1>{say.title}</h1>
          {people.length > 0 && (
            <p class="soft">{unreached === 0 ? say.everybody : say.some(unreached, people.length)}</p>
          )}
        </div>
        {people.length > 0 && <AddPerson />}
      </div>
      {(search !== '' || people.length >= SEARCHED_FROM) && (
        <div class="filters">
          <Search label={say.search} />
          <Choice
            label={say.sort.label}
            name="order"
            value={order}
            options={Object.entries(say.sort.by)}
            onChoose={order => filter({ order })}
          />
        </div>
      )}
      {found.data === null ? (
        <Waiting on={found} />
      ) : (
        <div class="card">
          <ul class="rows in-columns">
            {shown.map(person => (
              <Row key={person.id} of={person} />
            ))}
          </ul>
          {people.length === 0 && (
            <Empty icon="people" title={say.none.title} text={say.none.text}>
              <AddPerson />
            </Empty>
          )}
          {people.length > 0 && wanted.length === 0 && (
            <Empty icon="search" title={say.noMatch.title} text={say.noMatch.text}>
              <button type="button" class="button quiet" onClick={() => filter({ search: '' })}>
                {say.noMatch.do}
              </button>
            </Empty>
          )}
        </div>
      )}
      <LoadMore rest={shown.length < wanted.length ? 'more' : 'none'} />
    </>
  );
}

/** Returns people as the address orders them; as they were added where it does not. */
function inOrder(people: readonly Contact[], order: string): readonly Contact[] {
  if (order === 'name') return people.toSorted((one, other) => one.name.localeCompare(other.name, language.value));
  if (order === 'proven') return people.toSorted((one, other) => provenOf(one) - provenOf(other));
  if (order === 'reach')
    return people.toSorted((one, other) => Number(canBeReached(one)) - Number(canBeReached(other)));
  return people;
}

/** When they last answered from anywhere, in seconds since 1970; 0: never. */
function provenOf({ channels }: Contact): number {
  return Math.max(0, ...channels.map(({ provenAt }) => Number(provenAt?.seconds ?? 0)));
}

function AddPerson() {
  if (!may('configure')) return null;
  return (
    <a class="button" href={addressOf('people/new')} data-screen>
      {wordsOf('people').add}
    </a>
  );
}

function Row({ of }: { of: Contact }) {
  return (
    <li class="thing">
      <div>
        <a href={addressOf(`people/${of.id}`)} data-screen dir="auto">
          {of.name}
        </a>
        <small>{readsIn(of)}</small>
      </div>
      <span class="chips">
        {of.channels.map(way => (
          <WayChip key={`${way.channel} ${way.address}`} of={way} short />
        ))}
        {of.channels.length === 0 && <span class="soft small">{wordsOf('people').noWays.title}</span>}
      </span>
    </li>
  );
}
