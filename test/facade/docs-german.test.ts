import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { Marked, type Token } from 'marked';
import { describe, expect, test } from 'vitest';
import { ALL_PAGES, DOCS_PAGES, GERMAN_PAGES } from '../../facade/docs-pages.ts';
import { renderMarkdown } from '../../facade/markdown.ts';
import { ask, startRig } from './rig.ts';

/* The pages that owners read, in German: they say what the English ones say, as far as a machine can tell. */

const NO_KEY = { headers: { 'x-api-key': undefined } };
const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const pairs = GERMAN_PAGES.map(german => {
  const english = DOCS_PAGES.find(({ path }) => path === german.counterpart)!;
  return { path: german.path, german: german.file, english: english.file };
});

/** Headings of a file, and the links in it by the file they lead to. */
function rendered(file: string) {
  const links: string[] = [];
  const linkTo = (href: string) => {
    const [path = '', anchor] = href.split('#');
    const isOutside = /^[a-z]+:/.test(href);
    const target = path === '' ? file : posix.join(posix.dirname(file), path);
    links.push(isOutside ? href : anchor === undefined ? target : `${target}#${anchor}`);
    return href;
  };
  return { headings: renderMarkdown(read(file), { linkTo }).headings, links };
}

/** Where a German page has to lead for a link of the English one: to the German page and its heading, where there is one, or back. */
function inGerman(link: string): string {
  const [file = '', anchor] = link.split('#');
  const back = pairs.find(({ german }) => german === file);
  if (back !== undefined) return back.english;
  const pair = pairs.find(({ english }) => english === file);
  if (pair === undefined) return link;
  if (anchor === undefined) return pair.german;
  const at = rendered(pair.english).headings.findIndex(({ id }) => id === anchor);
  return `${pair.german}#${rendered(pair.german).headings[at]?.id}`;
}

/** The kinds of blocks in order, with what the number of their parts is. */
function shapeOf(file: string): string[] {
  return new Marked().lexer(read(file)).flatMap((token: Token): string[] => {
    if (token.type === 'space') return [];
    if (token.type === 'heading') return [`heading ${token.depth}`];
    if (token.type === 'list') return [`list of ${token.items.length}`];
    if (token.type === 'table') return [`table of ${token.header.length} by ${token.rows.length}`];
    return [token.type];
  });
}

/** Blocks of code; comments of commands may be in another language. */
function codeOf(file: string): string[] {
  return [...read(file).matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, lang, text]) => {
    return `${lang}\n${lang === 'sh' ? text!.replaceAll(/(^|\s)# .*$/gm, '#') : text}`;
  });
}

/** What stands in the text between backticks, but for what explains it. */
function namesIn(file: string): string[] {
  const text = read(file).replaceAll(/^```.*?^```$/gms, '');
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name!.replaceAll(/\s+/g, ' ')).sort();
}

test('there are five', () => {
  expect(pairs.map(({ path }) => path)).toEqual([
    '/docs/de',
    '/docs/de/guide',
    '/docs/de/arming',
    '/docs/de/people',
    '/docs/de/console',
  ]);
});

describe.each(pairs)('$path', ({ german, english }) => {
  test('has the headings, paragraphs, points and rows of the English page, in its order', () => {
    expect(shapeOf(german)).toEqual(shapeOf(english));
  });

  test('has its code to the byte, but for comments of commands', () => {
    expect(codeOf(german)).toEqual(codeOf(english));
  });

  test('has its links, to the German page where there is one', () => {
    expect(rendered(german).links.toSorted()).toEqual(rendered(english).links.map(inGerman).sort());
  });

  test('names the same settings, commands and outcomes', () => {
    const [ours, theirs] = [new Set(namesIn(german)), new Set(namesIn(english))];
    expect([...theirs].filter(name => !ours.has(name))).toEqual([]);
    expect([...ours].filter(name => !theirs.has(name))).toEqual([]);
  });
});

test('a page and its counterpart lead to each other, each in its language', async () => {
  const rig = await startRig();
  for (const { path, language, counterpart } of ALL_PAGES) {
    const { body } = await ask(rig, path, NO_KEY);
    expect(body, path).toMatch(new RegExp(`^<!doctype html>\n<html lang="${language}">`));
    const [, other, tongue, said] = /<a class="other" href="([^"]+)" hreflang="(..)" lang="(..)">/.exec(body) ?? [];
    expect([other, tongue, said], path).toEqual(
      counterpart === undefined
        ? [undefined, undefined, undefined]
        : [counterpart, ...(language === 'en' ? ['de', 'de'] : ['en', 'en'])],
    );
  }
});

test('on a German page all that stands around the text is German, and pages that are not say so', async () => {
  const { body } = await ask(await startRig(), '/docs/de/guide', NO_KEY);
  for (const word of [
    'Zum Text',
    'Alle Seiten',
    'Auf dieser Seite',
    'Konsole öffnen',
    'Link zu „Begriffe“',
    'Suchen',
  ]) {
    expect(body).toContain(word);
  }
  expect(body).not.toMatch(/Skip to|All pages|On this page|Link to “|Open the console/);
  expect(body).toContain('<li><a href="/docs/de/people">Menschen erreichen</a></li>');
  expect(body).toContain(
    '<a href="/docs/operating" hreflang="en"><span lang="en">Operating</span> <small>englisch</small></a>',
  );
  expect(body).toContain('<a class="more" href="/docs/de/arming">');
  expect(body).toContain('<a rel="next" href="/docs/de/arming">Scharf schalten →</a>');
});
