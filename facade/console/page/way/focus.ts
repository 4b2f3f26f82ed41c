import { useEffect } from 'preact/hooks';
import { addressOf, MOVES, path } from './router.ts';

/** A screen is there by then, in milliseconds. */
const ARRIVES_MS = 10_000;

const FIELDS = 'input, select, textarea, button, a';

/** Whether the browser goes back or forth to another screen: then it comes to where one was (router.ts). */
let comesBack = false;
addEventListener('popstate', () => {
  comesBack = location.pathname !== new URL(addressOf(path.peek())).pathname;
  // A shortcut of the home screen leads into a page that is open already.
  if (!comesBack) focusAddressed();
});

/** Moves the focus to the field that the address names behind its `#`, by id or name, as soon as it is there. */
export function focusAddressed(): void {
  if (location.hash !== '') untilDone(intoField);
}

/** Moves the focus on a new screen to the field that the address names, else to its heading, so that screen readers begin there. */
export function useFocus(): void {
  const at = path.value;
  useEffect(() => {
    const isBack = comesBack;
    comesBack = false;
    const isFirst = !hasBegun;
    hasBegun = true;
    if (isBack) return undefined;
    if (location.hash !== '') return untilDone(intoField);
    return isFirst ? undefined : untilDone(ontoHeading);
  }, [at]);
}

/** Before anybody went anywhere the browser begins at the top. */
let hasBegun = false;

/** What the address names behind its `#`; as it stands there, where it was not written by us. */
function nameWanted(): string {
  const written = location.hash.slice(1);
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

function intoField(): boolean {
  const name = nameWanted();
  const place = document.getElementById(name) ?? document.getElementsByName(name)[0];
  if (place === undefined) return false;
  for (let at = place.closest('details'); at !== null; at = at.parentElement?.closest('details') ?? null)
    at.open = true;
  const field = place.matches(FIELDS) ? place : (place.querySelector<HTMLElement>(FIELDS) ?? standing(place));
  field.focus({ preventScroll: true });
  field.scrollIntoView({ block: 'center' });
  if (document.activeElement !== field) return false;
  // Who comes back later comes to where they were.
  history.replaceState(history.state, '', location.pathname + location.search);
  return true;
}

/** Where a screen has put the keyboard itself, into its first field say, it stays; in its tabs too. */
function ontoHeading(): boolean {
  if (document.activeElement?.closest('main :is(input, dialog, .tabs)')) return true;
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading === null) return false;
  standing(heading).focus({ preventScroll: true });
  return document.activeElement === heading;
}

/** What is no field takes the keyboard from a script alone. */
function standing(place: HTMLElement): HTMLElement {
  place.tabIndex = -1;
  return place;
}

/** Tries with each change of the page until it is done, the reader moves, or it takes too long. Gives what ends it. */
function untilDone(attempt: () => boolean): () => void {
  const over = new AbortController();
  const observer = new MutationObserver(() => attempt() && over.abort());
  over.signal.addEventListener('abort', () => observer.disconnect());
  for (const move of MOVES) addEventListener(move, () => over.abort(), { signal: over.signal });
  const timer = setTimeout(() => over.abort(), ARRIVES_MS);
  over.signal.addEventListener('abort', () => clearTimeout(timer));
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['open', 'disabled'] });
  if (attempt()) over.abort();
  return () => over.abort();
}
