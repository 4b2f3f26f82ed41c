import { filter, query } from '../way/router.ts';
import { words } from '../words.ts';

/** So many of a list are shown at first, and so many more each time. */
const FIRST = 50;
const STEP = 200;

/** Returns how many of the screen's list are shown: the URL says so, and "back" shows as many again. */
export function shownNow(): number {
  return Math.max(FIRST, Math.floor(Number(query.value.get('show'))) || 0);
}

/** Shows the button for more of a list, where there is more of it. */
export function LoadMore({ rest }: { rest: 'more' | 'none' }) {
  if (rest === 'none') return null;
  return (
    <button type="button" class="button quiet" onClick={() => filter({ show: String(nextAfter(shownNow())) })}>
      {words().incidents.more}
    </button>
  );
}

/** Whole pages of STEP, as those are what is read. */
function nextAfter(shown: number): number {
  return (Math.floor(shown / STEP) + 1) * STEP;
}
