/** The languages of the documentation. Every page is there in English, those that owners read in the others too. */
export type DocsLanguage = 'en' | 'de';

/** What stands around the text of a page. */
export interface DocsWords {
  /** The name of the language in itself. */
  language: string;
  /** Said of a page that is only there in English; null: never said. */
  onlyEnglish: string | null;
  skip: string;
  documentation: string;
  arming: string;
  console: string;
  allPages: string;
  pages: string;
  onThisPage: string;
  neighbours: string;
  linkTo(heading: string): string;
  /** The parts of the navigation. */
  parts: { using: string; integrating: string; running: string; finePrint: string };
  search: {
    do: string;
    label: string;
    tooLong(length: number, most: number): string;
    nothingAsked: string;
    found(count: number): string;
    onlyFirst(count: number): string;
    nothingFound: string;
    tryThis: string;
    /** HTML. */
    how: string;
  };
}

const NAMES = '<code>SMTP_URL</code>, <code>held_by_gate</code>';

/** What stands around the text, by language. */
export const DOCS_WORDS: Readonly<Record<DocsLanguage, DocsWords>> = {
  en: {
    language: 'English',
    onlyEnglish: null,
    skip: 'Skip to the text',
    documentation: 'Documentation',
    arming: 'Arming guide',
    console: 'Open the console',
    allPages: 'All pages',
    pages: 'Pages',
    onThisPage: 'On this page',
    neighbours: 'Pages before and after',
    linkTo: heading => `Link to “${heading}”`,
    parts: {
      using: 'Using it',
      integrating: 'Integrating it',
      running: 'Running it',
      finePrint: 'The fine print',
    },
    search: {
      do: 'Search',
      label: 'Search the documentation',
      tooLong: (length, most) =>
        `This search has ${length} characters, and takes ${most} at most. Search with fewer words.`,
      nothingAsked: 'Type a word into the field above.',
      found: count =>
        count === 1 ? '1 section has all of these words.' : `${count} sections have all of these words.`,
      onlyFirst: count => `The first ${count} are shown: further words narrow it.`,
      nothingFound: 'No section has all of these words.',
      tryThis: 'Try fewer or shorter words.',
      how: `Beginnings of words are enough, and settings, commands and outcomes are found by their names: ${NAMES}.`,
    },
  },
  de: {
    language: 'Deutsch',
    onlyEnglish: 'englisch',
    skip: 'Zum Text',
    documentation: 'Dokumentation',
    arming: 'Scharf schalten',
    console: 'Konsole öffnen',
    allPages: 'Alle Seiten',
    pages: 'Seiten',
    onThisPage: 'Auf dieser Seite',
    neighbours: 'Seiten davor und danach',
    linkTo: heading => `Link zu „${heading}“`,
    parts: {
      using: 'Benutzen',
      integrating: 'Anbinden',
      running: 'Betreiben',
      finePrint: 'Das Kleingedruckte',
    },
    search: {
      do: 'Suchen',
      label: 'In der Dokumentation suchen',
      tooLong: (length, most) =>
        `Diese Suche hat ${length} Zeichen, erlaubt sind höchstens ${most}. Suchen Sie mit weniger Wörtern.`,
      nothingAsked: 'Schreiben Sie ein Wort in das Feld oben.',
      found: count =>
        count === 1 ? '1 Abschnitt enthält alle diese Wörter.' : `${count} Abschnitte enthalten alle diese Wörter.`,
      onlyFirst: count => `Gezeigt werden die ersten ${count}: Mit mehr Wörtern werden es weniger.`,
      nothingFound: 'Kein Abschnitt enthält alle diese Wörter.',
      tryThis: 'Versuchen Sie es mit weniger oder kürzeren Wörtern.',
      how: `Wortanfänge genügen. Einstellungen, Befehle und Ergebnisse finden Sie unter ihrem Namen: ${NAMES}.`,
    },
  },
};
