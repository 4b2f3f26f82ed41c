import type { Narrowing } from '../way/narrowing.ts';
import { filter } from '../way/router.ts';
import { wordsOf } from '../words.ts';
import { dayNamed } from './day-name.ts';
import { lazyScreen } from './lazy-screen.tsx';
import { NameOf } from './more-filters.tsx';

/**
 * Says to what a list is narrowed by its address, and how to see all of it. `names`: as the first of the list says; empty: it has
 * none. Its words are fetched with it.
 */
export const Narrowed = lazyScreen(async () => To, 'rest', 'nothing');

function To({ to, names }: { to: Narrowing; names: { place: string; source: string } }) {
  const say = wordsOf('days');
  const parts = [
    to.place === '' ? '' : names.place || say.onePlace,
    to.source === '' ? '' : names.source || say.oneSource,
    to.key === '' ? '' : <NameOf by="key" id={to.key} />,
    to.person === '' ? '' : <NameOf by="person" id={to.person} />,
    to.day === '' ? '' : dayNamed(to.day),
  ].filter(part => part !== '');
  return (
    <p class="narrowed">
      <span class="clamped">
        {say.only} <bdi>{parts.flatMap((part, nth) => (nth === 0 ? [part] : [' · ', part]))}</bdi>
        {to.key && <small class="soft"> · {wordsOf('lists').ofKey}</small>}
      </span>
      <button
        type="button"
        class="button quiet"
        onClick={() => filter({ place: '', source: '', key: '', person: '', day: '', until: '' })}
      >
        {say.showAll}
      </button>
    </p>
  );
}
