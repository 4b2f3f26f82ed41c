import type { Language } from '../page/words.ts';

/** What is said where no other words could be fetched. */
export const UNREADABLE: Readonly<Record<Language, { title: string; do: string }>> = {
  en: { title: 'Tocsin could not be loaded.', do: 'Load the page again' },
  de: { title: 'Tocsin konnte nicht geladen werden.', do: 'Seite neu laden' },
};
