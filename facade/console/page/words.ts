import { signal } from '@preact/signals';
import type { Words } from '../words/types.ts';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** Each is a file of its own, fetched by those who read it. */
const FILES: Record<Language, () => Promise<{ words: Words }>> = {
  en: () => import('../words/en.ts'),
  de: () => import('../words/de.ts'),
};

const CHOSEN = 'tocsin.language';

export const language = signal<Language>('en');
const current = signal<Words | null>(null);

/** All that the page says, in the reader's language. Only after loadWords. */
export function words(): Words {
  return current.value!;
}

/** The language that was chosen on this device, else the first of the browser's that there is, else English. */
export async function loadWords(): Promise<void> {
  const asked = [localStorage.getItem(CHOSEN) ?? '', ...navigator.languages].map(tag => tag.slice(0, 2).toLowerCase());
  await speak(asked.find((tag): tag is Language => tag in LANGUAGES) ?? 'en');
}

export async function chooseLanguage(to: Language): Promise<void> {
  localStorage.setItem(CHOSEN, to);
  await speak(to);
}

async function speak(to: Language): Promise<void> {
  const { words } = await FILES[to]();
  language.value = to;
  current.value = words;
  document.documentElement.lang = to;
}
