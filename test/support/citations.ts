import { posix } from 'node:path';

/** A place in a book, as a comment names it: `SPEC.md 4, rule 2`, `DECISIONS.md "Time"`, `REALTIME.md 3, trap 4`. */
export interface Citation {
  file: string;
  /** The book, as written: a name or a path. */
  book: string;
  /** Numbers of sections. */
  sections: string[];
  /** Numbers of rules or traps in these sections. */
  items: string[];
  /** What is named in quotes: headings, rows of tables, bold terms. */
  names: string[];
}

/** A section of a book. What stands before the first number, or has none, is in the section ''. */
interface Section {
  /** Headings, bold terms and first cells of rows. */
  names: Set<string>;
  /** Numbers of the numbered list. */
  items: Set<string>;
}

const NUMBERS = String.raw`(?<numbers>\d+(?:\.\d+)*(?:(?:, | and )\d+(?:\.\d+)*)*)`;
const BOOK = /(?<![\w/.-])(?:[\w.-]+\/)*[\w-]+\.md\b/g;
const SECTIONS = new RegExp(`^ ${NUMBERS}`);
const ITEMS = new RegExp(`^,? (?:rules?|traps?) ${NUMBERS}`);
const NAMES = /^,? (?<names>"[^"]+"(?:(?:, | and )"[^"]+")*)/;

