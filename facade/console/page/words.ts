import { batch, signal } from '@preact/signals';
import type { Words } from '../words/types.ts';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;
export type Part = keyof Words;

/** Each language is a file of its own, fetched by those who read it. */
const FILES: Record<Language, { [part in Part]: () => Promise<{ words: Words[part] }> }> = {
  en: { first: () => import('../words/en/first.ts'), rest: () => import('../words/en/rest.ts') },
  de: { first: () => import('../words/de/first.ts'), rest: () => import('../words/de/rest.ts') },
};

const CHOSEN = 'tocsin.language';

export const language = signal<Language>('en');
const loaded = signal<Partial<Words>>({});

/** Returns what every screen and the first ones say, in the reader's language. Only after loadWords. */
export function words(): Words['first'] {
  return loaded.value.first!;
}

/** Returns what the screens of a part say. Only after loadPart('rest'). */
export function wordsOf<Of extends keyof Words['rest']>(of: Of): Words['rest'][Of] {
  return loaded.value.rest![of];
}

/** Returns all that the page says. Only after loadPart('rest'). */
export function allWords(): Words {
  return loaded.value as Words;
}

/** The language that is shown, or on its way. */
const wanted = new Set<Part>(['first']);

/** Numbers the choices of a language: the last one wins, however late the words of an earlier one arrive. */
let choices = 0;

/** Returns the language chosen on this device, else the first of the browser's that there is, else English. */
export function languageAsked(): Language {
  const asked = [localStorage.getItem(CHOSEN) ?? '', ...navigator.languages].map(tag => tag.slice(0, 2).toLowerCase());
  return asked.find((tag): tag is Language => tag in LANGUAGES) ?? 'en';
}

/** Fetches the words of every screen. Rejects if they cannot be fetched. */
export async function loadWords(): Promise<void> {
  await speak(languageAsked());
}

/** Fetches the words of a part's screens. Rejects if they cannot be fetched. */
export async function loadPart(part: Part): Promise<void> {
  wanted.add(part);
  try {
    while (loaded.value[part] === undefined) {
      const to = language.value;
      const { words } = await FILES[to][part]();
      // The language may have become another one meanwhile.
      if (to === language.value) loaded.value = { ...loaded.value, [part]: words };
    }
  } catch (fault) {
    if (loaded.value[part] === undefined) wanted.delete(part);
    throw fault;
  }
}

/** Switches to another language once all its words are here. Rejects, and stays with the present one, if they cannot be fetched. */
export async function chooseLanguage(to: Language): Promise<void> {
  await speak(to);
  if (language.value === to) localStorage.setItem(CHOSEN, to);
}

async function speak(to: Language): Promise<void> {
  const choice = ++choices;
  const files: Partial<Words> = {};
  const missing = () => [...wanted].filter(part => files[part] === undefined);
  // More may be wanted while these are on their way.
  for (let parts = missing(); parts.length > 0; parts = missing()) {
    const fetched = await Promise.all(parts.map(async part => [part, (await FILES[to][part]()).words]));
    Object.assign(files, Object.fromEntries(fetched));
  }
  if (choice !== choices) return;
  batch(() => {
    language.value = to;
    loaded.value = files;
  });
  document.documentElement.lang = to;
}
