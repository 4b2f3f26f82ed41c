import { filter, query } from '../way/router.ts';
import { words } from '../words.ts';

/** How many entries a list shows at first, and how many more each time. */
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

/** Returns the next count in whole pages of STEP, because whole pages are read. */
function nextAfter(shown: number): number {
  return (Math.floor(shown / STEP) + 1) * STEP;
}
