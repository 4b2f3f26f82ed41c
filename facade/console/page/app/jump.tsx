import { useRef, useState } from 'preact/hooks';
import { Dialog } from '../../design/dialog.tsx';
import { Field } from '../../design/parts.tsx';
import { screenOf } from '../alarms/source.ts';
import { useQuery } from '../live/use-query.ts';
import { isCalled, useDuties, usePeople, usePolicies } from '../people/people.ts';
import { alarms, panicButtons, READ } from '../rpc/rpc.ts';
import { addressOf, go } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';

/** How many of each kind are offered: whoever does not see theirs types on. */
const MOST = 5;

/** More of a name is not searched for, in characters. */
const LONGEST = 100;

interface Place {
  href: string;
  name: string;
  kind: string;
}

/** Finds a screen, an alarm, a person, a policy or a duty by its name, and goes there. Enter takes the first. */
export function Jump(on: {
  screens: readonly (readonly [to: string, name: string])[];
  onClose(): void;
  onShortcuts(): void;
}) {
  const { screens, onClose } = on;
  const say = wordsOf('jump');
  const [search, type] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const found = usePlaces(search.trim(), screens);
  const links = () => [...(list.current?.querySelectorAll('a') ?? [])];

  /** Up and down go through what was found, and up from the first back to where one types. */
  function move(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const to = links().indexOf(document.activeElement as HTMLAnchorElement) + step;
    const field = event.currentTarget as Element;
    (links()[Math.min(to, links().length - 1)] ?? field.querySelector('input'))?.focus();
  }

  return (
    <Dialog title={say.title} onClose={onClose}>
      <form
        class="jump"
        onKeyDown={move}
        onSubmit={event => {
          event.preventDefault();
          const [first] = found;
          if (first === undefined) return;
          onClose();
          go(first.href);
        }}
      >
        <Field label={say.what} name="jump" type="search" value={search} focus onInput={type} />
        <ul ref={list} class="rows">
          {found.map(({ href, name, kind }) => (
            <li key={href}>
              <a href={href} data-screen onClick={onClose}>
                <bdi>{name}</bdi> <small class="soft">{kind}</small>
              </a>
            </li>
          ))}
        </ul>
        <p class="soft small" role="status">
          {found.length === 0 ? say.none : say.count(found.length)}
        </p>
        <div class="choices">
          <button type="button" class="button quiet" onClick={onClose}>
            {words().cancel}
          </button>
          <button type="button" class="button bare" onClick={on.onShortcuts}>
            {say.keys}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns where a text may lead: screens first, as they are here already. */
function usePlaces(search: string, screens: readonly (readonly [to: string, name: string])[]): Place[] {
  const { kinds } = wordsOf('jump');
  const asked = { search: search.slice(0, LONGEST), pageSize: MOST };
  const sources = useQuery(
    'jump',
    () => Promise.all([alarms.listAlarms(asked, READ), panicButtons.listPanicButtons(asked, READ)]),
    search,
  );
  const [ofAlarms, ofButtons] = sources.data ?? [{ alarms: [] }, { panicButtons: [] }];
  const people = usePeople().data ?? [];
  const named = (of: readonly { id: string; name: string }[] | null, to: string, kind: string) =>
    (of ?? [])
      .filter(({ name }) => has(name, search))
      .map(({ id, name }) => ({ href: addressOf(`${to}/${id}`), name, kind }));
  const pages = screens.map(([to, name]) => ({ href: addressOf(`./${to}`), name, kind: kinds.screen }));
  return [
    pages.filter(({ name }) => has(name, search)),
    // What was found before stays until the next answer is there.
    ofAlarms.alarms
      .filter(({ name }) => has(name, search))
      .map(of => ({ href: screenOf(of), name: of.name, kind: kinds.alarm })),
    ofButtons.panicButtons
      .filter(({ name }) => has(name, search))
      .map(of => ({ href: screenOf(of), name: of.name, kind: words().states.panic })),
    named(
      people.filter(person => isCalled(person, search)),
      'people',
      kinds.person,
    ),
    named(usePolicies().data, 'policies', kinds.policy),
    named(useDuties().data, 'duties', kinds.duty),
  ].flatMap(some => some.slice(0, MOST));
}

function has(name: string, search: string): boolean {
  return name.toLowerCase().includes(search.toLowerCase());
}
