import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { TOKENS_CSS } from '../face.ts';
import type { BuiltFile, Bundle } from './bundle.ts';
import { neededDescriptors } from './descriptors.ts';
import { withoutUnused } from './library-parts.ts';

/*
 * Builds what browsers get of the console, and writes it as JSON to stdout: bundle.ts runs this in a process of its own, as a
 * bundler costs more memory than all that serves.
 */

const HERE = import.meta.dirname;

/** In the order in which they count. */
const STYLES = [
  'base.css',
  'side.css',
  'layout.css',
  'components.css',
  'forms.css',
  'screens.css',
  'storm.css',
  'days.css',
  'incident.css',
  'people.css',
  'start.css',
  'policies.css',
  'duties.css',
  'preview.css',
  'settings.css',
  'tables.css',
  'listed.css',
  'notices.css',
  'fields.css',
  'alarms.css',
  'press.css',
  'sign-in.css',
];

/**
 * Which files there are besides those of the areas (page/areas/): what the page starts with, the rest of Home, and what is needed for
 * incidents, with what the other areas share with it. Left to itself the bundler makes some 85 small ones, in which the same things
 * look new each time, so that they compress badly: 32 kB. `main.tsx` stays by itself, as it waits for the session and nothing may wait
 * for it.
 */
const FILES = [
  { name: 'base', tags: ['$initial' as const], test: /^(?!.*page\/main\.tsx)/, priority: 3 },
  { name: 'home', test: /areas\/home\.ts$/, priority: 2 },
  { name: 'incidents', test: /areas\/(incidents|asked)\.ts$/, priority: 1 },
];

const scripts = await scriptsOf('page/main.tsx');
const style = withHash('console.css', [TOKENS_CSS, ...STYLES.map(file => read(`design/${file}`))].join('\n'));
const bundle: Bundle = {
  script: scripts.entry,
  imports: scripts.imports,
  style: style.name,
  files: [...scripts.files, style].map(({ name, text }) => pack(name, text)),
};
process.stdout.write(JSON.stringify(bundle));

interface Named {
  name: string;
  text: string;
}

async function scriptsOf(entry: string): Promise<{ entry: string; imports: string[]; files: Named[] }> {
  const build = await rolldown({
    input: { console: join(HERE, entry) },
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' }, target: 'es2024' },
    platform: 'browser',
    logLevel: 'warn',
    plugins: [...withoutUnused, neededDescriptors()],
  });
  const { output } = await build.generate({
    format: 'es',
    minify: true,
    codeSplitting: { groups: FILES },
    // They help bundlers alone.
    comments: { annotation: false },
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: ({ facadeModuleId }) => `${nameOf(facadeModuleId)}-[hash].js`,
  });
  await build.close();
  const chunks = output.flatMap(made => (made.type === 'chunk' ? [made] : []));
  const importsOf = new Map(chunks.map(({ fileName, imports }) => [fileName, imports]));
  const withImports = (names: readonly string[], found = new Set<string>()): Set<string> => {
    for (const name of names) if (!found.has(name)) withImports(importsOf.get(name) ?? [], found.add(name));
    return found;
  };
  const { fileName, imports } = chunks.find(({ isEntry }) => isEntry)!;
  return {
    entry: fileName,
    imports: [...withImports(imports)],
    files: chunks.map(({ fileName, code }) => ({ name: fileName, text: code })),
  };
}

/** Of words the language too, as in `de-first`. */
function nameOf(module: string | null): string {
  const [, language, part] = module?.match(/\/words\/(\w+)\/([\w-]+)\.ts$/) ?? [];
  return part === undefined ? '[name]' : `${language}-${part}`;
}

/** Another text has another name, so that each may be kept for ever. */
function withHash(file: string, text: string): Named {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return { name: file.replace('.', `-${hash}.`), text };
}

function pack(name: string, text: string): BuiltFile {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  return {
    name,
    plain: Buffer.from(text).toString('base64'),
    gzip: gzipSync(text, { level: 9, memLevel: 7 }).toString('base64'),
    br: brotliCompressSync(text, quality).toString('base64'),
  };
}

function read(file: string): string {
  return readFileSync(join(HERE, file), 'utf8');
}
