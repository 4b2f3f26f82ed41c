import { escapeHtml } from '../services/process/text.ts';
import type { DocsLanguage } from './docs-words.ts';
import type { Section } from './markdown-sections.ts';

/** How long a search may be, in characters. */
export const SEARCH_LENGTH = 100;

/** How many results are shown. */
const MOST = 20;

/** How much of a line is shown, and how much of it before its first hit, in characters. */
const SHOWN = { line: 180, before: 60 };

/** A page as it is searched. */
export interface SearchedPage {
  path: string;
  language: DocsLanguage;
  /** Its name beside each of its results. */
  label: string;
  sections: readonly Section[];
}

/** A section that has all the words. */
export interface Hit {
  /** Path of the page, with the anchor of the heading unless it is the title. */
  href: string;
  language: DocsLanguage;
  page: string;
  heading: string;
  /** The line that has most of the words, around the first of them; each second part is a hit. */
  line: readonly string[];
}

/** What a search found. */
export interface Found {
  /** The first of them: those in the reader's language before the others, and then those with the words in the heading. */
  hits: readonly Hit[];
  /** How many there are. */
  all: number;
}

/** Searches pages: all words must occur in a section. */
export type Search = (text: string) => Found;

/** What a section is found by: its words, each after a blank, in its heading and altogether. */
interface Indexed {
  page: SearchedPage;
  section: Section;
  heading: string;
  all: string;
}

/**
 * Makes the index of pages, for those who read a language. Case and accents are put aside, and a word is found by its beginning; `SMTP_URL` is also found by
 * `url`. What one search takes is bounded by the length of its text: there is no pattern in it, only words that are looked up.
 */
export function createSearch(language: DocsLanguage, pages: readonly SearchedPage[]): Search {
  const index = pages.flatMap(page =>
    page.sections.map((section): Indexed => {
      const heading = wordsOf(section.heading.text);
      const all = new Set([...heading, ...section.lines.flatMap(wordsOf)]);
      return { page, section, heading: joined(heading), all: joined(all) };
    }),
  );
  return text => {
    // Long words are rare: they rule out most sections at once.
    const words = [...new Set(typedIn(text))].toSorted((one, other) => other.length - one.length);
    if (words.length === 0) return { hits: [], all: 0 };
    const found = index.filter(({ all }) => words.every(word => has(all, word)));
    const rank = ({ heading, page }: Indexed) =>
      words.filter(word => !has(heading, word)).length + (page.language === language ? 0 : words.length + 1);
    const hits = found.toSorted((one, other) => rank(one) - rank(other)).slice(0, MOST);
    return { hits: hits.map(one => hitOf(one, words)), all: found.length };
  };
}

/** Returns a hit as an item of a list on a page in a language. */
export function hitHtml({ href, language, page, heading, line }: Hit, reader: DocsLanguage): string {
  const text = line.map((part, at) => (at % 2 === 0 ? escapeHtml(part) : `<mark>${escapeHtml(part)}</mark>`)).join('');
  const marked = language === reader ? '' : ` lang="${language}"`;
  const also = language === reader ? '' : ` hreflang="${language}"`;
  return `<li${marked}><a href="${escapeHtml(href)}"${also}>${escapeHtml(heading)}</a> <span class="small">${escapeHtml(page)}</span>
<p>${text}</p></li>`;
}

function hitOf({ page, section }: Indexed, words: readonly string[]): Hit {
  const { depth, id, text } = section.heading;
  const counts = section.lines.map(line => {
    const own = joined(wordsOf(line));
    return words.filter(word => has(own, word)).length;
  });
  const best = section.lines[counts.indexOf(Math.max(...counts))] ?? '';
  return {
    language: page.language,
    href: depth === 1 ? page.path : `${page.path}#${id}`,
    page: page.label,
    heading: text,
    line: around(best, words),
  };
}

/** Cuts a line to what stands around its first hit, in parts of which each second one is a hit. */
function around(line: string, words: readonly string[]): string[] {
  const isHit = (token: string) => has(joined(wordsOf(token)), ...words);
  const tokens = line.split(/([\p{L}\p{M}\p{N}_]+)/u);
  const lengths = tokens.map(token => token.length);
  const upTo = (index: number) => lengths.slice(0, index).reduce((sum, length) => sum + length, 0);
  const first = Math.max(
    0,
    tokens.findIndex((token, index) => index % 2 === 1 && isHit(token)),
  );
  let from = first;
  while (from > 0 && upTo(first) - upTo(from - 1) <= SHOWN.before) from--;
  let to = first + 1;
  while (to < tokens.length && upTo(to + 1) - upTo(from) <= SHOWN.line) to++;
  const parts = [from > 0 ? '… ' : ''];
  for (let index = from; index < to; index++) {
    const token = tokens[index]!;
    if (index === from && index % 2 === 0) parts[0] += token.trimStart();
    else if (index % 2 === 1 && isHit(token)) parts.push(token, '');
    else parts[parts.length - 1] += token;
  }
  const end = parts.pop()!;
  return [...parts, to < tokens.length ? `${end.trimEnd()} …` : end];
}

/** Whether one of the words begins one of those joined. */
function has(all: string, ...words: readonly string[]): boolean {
  return words.some(word => all.includes(` ${word}`));
}

function joined(words: Iterable<string>): string {
  return [...words].map(word => ` ${word}`).join('');
}

/** Returns the words of a text, and the parts of those that are joined by underscores. */
function wordsOf(text: string): string[] {
  return typedIn(text).flatMap(word => (word.includes('_') ? [word, ...word.split('_')] : [word]));
}

function typedIn(text: string): string[] {
  const words = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
  return (words.match(/[\p{L}\p{N}_]+/gu) ?? [])
    .map(word => word.replaceAll(/^_+|_+$/g, ''))
    .filter(word => word !== '');
}
