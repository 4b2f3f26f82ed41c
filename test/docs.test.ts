import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DOCS_PAGES } from '../facade/docs-pages.ts';
import { renderMarkdown } from '../facade/markdown.ts';
import {
  citationsIn,
  filesNamedIn,
  missingFiles,
  missingSymbols,
  symbolsNamedIn,
  wrongCitations,
} from './support/citations.ts';
import { commentsOf } from './support/source-scan.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(root + path, 'utf8');

/** What git tracks or would track, so that a file counts before it is committed. */
const paths = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\0')
  .filter(path => path !== '' && existsSync(root + path));

/** All that people write, but for the made-up citations below. */
const citing = paths.filter(
  path =>
    /^(services|facade|proto|test|\.github)\/.*\.(ts|proto|md)$|^README\.md$/.test(path) &&
    path !== 'test/docs.test.ts',
);

const pages = paths.filter(path => path.endsWith('.md'));

/** What of a file speaks to people: comments, and of Markdown all but examples. */
function spoken(path: string): string {
  if (path.endsWith('.md')) return read(path).replaceAll(/^```[\s\S]*?^```/gm, '');
  return path.endsWith('.ts') ? commentsOf(read(path)) : read(path).replaceAll(/^(?!\s*(\/\/|#)).*$/gm, '');
}

test('whatever cites a book finds it in the repository, with the section, rule or row that it names', () => {
  const citations = citing.flatMap(path => citationsIn(path, read(path)));
  for (const book of ['SPEC.md', 'DECISIONS.md', 'REALTIME.md']) {
    expect(citations.filter(citation => citation.book === book).length, book).toBeGreaterThan(10);
  }
  expect(wrongCitations(citations, paths, read)).toEqual([]);
});

test('no comment and no page names a file or folder that is not there', () => {
  const faults = [...citing, '.ci/run'].flatMap(path =>
    missingFiles(filesNamedIn(spoken(path)), paths).map(
      name => `${path} names ${name}, which is not in the repository.`,
    ),
  );
  expect(faults).toEqual([]);
  expect(citing.flatMap(path => filesNamedIn(spoken(path))).length).toBeGreaterThan(200);
});

test('no comment and no page names something of a file that is not in it', () => {
  const named = citing.flatMap(path => symbolsNamedIn(spoken(path)).map(one => ({ path, ...one })));
  expect(missingSymbols(named, paths, read)).toEqual([]);
  expect(named.length).toBeGreaterThan(20);
  const made = symbolsNamedIn('as `mayTake` in `domain/turns.ts` says, and `domain/turns.ts` `noSuchThing` too');
  expect(missingSymbols(made, paths, read)).toEqual([{ symbol: 'noSuchThing', file: 'domain/turns.ts' }]);
});

test('every relative link of the Markdown leads to a file that is there, and to a heading of it', () => {
  const anchors = new Map(
    pages.map(path => [path, renderMarkdown(read(path), { linkTo: href => href }).headings.map(({ id }) => id)]),
  );
  const faults: string[] = [];
  let links = 0;
  for (const path of pages) {
    renderMarkdown(read(path), {
      linkTo(href) {
        if (/^[a-z]+:/.test(href)) return href;
        links++;
        const [file = '', anchor] = href.split('#');
        const target = file === '' ? path : posix.join(posix.dirname(path), file);
        const isThere = paths.some(one => one === target || one.startsWith(`${target}/`));
        const isHeading = anchor === undefined || anchors.get(target)?.includes(anchor);
        if (!isThere || !isHeading)
          faults.push(`${path} links to ${href}: there is no ${isThere ? 'such heading' : 'such file'}.`);
        return href;
      },
    });
  }
  expect(faults).toEqual([]);
  expect(links).toBeGreaterThan(50);
});

test('README.md is short, has the two commands that .ci/run needs, and leads to every page', () => {
  const text = read('README.md');
  expect(text.split('\n').length).toBeLessThanOrEqual(200);
  expect(text).toContain('npm ci && npm start');
  expect(text).toContain('npm ci && npm test');
  expect(read('.ci/run')).toMatch(/^stage install npm ci$[\s\S]*^stage test npm test$/m);
  for (const { file } of DOCS_PAGES.filter(({ path }) => path !== '/docs')) expect(text, file).toContain(`](${file})`);
});

test('the map of services/README.md names the folders of services/ and facade/, each once, and fits one screen', () => {
  const text = read('services/README.md');
  const [, services = '', facade = ''] = text.split(/^\| `(?:services|facade)\/`/m);
  for (const [side, map] of Object.entries({ services, facade })) {
    const named = [...map.matchAll(/^\| `([\w-]+)\/` \|/gm)].map(([, name]) => name!);
    const folders = paths.flatMap(path => new RegExp(`^${side}/([^/]+)/`).exec(path)?.[1] ?? []);
    expect(named.toSorted(), side).toEqual([...new Set(folders)].sort());
  }
  expect(text.split('\n').length).toBeLessThanOrEqual(50);
});

test('the map of test/README.md names the folders of test/', () => {
  const named = [...read('test/README.md').matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(
    ([, cell]) => cell!.match(/[\w-]+(?=\/)/g) ?? [],
  );
  const folders = paths.flatMap(path => /^test\/([^/]+)\//.exec(path)?.[1] ?? []);
  expect(named.filter(name => name !== 'test').toSorted()).toEqual([...new Set(folders)].sort());
});

test('SECURITY.md has its points in order, and names tests that are there', () => {
  const text = read('services/docs/SECURITY.md');
  const points = [...text.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number));
  expect(points).toEqual(Array.from({ length: 29 }, (_, index) => index + 1));
  const named = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(path => !paths.includes(path))).toEqual([]);
});

describe('a file that is named', () => {
  const there = ['services/domain/mode.ts', 'test/faults/kill.test.ts', 'proto/tocsin/alarm/v1/alarm.proto'];
  const faults = (text: string) => missingFiles(filesNamedIn(text), there);

  test.each([
    ['// mode.ts, domain/mode.ts and services/domain/mode.ts: the same'],
    ['// `test/faults`, services/domain/mo*, kill.test.ts'],
    ['// alarm.proto; https://example.com/page.html; a.ts; and e.g. nats.js'],
  ])('and is there is fine: %j', text => {
    expect(faults(text)).toEqual([]);
  });

  test.each([
    ['// moods.ts', 'moods.ts'],
    ['// store/mode.ts', 'store/mode.ts'],
    ['// `services/words`', 'services/words'],
    ['// see ../faults/stop.test.ts.', 'faults/stop.test.ts'],
  ])('and is not there is found: %j', (text, fault) => {
    expect(faults(text)).toEqual([fault]);
  });
});

test('no text tells anybody to run npx tocsin, which in another folder asks a public registry for the name', () => {
  const texts = paths.filter(
    path => /\.(ts|js|md|html|json|yaml|proto)$|\/bin\//.test(path) && path !== 'test/docs.test.ts',
  );
  expect(texts).toContain('services/start/banner.ts');
  expect(texts.filter(path => /\b(npx|npm exec|npm x)\s+(-\S+\s+)*@?tocsin\b/.test(read(path)))).toEqual([]);
});

describe('a citation', () => {
  const BOOK = [
    '# Rules',
    '## 3. Clients',
    '- **Test mode**: nobody is alerted.',
    '1. Send one.',
    '2. Send more.',
    '### 3.4 Limits',
    '| Sockets (per key) | 20 |',
    '## Keys, errors',
    '| Live trigger into an open *test* incident | It closes |',
    '| `links` | Always |',
    '| "Can fire" | It is enabled |',
  ].join('\n');
  const books = { 'services/docs/RULES.md': BOOK, 'README.md': '# Us', 'facade/sdk/README.md': '# The client' };
  const faults = (source: string, file = 'facade/a.ts') =>
    wrongCitations(citationsIn(file, source), Object.keys(books), path => books[path as keyof typeof books]);

  test.each([
    ['// RULES.md'],
    ['// see RULES.md 3, RULES.md 3.4, and (RULES.md 3 and 3.4): both'],
    ['// RULES.md 3, rule 2; RULES.md 3, traps 1 and 2; RULES.md 3 rules 1 and 2'],
    ['// RULES.md 3 "Test mode" and "Limits", RULES.md 3.4 "Sockets", RULES.md "Sockets (per key)"'],
    ['/**\n * As RULES.md "Live trigger into an open\n * test incident", "links" and\n * "Can fire" have it.\n */'],
    ['// what RULES.md\n// 3 says\nconst n = 5;'],
    ['/** RULES.md "Keys, errors": "never" is not cited. */'],
    ["read('../README.md'); read('README.md');"],
  ])('of what is there is fine: %j', source => {
    expect(faults(source)).toEqual([]);
  });

  test.each([
    ['// OTHER.md 3', 'facade/a.ts cites OTHER.md, which is not in the repository'],
    ['// facade/RULES.md', 'facade/a.ts cites facade/RULES.md, which is not in the repository'],
    ['// RULES.md 4', 'facade/a.ts cites RULES.md 4: services/docs/RULES.md has no 4 there.'],
    ['// RULES.md 3 and 3.5', 'has no 3.5 there'],
    ['// RULES.md 3, trap 3', 'has no rule or trap 3 there'],
    ['// RULES.md 3 "links"', 'has no "links" there'],
    ['// RULES.md 3.4 "Test mode"', 'has no "Test mode" there'],
    ['// RULES.md "Can fire", "Live trigger"', 'has no "Live trigger" there'],
    ['/* RULES.md "Can\n * misfire" */', 'has no "Can misfire" there'],
    ['// RULES.md\n// 7', 'has no 7 there'],
  ])('of what is not there is found: %j', (source, fault) => {
    expect(faults(source)).toEqual([expect.stringContaining(fault)]);
  });
});
