import { signal } from '@preact/signals';
import type { Words } from '../words/types.ts';

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;
export type Part = keyof Words;

/** Each is a file of its own, fetched by those who read it. */
const FILES: Record<Language, { [part in Part]: () => Promise<{ words: Words[part] }> }> = {
  en: {
    alarms: () => import('../words/en/alarms.ts'),
    findings: () => import('../words/en/findings.ts'),
    first: () => import('../words/en/first.ts'),
    keys: () => import('../words/en/keys.ts'),
    people: () => import('../words/en/people.ts'),
    policies: () => import('../words/en/policies.ts'),
    preview: () => import('../words/en/preview.ts'),
    health: () => import('../words/en/health.ts'),
    notices: () => import('../words/en/notices.ts'),
    operator: () => import('../words/en/operator.ts'),
    settings: () => import('../words/en/settings.ts'),
    recipes: () => import('../words/en/recipes.ts'),
    signIn: () => import('../words/en/sign-in.ts'),
    start: () => import('../words/en/start.ts'),
  },
  de: {
    alarms: () => import('../words/de/alarms.ts'),
    findings: () => import('../words/de/findings.ts'),
    first: () => import('../words/de/first.ts'),
    keys: () => import('../words/de/keys.ts'),
    people: () => import('../words/de/people.ts'),
    policies: () => import('../words/de/policies.ts'),
    preview: () => import('../words/de/preview.ts'),
    health: () => import('../words/de/health.ts'),
    notices: () => import('../words/de/notices.ts'),
    operator: () => import('../words/de/operator.ts'),
    settings: () => import('../words/de/settings.ts'),
    recipes: () => import('../words/de/recipes.ts'),
    signIn: () => import('../words/de/sign-in.ts'),
    start: () => import('../words/de/start.ts'),
  },
};

const CHOSEN = 'tocsin.language';

export const language = signal<Language>('en');
const loaded = signal<Partial<Words>>({});

/** What every screen says, in the reader's language. Only after loadWords. */
export function words(): Words['first'] {
  return wordsOf('first');
}

/** What the screens of a part say. Only after loadPart. */
export function wordsOf<P extends Part>(part: P): Words[P] {
  return loaded.value[part]!;
}

/** The language that was chosen on this device, else the first of the browser's that there is, else English. */
export async function loadWords(): Promise<void> {
  const asked = [localStorage.getItem(CHOSEN) ?? '', ...navigator.languages].map(tag => tag.slice(0, 2).toLowerCase());
  await speak(asked.find((tag): tag is Language => tag in LANGUAGES) ?? 'en', ['first']);
}

/** Fetches what the screens of a part say. Rejects where that cannot be had. */
export async function loadPart(part: Part): Promise<void> {
  if (loaded.value[part] === undefined) await speak(language.value, [part]);
}

export async function chooseLanguage(to: Language): Promise<void> {
  localStorage.setItem(CHOSEN, to);
  await speak(to, Object.keys(loaded.value) as Part[]);
}

async function speak(to: Language, parts: readonly Part[]): Promise<void> {
  const files = await Promise.all(parts.map(async part => [part, (await FILES[to][part]()).words]));
  const kept = to === language.value ? loaded.value : {};
  language.value = to;
  loaded.value = { ...kept, ...Object.fromEntries(files) };
  document.documentElement.lang = to;
}
