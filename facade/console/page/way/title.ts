import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { words } from '../words.ts';
import { path } from './router.ts';

/** So many incidents wait for a person. */
export const waiting = signal(0);

/** Keeps the page's title at the heading of its screen, which names what is shown. */
export function useTitle(): void {
  const at = path.value;
  const count = waiting.value;
  const { nav } = words();
  useEffect(() => {
    const say = () => {
      const title = titleOf(at, nav);
      const whole = `${count > 0 ? `(${count}) ` : ''}${title === '' ? '' : `${title} · `}Tocsin`;
      if (document.title !== whole) document.title = whole;
    };
    say();
    const observer = new MutationObserver(say);
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    return () => observer.disconnect();
  }, [at, count, nav]);
}

/** The heading of the first screen is a sentence that changes, and that of the sign-in says what Tocsin is. */
function titleOf(at: string, nav: Readonly<Record<string, string>>): string {
  const heading = document.querySelector('main #sign-in') ?? document.querySelector('main h1');
  const [first = ''] = at.split('/');
  const isHome = first === '' && document.querySelector('.shell') !== null;
  return isHome ? nav.home! : (heading?.textContent ?? nav[first] ?? '');
}
