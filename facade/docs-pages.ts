import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { escapeHtml } from '../services/process/text.ts';
import { DOCS_WORDS, type DocsLanguage, type DocsWords } from './docs-words.ts';
import { renderMarkdown } from './markdown.ts';
import { DESCRIPTORS, OPENAPI } from './openapi.ts';

/** A page below /docs. */
export interface DocsPage {
  path: string;
  language: DocsLanguage;
  /** Path of the same page in the other language. */
  counterpart?: string;
  /** The Markdown file it is made from, from the top of the repository. */
  file: string;
  /** Its name in the navigation. */
  label: string;
  /** Former anchors of its headings, by present anchor. */
  anchors?: Readonly<Record<string, string>>;
}

/** Path of the arming guide: where links.help points. */
export const ARMING_GUIDE = '/docs/arming';

/** The page with a form and a script: shows live what a key sees. */
export const LIVE = '/docs/live';

/** The JSON Schema of the configuration file, for editors; the console's GetSchema returns the same. */
export const SCHEMA = '/docs/config.schema.json';

/** The page with every call of /v1 in detail. */
export const OPENAPI_PAGE = '/docs/openapi';

/** A page in English. `german`: its name in German, if it is there in German too. */
type Listed = Omit<DocsPage, 'language' | 'counterpart'> & { german?: string };

/** All pages in the order of the navigation. `others`: pages that are not Markdown. */
const SECTIONS: readonly {
  part: keyof DocsWords['parts'];
  pages: readonly Listed[];
  others?: readonly Pick<DocsPage, 'path' | 'label'>[];
}[] = [
  {
    part: 'using',
    pages: [
      {
        path: '/docs',
        file: 'facade/docs/README.md',
        label: 'Overview',
        german: 'Überblick',
        anchors: { 'all-calls': 'calls', 'what-they-answer': 'answers', 'changes-as-they-happen': 'live' },
      },
      { path: '/docs/guide', file: 'facade/docs/guide.md', label: 'Guide', german: 'Anleitung' },
      {
        path: ARMING_GUIDE,
        file: 'facade/docs/arming.md',
        label: 'Arming guide',
        german: 'Scharf schalten',
        anchors: {
          'arm-and-disarm': 'arm',
          'only-trigger-when-armed': 'gate',
          'the-false-alarm-window': 'window',
          'ending-an-incident': 'end',
          'panic-buttons': 'panic',
          'test-mode': 'test',
          'what-the-answers-mean': 'answers',
          '202-but-nobody-was-told': 'nobody',
          '404-though-the-id-is-right': 'not-found',
        },
      },
      { path: '/docs/recipes', file: 'facade/docs/recipes.md', label: 'Recipes' },
      { path: '/docs/people', file: 'facade/docs/people.md', label: 'Reaching people', german: 'Menschen erreichen' },
      { path: '/docs/console', file: 'facade/docs/console.md', label: 'Console', german: 'Konsole' },
    ],
  },
  {
    part: 'integrating',
    pages: [
      { path: '/docs/api', file: 'facade/docs/api.md', label: 'API' },
      { path: '/docs/realtime', file: 'facade/docs/realtime.md', label: 'Realtime' },
      { path: '/docs/services', file: 'facade/docs/services.md', label: 'For services' },
      { path: '/docs/javascript', file: 'facade/sdk/README.md', label: 'JavaScript client' },
    ],
    others: [
      { path: OPENAPI_PAGE, label: 'Every call' },
      { path: LIVE, label: 'Live state' },
    ],
  },
  {
    part: 'running',
    pages: [
      { path: '/docs/operating', file: 'facade/docs/operating.md', label: 'Operating' },
      { path: '/docs/limits', file: 'facade/docs/limits.md', label: 'Limits' },
      { path: '/docs/running', file: 'facade/docs/running.md', label: 'Ways to run it' },
      { path: '/docs/proxies', file: 'facade/docs/proxies.md', label: 'Behind a proxy' },
      { path: '/docs/clusters', file: 'facade/docs/clusters.md', label: 'Clusters' },
      { path: '/docs/watching', file: 'facade/docs/watching.md', label: 'Watching' },
      { path: '/docs/backup', file: 'facade/docs/backup.md', label: 'Backup and restore' },
      { path: '/docs/upgrading', file: 'facade/docs/upgrading.md', label: 'Upgrading' },
      { path: '/docs/architecture', file: 'facade/docs/architecture.md', label: 'Architecture' },
      { path: '/docs/map', file: 'services/README.md', label: 'Map of the code' },
    ],
  },
  {
    part: 'finePrint',
    pages: [
      { path: '/docs/specification', file: 'services/docs/SPEC.md', label: 'Specification' },
      { path: '/docs/rulings', file: 'services/docs/DECISIONS.md', label: 'Rulings' },
      { path: '/docs/protocol', file: 'services/docs/REALTIME.md', label: 'Realtime protocol' },
      { path: '/docs/engine', file: 'services/docs/ENGINE.md', label: 'Engine' },
      { path: '/docs/security', file: 'services/docs/SECURITY.md', label: 'Security' },
      { path: '/docs/licences', file: 'services/docs/LICENCES.md', label: 'Licences' },
    ],
  },
];

/** All pages in English, in order. */
export const DOCS_PAGES: readonly DocsPage[] = SECTIONS.flatMap(({ pages }) => pages.map(inEnglish));

/** The pages that are there in German, in order. */
export const GERMAN_PAGES: readonly DocsPage[] = SECTIONS.flatMap(({ pages }) => pages.flatMap(inGerman));

/** All pages of Markdown. */
export const ALL_PAGES: readonly DocsPage[] = [...DOCS_PAGES, ...GERMAN_PAGES];

