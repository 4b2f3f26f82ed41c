/*
 * services/docs/HOLDS.md: a table of what SPEC.md and DECISIONS.md say, each with the tests that show it. What is checked here
 * is that the table is whole and that its tests are there; that a test shows what it stands beside is for people to see.
 */

/** A row of the table. */
export interface Held {
  /** As its heading names it, `SPEC.md 4` or `DECISIONS.md, Actions`: the book and the section of it. */
  book: string;
  section: string;
  /** Words of SPEC.md, `…` where some are left out; or the name of a row of DECISIONS.md. */
  statement: string;
  tests: { path: string; names: string[] }[];
  /** What no test shows yet, in words; null: nothing. */
  gap: string | null;
}

const GAP = 'no test yet: ';

/** The rows of the table, in order. */
export function readHeld(markdown: string): Held[] {
  const rows: Held[] = [];
  let of = { book: '', section: '' };
  for (const line of markdown.split('\n')) {
    const heading = /^## (?<book>\w+\.md),? (?<section>.+)$/.exec(line)?.groups;
    if (heading !== undefined) of = { book: heading.book!, section: heading.section! };
    const [, statement, shown] = /^\| (.+?) \| (.+) \|$/.exec(line) ?? [];
    if (statement === undefined || shown === undefined || /^(Statement|Row)$/.test(statement)) continue;
    const gap = shown.startsWith(GAP) ? shown.slice(GAP.length) : null;
    rows.push({ ...of, statement, tests: gap === null ? testsIn(shown) : [], gap });
  }
  return rows;
}

/** Tests are named as `path of their file` "how it begins", "and another one of that file"; quotes in a name are single ones here. */
function testsIn(shown: string): Held['tests'] {
  const tests: Held['tests'] = [];
  for (const [, path, name] of shown.matchAll(/`([^`]+)`|"([^"]+)"/g)) {
    if (path !== undefined) tests.push({ path, names: [] });
    else tests.at(-1)?.names.push(name!);
  }
  return tests;
}

/** The names of the tests and of their groups in a file. */
export function titlesOf(source: string): string[] {
  const titles =
    /(?:\b(?:test|describe)\(|\)\()\s*(?:'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`)\s*,/g;
  return [...source.matchAll(titles)].map(([, one, two, three]) =>
    (one ?? two ?? three ?? '').replaceAll(/\\(.)/g, '$1'),
  );
}

/** Rows that name no test, or one that is not there. `read` gives null where there is no such file. */
export function wrongTests(rows: readonly Held[], read: (path: string) => string | null): string[] {
  const titles = new Map<string, string[] | null>();
  function titlesAt(path: string) {
    if (!titles.has(path))
      titles.set(path, ((source: string | null) => source && titlesOf(source))(read(path)) || null);
    return titles.get(path)!;
  }
  return rows.flatMap(({ statement, tests, gap }) => {
    if (gap !== null) return [];
    if (tests.length === 0) return [`"${statement}" names no test.`];
    return tests.flatMap(({ path, names }) => {
      const there = titlesAt(path);
      if (there === null) return [`"${statement}" names ${path}, which is no file with tests.`];
      if (names.length === 0) return [`"${statement}" names ${path}, and no test of it.`];
      const missing = names.filter(name => !there.some(title => title.replaceAll('"', "'").startsWith(name)));
      return missing.map(name => `"${statement}" names "${name}", which no test in ${path} is called.`);
    });
  });
}

/** What the table says of SPEC.md that SPEC.md does not say, and what SPEC.md lists that the table leaves out. */
export function wrongStatements(rows: readonly Held[], spec: string): string[] {
  const sections = sectionsOf(spec);
  const ofSpec = rows.filter(({ book }) => book === 'SPEC.md');
  const unknown = ofSpec
    .filter(({ section, statement }) => !says(plain(sections.get(section) ?? ''), partsOf(statement)))
    .map(({ section, statement }) => `SPEC.md ${section} does not say "${statement}".`);
  const leftOut = [...sections].flatMap(([section, text]) => {
    const parts = ofSpec.filter(row => row.section === section).flatMap(({ statement }) => partsOf(statement));
    if (parts.length === 0) return [`SPEC.md ${section} is left out.`];
    return listedIn(text)
      .filter(listed => !parts.some(part => listed.includes(part) || part.includes(listed)))
      .map(listed => `SPEC.md ${section} lists what is left out: "${listed}".`);
  });
  return [...unknown, ...leftOut];
}

/** Rows of DECISIONS.md that the table leaves out or has in another section, and those that it makes up. */
export function wrongRulings(rows: readonly Held[], decisions: string): string[] {
  const ofRulings = rows.filter(({ book }) => book === 'DECISIONS.md');
  const held = new Set(ofRulings.map(({ section, statement }) => `${section}: ${plain(statement)}`));
  const ruled = new Set(
    [...sectionsOf(decisions)].flatMap(([section, text]) =>
      [...text.matchAll(/^\| ([^|]+) \|/gm)].map(([, name]) => `${section}: ${plain(name!)}`),
    ),
  );
  for (const section of sectionsOf(decisions).keys()) ruled.delete(`${section}: Point`);
  return [
    ...[...ruled].filter(name => !held.has(name)).map(name => `DECISIONS.md has a row that is left out: ${name}.`),
    ...[...held].filter(name => !ruled.has(name)).map(name => `DECISIONS.md has no row ${name}.`),
  ];
}

/** The sections of a book, by number where they have one, else by name. */
function sectionsOf(text: string): Map<string, string> {
  const sections = text.split(/^## /m).slice(1);
  return new Map(
    sections.map(section => {
      const heading = section.slice(0, section.indexOf('\n'));
      return [/^(\d+)\. /.exec(heading)?.[1] ?? heading, section.slice(heading.length)];
    }),
  );
}

/** Every point, numbered point and row of a table, without the heads of tables. */
function listedIn(section: string): string[] {
  const joined = section.replaceAll(/\n {2,}(?=\S)/g, ' ');
  const lines = joined.split('\n');
  return lines
    .filter((line, at) => /^(- |\d+\. )/.test(line) || (/^\| [^-]/.test(line) && !lines[at + 1]?.startsWith('|---')))
    .map(line => plain(line.replace(/^(- |\d+\. )/, '')));
}

function partsOf(statement: string): string[] {
  return statement
    .split('…')
    .map(plain)
    .filter(part => part !== '');
}

/** Whether a text says all of it, in this order. */
function says(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return parts.length > 0;
}

/** Words without their marks, on one line. */
function plain(text: string): string {
  return text
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/[*`"|]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[.,:;)])|(?<=\() /g, '')
    .trim();
}
