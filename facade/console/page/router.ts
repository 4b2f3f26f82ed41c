import { computed, signal } from '@preact/signals';

/** Where the console stands, as a proxy may have put a path before it; this file is served one folder below it. */
const TOP = new URL('../', import.meta.url);

/** Where we are: the path below the top, without a slash in front. */
const here = signal(location.href);
export const path = computed(() => new URL(here.value).pathname.slice(TOP.pathname.length).replace(/\/+$/, ''));
export const query = computed(() => new URL(here.value).searchParams);

/** The address of a screen, such as `incidents/<id>`. */
export function addressOf(screen: string): string {
  return new URL(screen, TOP).href;
}

/** The address below which the door stands. */
export const DOOR = new URL('rpc', TOP).href;

/** Goes to a screen; `back` leads where one was, as far down as one was. */
export function go(screen: string, how: 'new' | 'in_place' = 'new'): void {
  const to = addressOf(screen);
  if (how === 'in_place') history.replaceState(history.state, '', to);
  else {
    keepPlace();
    history.pushState({}, '', to);
    scrollTo(0, 0);
  }
  here.value = to;
}

/** Filters live in the URL: empty ones are left out. */
export function filter(changes: Record<string, string>): void {
  const next = new URL(here.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  }
  go(next.href, 'in_place');
}

/** Follows links to our own screens without loading anything anew. */
export function startRouter(): void {
  history.scrollRestoration = 'manual';
  addEventListener('popstate', () => {
    here.value = location.href;
    const { y = 0 } = (history.state ?? {}) as { y?: number };
    // What was there a moment ago is drawn from memory, within a frame or two.
    requestAnimationFrame(() => requestAnimationFrame(() => scrollTo(0, y)));
  });
  document.addEventListener('click', event => {
    const link = (event.target as Element).closest('a');
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (link === null || !plain || link.target !== '' || link.dataset.screen === undefined) return;
    event.preventDefault();
    go(link.href);
  });
}

function keepPlace(): void {
  history.replaceState({ y: scrollY }, '');
}
