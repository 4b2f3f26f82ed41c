import type { Environment, ResponseKind } from '../domain/source.ts';

/** What is said to people in one language. All that is handed in is clean (clean.ts); nothing here is HTML. */
export interface Phrases {
  /** BCP 47, for readers that speak a message aloud. */
  language: string;
  /** Stands before the subject of everything that is not live. */
  testPrefix: string;
  responseKinds: Record<ResponseKind, string>;
  /** In the place of a name that is empty. */
  nameless: string;
  /** Subjects: short enough for a locked phone, and what it is comes first. */
  alarmSubject(alarm: { source: string; mode: string | null }): string;
  panicSubject(panic: { source: string; response: string | null }): string;
  /** A drill: nothing fired and nobody needs to come. */
  drillSubject: string;
  drilled: string;
  /** One sentence: what fired. */
  alarmFired(alarm: { source: string; mode: string | null }): string;
  panicFired(panic: { source: string; response: string | null }): string;
  labels: Record<'who' | 'what' | 'when' | 'utc' | 'where' | 'step' | 'environment', string>;
  step(at: { step: number; steps: number; round: number; rounds: number; policy: string }): string;
  environment: Record<Environment, string>;
}

const en: Phrases = {
  language: 'en',
  testPrefix: '[TEST]',
  responseKinds: { medical: 'medical', fire: 'fire', intruder: 'intruder', duress: 'duress' },
  nameless: '(no name)',
  alarmSubject: ({ source, mode }) => (mode === null ? `ALARM: ${source}` : `ALARM: ${source} - ${mode}`),
  panicSubject: ({ source, response }) => (response === null ? `PANIC: ${source}` : `PANIC (${response}): ${source}`),
  drillSubject: 'Test message: nothing happened',
  drilled: 'This message only tries whether it reaches you. Nothing happened and nobody needs to come.',
  alarmFired: ({ source, mode }) =>
    mode === null ? `The alarm "${source}" was triggered.` : `The alarm "${source}" was triggered (mode: ${mode}).`,
  panicFired: ({ source, response }) =>
    response === null
      ? `The panic button "${source}" was pressed.`
      : `The panic button "${source}" was pressed. It asks for: ${response}.`,
  labels: {
    who: 'For',
    what: 'What',
    when: 'When',
    utc: 'In UTC',
    where: 'Where',
    step: 'Step',
    environment: 'Live or test',
  },
  step: ({ step, steps, round, rounds, policy }) =>
    `step ${step} of ${steps}, round ${round} of ${rounds} of the policy "${policy}"`,
  environment: {
    live: 'LIVE: this is a real alert.',
    test: 'TEST: this is a rehearsal, nobody needs to act.',
  },
};

/** One entry for each language, by its language subtag. */
const LANGUAGES: ReadonlyMap<string, Phrases> = new Map([[en.language, en]]);

/** The phrases for a locale (BCP 47): those of its language where there are any, else English. */
export function phrasesFor(locale: string): Phrases {
  return LANGUAGES.get(locale.split('-', 1)[0]!.toLowerCase()) ?? en;
}
