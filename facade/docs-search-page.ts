import { type PageParts, pagesFor, SEARCHES, textOf } from './docs-pages.ts';
import { createSearch, hitHtml, SEARCH_LENGTH, type Search } from './docs-search.ts';
import { DOCS_WORDS, type DocsLanguage } from './docs-words.ts';
import { sectionsOf } from './markdown-sections.ts';

/** Each is made at the first search in its language, and kept. */
const searches = new Map<DocsLanguage, Search>();

/**
 * Renders what a search of the documentation finds, in all that is there for those who read a language; before what is only there in
 * English comes what is in theirs. `text`: what was typed.
 */
export function searchPage(text: string, language: DocsLanguage): PageParts {
  const { search } = DOCS_WORDS[language];
  const length = [...text].length;
  const main =
    length > SEARCH_LENGTH ? `<p class="lead">${search.tooLong(length, SEARCH_LENGTH)}</p>` : results(text, language);
  return {
    path: SEARCHES[language],
    language,
    counterpart: SEARCHES[language === 'en' ? 'de' : 'en'],
    title: search.do,
    main: `<h1>${search.do}</h1>\n${main}\n`,
  };
}

function results(text: string, language: DocsLanguage): string {
  const words = DOCS_WORDS[language].search;
  if (text === '') return `<p class="lead">${words.nothingAsked} ${words.how}</p>`;
  const { hits, all } = searchIn(language)(text);
  if (all === 0) return `<p class="lead">${words.nothingFound}</p>\n<p>${words.tryThis} ${words.how}</p>`;
  const more = all > hits.length ? ` ${words.onlyFirst(hits.length)}` : '';
  return `<p class="lead">${words.found(all)}${more}</p>
<ol class="found">
${hits.map(hit => hitHtml(hit, language)).join('\n')}
</ol>`;
}

function searchIn(language: DocsLanguage): Search {
  const made = searches.get(language) ?? createSearch(language, pagesFor(language).map(searched));
  searches.set(language, made);
  return made;
}

function searched(page: ReturnType<typeof pagesFor>[number]) {
  return { ...page, sections: sectionsOf(textOf(page)) };
}
