import type { Narrowing } from '../way/narrowing.ts';
import { filter } from '../way/router.ts';
import { wordsOf } from '../words.ts';
import { dayNamed } from './day-name.ts';

/** Says to what a list is narrowed by its address, and how to see all of it. `names`: as the first of the list says; empty: it has none. */
export function Narrowed({ to, names }: { to: Narrowing; names: { place: string; source: string } }) {
  const say = wordsOf('days');
  const parts = [
    to.place === '' ? '' : names.place || say.onePlace,
    to.source === '' ? '' : names.source || say.oneSource,
    to.day === '' ? '' : dayNamed(to.day),
  ].filter(part => part !== '');
  return (
    <p class="narrowed">
      <span class="clamped">
        {say.only} <bdi>{parts.join(' · ')}</bdi>
      </span>
      <button type="button" class="button quiet" onClick={() => filter({ place: '', source: '', day: '', until: '' })}>
        {say.showAll}
      </button>
    </p>
  );
}
