import { computed, signal } from '@preact/signals';
import { takeLink } from './link.ts';

/** Where the console stands, as a proxy may have put a path before it; this file is served one folder below it. */
const TOP = new URL('../', import.meta.url);

takeLink();

/** The present address: the path below the console's top, without a leading slash. */
const here = signal(location.href);
export const path = computed(() => new URL(here.value).pathname.slice(TOP.pathname.length).replace(/\/+$/, ''));
export const query = computed(() => new URL(here.value).searchParams);
/** What the address names behind its `#`, a field say, as long as one is there. */
export const named = computed(() => new URL(here.value).hash.slice(1));

/** Returns the address of a screen, such as `incidents/<id>`. */
export function addressOf(screen: string): string {
  return new URL(screen, TOP).href;
}

/** Returns the screen that an address names; the first one if it leads to another site. */
export function screenNamed(text: string): string {
  const to = URL.canParse(text, TOP) ? new URL(text, TOP).href : TOP.href;
  return to.startsWith(TOP.href) ? to : TOP.href;
}

/** The address below which the door stands. */
export const DOOR = new URL('rpc', TOP).href;

/** Goes to a screen; "back" leads where one was. `by`: the link of the screen that leads there. */
export function go(screen: string, how: 'new' | 'in_place' = 'new', by?: Element): void {
  const to = addressOf(screen);
  coming.abort();
  clearTimeout(noting);
  if (how === 'in_place') history.replaceState(history.state, '', to);
  else {
    history.replaceState(placeNow(by), '');
    history.pushState({}, '', to);
    scrollTo(0, 0);
  }
  here.value = to;
}

/** Changes filters in the address; empty ones are left out, and so is the field that it named. */
export function filter(changes: Record<string, string>): void {
  const next = new URL(here.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  }
  next.hash = '';
  go(next.href, 'in_place');
}

/** Follows links to our own screens without loading anything anew. */
export function startRouter(): void {
  history.scrollRestoration = 'manual';
  // Opened where this page is already, a link changes the address and loads nothing.
  addEventListener('popstate', () => {
    clearTimeout(noting);
    takeLink();
    here.value = location.href;
    comeBack((history.state ?? {}) as Partial<Place>);
  });
  // A load of the page keeps what stands in the history, and nothing else.
  addEventListener('scroll', () => {
    clearTimeout(noting);
    noting = setTimeout(() => history.replaceState(placeNow(undefined), ''), NOTE_MS);
  });
  const { y = 0 } = (history.state ?? {}) as Partial<Place>;
  if (y > 0) comeBack({ y });
  document.addEventListener('click', event => {
    const link = (event.target as Element).closest('a');
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (link === null || !plain || link.target !== '' || link.dataset.screen === undefined) return;
    event.preventDefault();
    go(link.href, 'new', link.closest('main') === null ? undefined : link);
  });
}

/** Where one was on a screen. */
interface Place {
  y: number;
  /** The link that led away, and how far below the top of the window it was. Empty: something else did. */
  link: string;
  top: number;
}

function placeNow(by: Element | undefined): Place {
  return { y: scrollY, link: by?.getAttribute('href') ?? '', top: by?.getBoundingClientRect().top ?? 0 };
}

/** Where one stopped to scroll is noted after this time, in milliseconds. */
const NOTE_MS = 200;
let noting: ReturnType<typeof setTimeout> | undefined;

/** A long list is there by then, in milliseconds. */
const COME_BACK_MS = 10_000;

/** A list that did not grow for so long, with nothing left to load, has its whole length, in milliseconds. */
const WHOLE_MS = 1_000;

/** What says that the reader goes on by themselves. */
export const MOVES = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/** Aborted as soon as it is not wanted any more that one comes back to where one was. */
let coming = new AbortController();

/**
 * Comes back to where one was. What was there a moment ago is drawn from memory, but a long list bit by bit, and what is out of view
 * has no height of its own before it is seen: so the link that led away is looked for until it stands where it stood.
 */
function comeBack({ y = 0, link = '', top = 0 }: Partial<Place>): void {
  coming.abort();
  const own = new AbortController();
  coming = own;
  for (const move of MOVES) addEventListener(move, () => own.abort(), { signal: own.signal });
  const end = performance.now() + COME_BACK_MS;
  let settled = 0;
  let height = 0;
  let grewAt = performance.now();
  const step = (): void => {
    if (own.signal.aborted) return;
    const there = link === '' ? null : document.querySelector<HTMLElement>(`main a[href="${CSS.escape(link)}"]`);
    const before = scrollY;
    if (there === null) scrollTo(0, y);
    else scrollBy(0, there.getBoundingClientRect().top - top);
    const isThere = Math.abs(scrollY - before) < 1 && (there !== null || Math.abs(scrollY - y) < 1);
    settled = isThere ? settled + 1 : 0;
    const now = performance.now();
    const { scrollHeight } = document.documentElement;
    if (scrollHeight !== height || document.querySelector('.skeleton') !== null) grewAt = now;
    height = scrollHeight;
    if (settled < 3 && now < end && now - grewAt < WHOLE_MS) {
      requestAnimationFrame(step);
      return;
    }
    own.abort();
    // The keyboard goes on from there.
    there?.focus({ preventScroll: true });
  };
  requestAnimationFrame(() => requestAnimationFrame(step));
}