/** Finds what a file cites. A citation may go on in the next line of a comment. */
export function citationsIn(file: string, source: string): Citation[] {
  const text = source.replace(/\s*\n[ \t]*(?:\*(?!\/)|\/\/|#)?[ \t]*/g, ' ');
  return [...text.matchAll(BOOK)].map(match => {
    let rest = text.slice(match.index + match[0].length, match.index + 1_000);
    function next(pattern: RegExp): string {
      const found = pattern.exec(rest);
      rest = rest.slice(found?.[0].length ?? 0);
      return found?.groups?.numbers ?? found?.groups?.names ?? '';
    }
    const sections = next(SECTIONS).match(/[\d.]+/g) ?? [];
    const items = next(ITEMS).match(/[\d.]+/g) ?? [];
    const names = [...next(NAMES).matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? '');
    return { file, book: match[0], sections, items, names };
  });
}

/** Every citation of a book that is not there, or of a place that its book does not have. `paths`: all of the repository. */
export function wrongCitations(
  citations: readonly Citation[],
  paths: readonly string[],
  read: (path: string) => string,
) {
  const known = new Set(paths);
  const books = new Map<string, Map<string, Section>>();
  function bookAt(path: string): Map<string, Section> {
    const book = books.get(path) ?? sectionsOf(read(path));
    books.set(path, book);
    return book;
  }
  return citations.flatMap(({ file, book, sections, items, names }) => {
    const path = placesOf(book, file).find(place => known.has(place)) ?? paths.find(one => one.endsWith(`/${book}`));
    if (path === undefined) return [`${file} cites ${book}, which is not in the repository: say what it says instead.`];
    const all = bookAt(path);
    const cited = sections.length > 0 ? sections.map(number => all.get(number)) : [...all.values()];
    const missing = [
      ...sections.filter(number => !all.has(number)),
      ...items.filter(item => !cited.some(section => section?.items.has(item))).map(item => `rule or trap ${item}`),
      ...names.filter(name => !cited.some(section => section?.names.has(plain(name)))).map(name => `"${name}"`),
    ];
    const where = sections.length > 0 ? ` ${sections.join(', ')}` : '';
    return missing.map(what => `${file} cites ${book}${where}: ${path} has no ${what} there.`);
  });
}

const FILE =
  /(?<![\w@/.:-])(?:(?:[\w.-]+\/)*[\w-]{2,}(?:\.[\w-]+)*\.(?:ts|proto|sql|yaml|html|css)\b|(?:services|facade|proto|test|gen|\.ci|\.github)\/[\w./-]*\w(?![\w*/<-]))/g;

/** The files and folders that a text names: by their names alone, or with as much of their path as tells them apart. */
export function filesNamedIn(text: string): string[] {
  return [...text.matchAll(FILE)].map(([name]) => name.replace(/^(\.\.?\/)+/, ''));
}

/** Every named file or folder that is none of `paths`, the files of the repository. */
export function missingFiles(names: readonly string[], paths: readonly string[]): string[] {
  const isThere = (name: string) =>
    paths.some(path => path === name || path.endsWith(`/${name}`) || path.startsWith(`${name}/`));
  return names.filter(name => !isThere(name));
}

/** A name of the code that a text says is in a file. */
export interface SymbolNamed {
  symbol: string;
  file: string;
}

const SYMBOL = [
  /`(?<symbol>[A-Za-z_]\w*)` in `(?<file>[\w./-]+\.tsx?)`/g,
  /(?<file>\b[\w./-]+\.tsx?)`?(?:,)? `(?<symbol>[A-Za-z_]\w*)`/g,
];

/** Returns the names of the code that a text says are in a file: "`mayTake` in `domain/turns.ts`", "domain/turns.ts `mayTake`". */
export function symbolsNamedIn(text: string): SymbolNamed[] {
  const found = SYMBOL.flatMap(pattern => [...text.matchAll(pattern)]);
  return found.map(({ groups }) => ({ symbol: groups!.symbol!, file: groups!.file!.replace(/^(\.\.?\/)+/, '') }));
}

/** Every one whose file does not have that name; `read` gives the text of one of `paths`. */
export function missingSymbols(
  named: readonly SymbolNamed[],
  paths: readonly string[],
  read: (path: string) => string,
): SymbolNamed[] {
  return named.filter(({ symbol, file }) => {
    const meant = paths.filter(path => path === file || path.endsWith(`/${file}`));
    return meant.length > 0 && !meant.some(path => new RegExp(`\\b${symbol}\\b`).test(read(path)));
  });
}

/** Where a book is looked for first: in the docs or at the top if it is cited by name alone, else where the path leads. */
function placesOf(book: string, file: string): string[] {
  return [posix.join('services/docs', book), posix.join(posix.dirname(file), book), book];
}

/** The sections by number; one with a dot also counts as a part of the one around it. */
function sectionsOf(text: string): Map<string, Section> {
  const sections = new Map<string, Section>();
  let open: Section[] = [];
  function openSection(number: string): void {
    const around = number.split('.').map((_, at, parts) => parts.slice(0, at + 1).join('.'));
    open = around.map(one => sections.get(one) ?? { names: new Set(), items: new Set() });
    for (const [at, section] of open.entries()) sections.set(around[at] ?? '', section);
  }
  openSection('');
  for (const line of text.split('\n')) {
    const heading = /^(?<level>#+) (?:(?<number>\d+(?:\.\d+)*)\.? )?(?<name>.*)$/.exec(line)?.groups;
    if (heading?.number !== undefined) openSection(heading.number);
    else if (heading?.level === '##') openSection('');
    const named = [heading?.name, firstCell(line), ...[...line.matchAll(/\*\*(.+?)\*\*/g)].map(([, term]) => term)];
    const item = /^(\d+)\. /.exec(line)?.[1];
    for (const { names, items } of open) {
      for (const name of named) if (name !== undefined) for (const one of formsOf(name)) names.add(one);
      if (item !== undefined) items.add(item);
    }
  }
  return sections;
}

function firstCell(line: string): string | undefined {
  return /^\| ([^|]+) \|/.exec(line)?.[1];
}

/** A name may be cited without what it has in parentheses. */
function formsOf(name: string): string[] {
  return [plain(name), plain(name.replaceAll(/ ?\([^)]*\)/g, ''))];
}

function plain(name: string): string {
  return name.replaceAll(/[*`"]/g, '').replaceAll(/\s+/g, ' ').trim();
}