function inEnglish({ german, ...page }: Listed): DocsPage {
  return { ...page, language: 'en', ...(german !== undefined && { counterpart: germanPath(page.path) }) };
}

function inGerman({ german, path, file }: Listed): DocsPage[] {
  if (german === undefined) return [];
  const own = posix.join(posix.dirname(file), 'de', posix.basename(file));
  return [{ path: germanPath(path), file: own, label: german, language: 'de', counterpart: path }];
}

/** Returns where a page is in German; so also the search. */
function germanPath(path: string): string {
  return path.replace(/^\/docs/, '/docs/de');
}

/** The page that searches the others, by the language of the page that it is asked from. */
export const SEARCHES: Readonly<Record<DocsLanguage, string>> = { en: '/docs/search', de: germanPath('/docs/search') };

/** Pictures on the pages, made by `npm run pictures`. */
export const PICTURES = ['home.webp', 'incident.webp', 'phone.webp'];

/** What it is run and watched with, to be fetched and edited: files of facade/docs/run, with this deployment's address in them. */
export const RUN_FILES = [
  'tocsin.service',
  'Containerfile',
  'compose.yaml',
  'alerts.yml',
  'dashboard.json',
  'asterisk-gateway.mjs',
];

/** Other files that may be linked to, by the file they are served from. */
const OTHER_FILES = new Map([
  ...RUN_FILES.map(name => [`facade/docs/run/${name}`, `/docs/run/${name}`] as const),
  ['facade/docs/config.schema.json', SCHEMA],
  ['facade/docs/live.html', LIVE],
  ...PICTURES.map(name => [`facade/docs/pictures/${name}`, `/docs/pictures/${name}`] as const),
  ['gen/openapi.json', OPENAPI],
  ['gen/tocsin.binpb', DESCRIPTORS],
]);

/** A page ready for layout. */
export interface PageParts {
  path: string;
  language: DocsLanguage;
  /** Path of the same page in the other language, if it is there. */
  counterpart?: string | undefined;
  title: string;
  /** Its main part, as HTML. */
  main: string;
}

/** Renders one page of Markdown, with its table of contents first and a link to the next page last. */
export function docsPage(page: DocsPage): PageParts {
  const { file, path, language, counterpart, anchors = {} } = page;
  const { linkTo, onThisPage } = DOCS_WORDS[language];
  const rendering = { linkTo: (href: string) => servedAt(file, href), anchors, anchorLabel: linkTo };
  const { html, headings } = renderMarkdown(textOf(page), rendering);
  const title = headings.find(({ depth }) => depth === 1)?.text ?? page.label;
  const contents = headings.filter(({ depth }) => depth === 2);
  const list = contents.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`).join('\n');
  const first = html.indexOf('</h1>\n') + '</h1>\n'.length;
  const table = `<details class="contents"><summary>${onThisPage}</summary>\n<ul>\n${list}\n</ul>\n</details>\n`;
  const parts = [html.slice(0, first), contents.length > 1 ? table : '', html.slice(first), neighbours(page)];
  return { path, language, counterpart, title, main: parts.join('') };
}

/** What the navigation leads to in a language: a page that is not there in it is one in English. */
function reachable<Page extends Pick<DocsPage, 'path'>>(language: DocsLanguage, page: Page): Page | DocsPage {
  return (language === 'de' ? GERMAN_PAGES.find(({ counterpart }) => counterpart === page.path) : undefined) ?? page;
}

/** Returns all pages that somebody who reads a language is led to, in order. */
export function pagesFor(language: DocsLanguage): readonly DocsPage[] {
  return DOCS_PAGES.map(page => reachable(language, page) as DocsPage);
}

/** Returns the links to all pages. `path`: the page they are shown on. */
export function navigation(path: string, language: DocsLanguage): string {
  const words = DOCS_WORDS[language];
  const link = (page: Pick<DocsPage, 'path' | 'label'>) => {
    const to = reachable(language, page);
    const current = to.path === path ? ' aria-current="page"' : '';
    if (to !== page || words.onlyEnglish === null)
      return `<li><a href="${to.path}"${current}>${escapeHtml(to.label)}</a></li>`;
    return `<li><a href="${to.path}"${current} hreflang="en"><span lang="en">${escapeHtml(to.label)}</span> <small>${words.onlyEnglish}</small></a></li>`;
  };
  const lists = SECTIONS.map(
    ({ part, pages, others = [] }) =>
      `<p>${words.parts[part]}</p>\n<ul>\n${[...pages, ...others].map(link).join('\n')}\n</ul>`,
  );
  return lists.join('\n');
}

function neighbours(page: DocsPage): string {
  const pages = page.language === 'en' ? DOCS_PAGES : GERMAN_PAGES;
  const at = pages.indexOf(page);
  const [before, after] = [pages[at - 1], pages[at + 1]];
  const link = (to: DocsPage | undefined, rel: string, words: (label: string) => string) =>
    to === undefined ? '' : `<a rel="${rel}" href="${to.path}">${words(escapeHtml(to.label))}</a>`;
  const links = [link(before, 'prev', label => `← ${label}`), link(after, 'next', label => `${label} →`)];
  return `<nav class="neighbours" aria-label="${DOCS_WORDS[page.language].neighbours}">${links.join('')}</nav>\n`;
}

/** Returns where a link of a file leads here, or null: files that are only in the repository are not served. */
function servedAt(file: string, href: string): string | null {
  if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.join(posix.dirname(file), path);
  const served = ALL_PAGES.find(page => page.file === target)?.path ?? OTHER_FILES.get(target);
  if (served === undefined) return null;
  return anchor === undefined ? served : `${served}#${anchor}`;
}

/** Returns the Markdown of a page. */
export function textOf({ file }: DocsPage): string {
  return readFileSync(join(import.meta.dirname, '..', file), 'utf8');
}
