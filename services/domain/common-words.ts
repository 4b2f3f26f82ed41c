import { clean } from '../process/text.ts';
import type { Environment, ResponseKind, SourceKind } from './source.ts';

/** The languages in which people are told, by their language subtag (BCP 47). */
export type LanguageTag = 'en' | 'de';

/** What fired, by names that are clean (process/text.ts). `what`: the mode of an alarm, the kind of help of a panic button; null: none. */
export interface Fired {
  kind: SourceKind;
  source: string;
  what: string | null;
}

/** What a message and the page behind its link say alike, so that nobody takes them for two things. Plain text. */
export interface CommonWords {
  /** Stands before the title of everything that is not live. */
  testPrefix: string;
  /** In the place of a name that is empty. */
  nameless: string;
  /** `other`: where its owner's words are missing. */
  responseKinds: Record<ResponseKind, string>;
  /** What it is comes first. */
  title(fired: Fired): string;
  /** One sentence: what fired. */
  fired(fired: Fired): string;
  /** One sentence each. */
  environment: Record<Environment, string>;
  takenByNobody: string;
  /** On the button that takes it. */
  acknowledge: string;
}

/** What a panic button asks for, in words, at most `most` characters of its owner's own; null: it is none. */
export function responseOf(
  { responseKind, responseText = '' }: { responseKind: ResponseKind | null; responseText?: string },
  words: Pick<CommonWords, 'responseKinds'>,
  most: number,
): string | null {
  if (responseKind === null) return null;
  return (responseKind === 'other' && clean(responseText, most)) || words.responseKinds[responseKind];
}

export const COMMON_WORDS: Readonly<Record<LanguageTag, CommonWords>> = {
  en: {
    testPrefix: '[TEST]',
    nameless: '(no name)',
    responseKinds: { medical: 'medical', fire: 'fire', intruder: 'intruder', duress: 'duress', other: 'help' },
    title({ kind, source, what }) {
      if (kind === 'panic') return what === null ? `PANIC: ${source}` : `PANIC (${what}): ${source}`;
      return what === null ? `ALARM: ${source}` : `ALARM: ${source} - ${what}`;
    },
    fired({ kind, source, what }) {
      if (kind === 'panic')
        return `The panic button "${source}" was pressed.${what === null ? '' : ` It asks for: ${what}.`}`;
      return what === null
        ? `The alarm "${source}" was triggered.`
        : `The alarm "${source}" was triggered (mode: ${what}).`;
    },
    environment: {
      live: 'LIVE: this is a real alert.',
      test: 'TEST: this is a rehearsal, nobody needs to act.',
    },
    takenByNobody: 'Nobody has answered yet.',
    acknowledge: 'I have it',
  },
  de: {
    testPrefix: '[TEST]',
    nameless: '(ohne Namen)',
    responseKinds: {
      medical: 'medizinischer Notfall',
      fire: 'Feuer',
      intruder: 'Einbruch',
      duress: 'Bedrohung',
      other: 'Hilfe',
    },
    title({ kind, source, what }) {
      if (kind === 'panic') return what === null ? `NOTRUF: ${source}` : `NOTRUF (${what}): ${source}`;
      return what === null ? `ALARM: ${source}` : `ALARM: ${source} - ${what}`;
    },
    fired({ kind, source, what }) {
      if (kind === 'panic')
        return `Der Notrufknopf „${source}“ wurde gedrückt.${what === null ? '' : ` Es geht um: ${what}.`}`;
      return what === null
        ? `Der Alarm „${source}“ wurde ausgelöst.`
        : `Der Alarm „${source}“ wurde ausgelöst (Modus: ${what}).`;
    },
    environment: {
      live: 'ECHT: Das ist ein echter Alarm.',
      test: 'TEST: Das ist nur eine Probe, niemand muss etwas tun.',
    },
    takenByNobody: 'Noch hat niemand geantwortet.',
    acknowledge: 'Ich kümmere mich',
  },
};
