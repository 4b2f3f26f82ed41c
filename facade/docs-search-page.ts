import { DOCS_PAGES, type PageParts, SEARCH, textOf } from './docs-pages.ts';
import { createSearch, hitHtml, SEARCH_LENGTH, type Search } from './docs-search.ts';
import { sectionsOf } from './markdown-sections.ts';

/** Made at the first search, and kept. */
let search: Search | null = null;

/** Renders what a search of the documentation finds. `text`: what was typed. */
export function searchPage(text: string): PageParts {
  const length = [...text].length;
  const main =
    length > SEARCH_LENGTH
      ? `<p class="lead">This search has ${length} characters, and takes ${SEARCH_LENGTH} at most. Search with fewer words.</p>`
      : results(text);
  return { path: SEARCH, title: 'Search', main: `<h1>Search</h1>\n${main}\n` };
}

function results(text: string): string {
  if (text === '') return `<p class="lead">Type a word into the field above. ${HOW}</p>`;
  search ??= createSearch(DOCS_PAGES.map(page => ({ ...page, sections: sectionsOf(textOf(page)) })));
  const { hits, all } = search(text);
  if (all === 0)
    return `<p class="lead">No section has all of these words.</p>\n<p>Try fewer or shorter words. ${HOW}</p>`;
  const more = all > hits.length ? ` The first ${hits.length} are shown: further words narrow it.` : '';
  const count = all === 1 ? '1 section has' : `${all} sections have`;
  return `<p class="lead">${count} all of these words.${more}</p>
<ol class="found">
${hits.map(hit => hitHtml(hit)).join('\n')}
</ol>`;
}

const HOW =
  'Beginnings of words are enough, and settings, commands and outcomes are found by their names: <code>SMTP_URL</code>, <code>held_by_gate</code>.';
