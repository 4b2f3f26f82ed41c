import { PARTS, type Part } from './rooms.ts';
import { codeOf, type Import, importsOf } from './source-scan.ts';

/** The hand-written and generated files of the repository: path with forward slashes → text. */
export type Sources = ReadonlyMap<string, string>;

/** The only files with an import() whose path is made at run time, and why. */
const COMPUTED_IMPORTS = new Map([['services/embedded/binaries.ts', 'the package is named after the platform']]);

/** Every import that goes the wrong way. `dependencies`: the packages that package.json lists for the running product. */
export function wrongImports(sources: Sources, dependencies: ReadonlySet<string>): string[] {
  return [...sources].flatMap(([file, source]) => {
    const part = partOf(file);
    if (part === undefined || !/\.tsx?$/.test(file)) return [];
    const readable = importsOf(file, source).filter(
      ({ specifier }) => specifier !== null || !COMPUTED_IMPORTS.has(file),
    );
    const faults = readable.map(imported => fault(part, imported, sources, dependencies));
    return faults.filter(text => text !== null).map(text => `${file} ${text}`);
  });
}

/** Every file of services that stands in none of its rooms. */
export function looseFiles(files: Iterable<string>): string[] {
  const loose = [...files].filter(file => /^services\/.*\.ts$/.test(file) && partOf(file) === undefined);
  return loose.map(file => `${file} stands in no room of services: put it with what it belongs to.`);
}

function partOf(file: string): Part | undefined {
  return PARTS.find(({ files }) => files.test(file));
}

function fault(part: Part, { specifier, path }: Import, sources: Sources, dependencies: ReadonlySet<string>) {
  if (specifier === null) return 'has an import() of something other than a plain string: write the path out.';
  if (path === null) return outsideFault(part, specifier, dependencies);
  if (!sources.has(path)) return `imports ${path}, which does not exist: imports name the file, with .ts.`;
  const target = partOf(path);
  if (target !== undefined && part.may.includes(target.name)) return null;
  return `imports ${path}: ${part.name} may import ${part.may.join(', ') || 'nothing'} only. ${part.instead}`;
}

function outsideFault(part: Part, specifier: string, dependencies: ReadonlySet<string>): string | null {
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  if (part.outside === 'nothing')
    return `imports ${specifier}: ${part.name} takes nothing from outside. ${part.instead}`;
  if (part.outside === 'protobuf') {
    return name.startsWith('@bufbuild/') ? null : `imports ${specifier}: generated code needs @bufbuild only.`;
  }
  if (specifier.startsWith('node:') || dependencies.has(name)) return null;
  return `imports ${specifier}: not in the dependencies of package.json. Use what is there, or add it with a reason.`;
}

/** Every ring of files that import each other, as "a.ts → b.ts → a.ts". */
export function importCycles(sources: Sources): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: readonly string[]) => {
    const start = trail.indexOf(file);
    if (start >= 0) cycles.push([...trail.slice(start), file].join(' → '));
    if (start >= 0 || done.has(file)) return;
    for (const { path } of importsOf(file, sources.get(file) ?? '')) if (path) visit(path, [...trail, file]);
    done.add(file);
  };
  for (const file of sources.keys()) if (/^(services|facade)\/.*\.tsx?$/.test(file)) visit(file, []);
  return cycles.map(cycle => `${cycle}: move what both need into a file of its own.`);
}

/** What turns the environment into settings. */
const CONFIG = ['services/start/config.ts', 'facade/config.ts', 'facade/cli/config.ts'];

/** Where a process begins: these may hand the environment to what is in CONFIG, whole, and not look into it. */
const ENTRIES = [
  'services/standalone.ts',
  'services/main.ts',
  'services/migrate.ts',
  'services/backup.ts',
  'facade/main.ts',
  'facade/cli/main.ts',
];

/** Every other file of the product that reads the environment. */
export function environmentReaders(sources: Sources): string[] {
  const readers = [...sources].filter(([file, source]) => {
    if (!/^(services|facade)\/.*\.ts$/.test(file) || CONFIG.includes(file)) return false;
    if (importsOf(file, source).some(({ specifier }) => /^(node:)?process$/.test(specifier ?? ''))) return true;
    const code = codeOf(source);
    const looked = ENTRIES.includes(file) ? code.replace(/\b[a-zA-Z]+\(process\.env\)/g, '') : code;
    return /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*\[|=\s*process\b\s*[;,)]/.test(looked);
  });
  return readers.map(
    ([file]) => `${file} reads the environment: only ${CONFIG.join(' and ')} may. Hand in the setting.`,
  );
}

