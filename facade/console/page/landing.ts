import { useEffect } from 'preact/hooks';
import { path } from './router.ts';

/** Goes to the field that the address names behind its `#`, and into it. */
export function land(): void {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (place === null) return;
  place.scrollIntoView({ block: 'center' });
  const field = place.matches('input, select, button') ? place : place.querySelector('input, select, textarea, button');
  (field as HTMLElement | null)?.focus({ preventScroll: true });
}

/** Lands once the screen is there. */
export function useLanding(is: 'there' | 'waiting'): void {
  const at = path.value;
  useEffect(() => {
    if (is === 'there' && location.hash !== '') land();
  }, [is, at]);
}
