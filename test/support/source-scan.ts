import { posix } from 'node:path';

/** One import of a file: `import`, `export … from`, a side-effect import or `import()`, types included. */
export interface Import {
  /** As written; null where an `import()` takes something other than a plain string. */
  specifier: string | null;
  /** The path in the repository that a relative specifier names; null for packages. */
  path: string | null;
}

/** Finds the imports of a TypeScript file. Comments, strings and templates that merely look like imports do not count. */
export function importsOf(file: string, source: string): Import[] {
  const strings: string[] = [];
  const code = source.replace(TOKEN, token => {
    if (token[0] !== "'" && token[0] !== '"') return ' ';
    return ` §${strings.push(token.slice(1, -1)) - 1}§ `;
  });
  return [...code.matchAll(IMPORT)].map(({ groups }) => {
    const specifier = groups?.string === undefined ? null : (strings[Number(groups.string)] ?? null);
    const path = specifier?.startsWith('.') ? posix.join(posix.dirname(file), specifier) : null;
    return { specifier, path };
  });
}

/** The code of a file without comments and strings. Templates stay: they hold code too. */
export function codeOf(source: string): string {
  return source.replace(TOKEN, token => (token.startsWith('`') ? token : ' '));
}

/** The comments of a file, one after the other. */
export function commentsOf(source: string): string {
  return [...source.matchAll(TOKEN)].flatMap(([token]) => (/^\/[/*]/.test(token) ? [token] : [])).join('\n');
}

/** Whatever may hold text that looks like code: comments, strings, templates, regular expressions. */
const TOKEN = new RegExp(
  [
    /\/\/.*/,
    /\/\*[\s\S]*?\*\//,
    /'(?:\\.|[^'\\\n])*'/,
    /"(?:\\.|[^"\\\n])*"/,
    /`(?:\\[\s\S]|[^`\\])*`/,
    /(?<=(?:[(,=:[!&|?{};]|=>|\breturn)\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** On code in which each string stands as §number§. */
const IMPORT =
  /(?<![\w$.])(?:import\s*\(\s*(?:§(?<string>\d+)§\s*[,)])?|import\s*§(?<string>\d+)§|(?:import|export)\s[^;§=()]*?\sfrom\s*§(?<string>\d+)§)/g;