const MOST_LINES = 400;

/** Made by npm run schema. */
const MADE = 'services/store/schema.sql';

/** A language has few files, so that whoever translates it knows where all of it is. */
const SENTENCES = /^(services\/words\/owner|facade\/console\/words\/\w+)\/[\w-]+\.ts$/;

/** Every file outside test that was written here and has more than 400 lines. */
export function longFiles(sources: Sources): string[] {
  const long = [...sources].filter(([file, source]) => {
    if (file === MADE || SENTENCES.test(file)) return false;
    return /^(services|facade|proto(?!\/google))\//.test(file) && source.trimEnd().split('\n').length > MOST_LINES;
  });
  return long.map(([file]) => `${file} has more than ${MOST_LINES} lines: it does more than one thing, so split it.`);
}

const TOP_LEVEL = [
  'README.md',
  'buf.yaml',
  'facade',
  'gen',
  'package-lock.json',
  'package.json',
  'proto',
  'services',
  'test',
  'tsconfig.json',
];

/** Every name at the top of the repository that is neither prescribed nor a dot-file. */
export function strayTopLevel(paths: Iterable<string>): string[] {
  const names = new Set([...paths].map(path => path.split('/')[0] ?? ''));
  const stray = [...names].filter(name => !TOP_LEVEL.includes(name) && !name.startsWith('.'));
  return stray.map(
    name => `${name} stands at the top level, where only ${TOP_LEVEL.join(', ')} and dot-files may: move it.`,
  );
}

/** Every text of the domain that a person could read: codes go out, and services/words says them. */
export function sentencesInDomain(sources: Sources): string[] {
  return [...sources].flatMap(([file, source]) => {
    if (!file.startsWith('services/domain/')) return [];
    return sentencesIn(source).map(text => `${file} says "${text}": give a code out, and say it in services/words.`);
  });
}

/** What answers owners: the rooms of the console, and what they share. */
const ANSWERS_OWNERS =
  /^services\/(configuration|accounts|access|readiness|incident)\/|^services\/rpc\/(auth|boundary|fields|pages|reader)\.ts$/;

/** What is said there in English alone, and why. */
const ENGLISH_ALONE = new Map([
  ['services/configuration/file/descriptions.ts', 'the JSON Schema, which editors show'],
  ['services/configuration/file/schema.ts', 'the JSON Schema, which editors show'],
]);

/** What only programmers and programs read: the log, errors of our own, and statements. */
const NOT_FOR_OWNERS = /\b(log\.\w+|new (Error|TooManyFiles|TypeError))\((?:[^()]|\([^()]*\))*\)/g;
const SQL = /\b(SELECT|INSERT|UPDATE|DELETE|UNION|SET|WHERE|nulls first)\b/;

/**
 * Every sentence that answers an owner and stands elsewhere than in services/words, where the types see to it that each language has
 * it. A key or a machine is answered in English alone.
 */
export function sentencesForOwners(sources: Sources): string[] {
  return [...sources].flatMap(([file, source]) => {
    if (!ANSWERS_OWNERS.test(file) || ENGLISH_ALONE.has(file)) return [];
    const said = sentencesIn(source.replace(NOT_FOR_OWNERS, '')).filter(text => !SQL.test(text));
    return said
      .filter(text => !TO_MACHINES.includes(text))
      .map(text => `${file} says "${text}": say it in services/words/owner, in every language.`);
  });
}

/** To bearers of API keys (SPEC.md 5), and to parts of a deployment. */
const TO_MACHINES = ['The API key is missing or not valid.'];

function sentencesIn(source: string): string[] {
  const texts = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '').matchAll(/'([^'\n]*)'|`([^`]*)`/g);
  const said = [...texts].map(([, plain, template]) => plain ?? template ?? '');
  return said.filter(text => /[a-z]+ [a-z]+ [a-z]+/i.test(text.replace(/\$\{[^}]*\}/g, '1')));
}
