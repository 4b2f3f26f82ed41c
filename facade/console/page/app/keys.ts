import { useEffect } from 'preact/hooks';

/** What a key opens: the search for a screen or a thing, or the list of the keys. */
export type Sheet = 'jump' | 'shortcuts';

/** Keys without Ctrl are in the way of whoever speaks to their browser or slips easily: this device may do without (WCAG 2.1.4). */
const SINGLE = 'tocsin.keys';

/** Tells whether `/` and `?` do something on this device. */
export function areSingleKeysOn(): boolean {
  return localStorage.getItem(SINGLE) !== 'off';
}

/** Switches `/` and `?` on or off on this device. */
export function turnSingleKeys(to: 'on' | 'off'): void {
  localStorage.setItem(SINGLE, to);
}

/** Opens a sheet when its key is pressed, unless somebody writes or another dialog is open. */
export function useKeys(open: (sheet: Sheet) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const sheet = sheetOf(event);
      if (sheet === null || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      open(sheet);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

function sheetOf({ key, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent): Sheet | null {
  if ((ctrlKey || metaKey) && !altKey && !shiftKey) return key.toLowerCase() === 'k' ? 'jump' : null;
  const isWriting = target instanceof Element && target.matches('input, select, textarea');
  if (ctrlKey || metaKey || altKey || isWriting || !areSingleKeysOn()) return null;
  return key === '/' ? 'jump' : key === '?' ? 'shortcuts' : null;
}
