import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type BuiltFile, buildConsole } from '../../../facade/console/bundle.ts';
import { CONSOLE_PATHS } from '../../../facade/console/site.ts';
import { startDoor } from './door-rig.ts';

const WORDS = join(import.meta.dirname, '../../../facade/console/words');
const LANGUAGES = readdirSync(WORDS).filter(name => !name.includes('.'));
const PARTS = readdirSync(join(WORDS, 'en'));

const sizeOf = (base64: string) => Buffer.from(base64, 'base64').length;

test('is small: the first screen at most 57 kB of script, all screens at most 130, each language 28 apart', async () => {
  const { files, script } = await buildConsole();
  const scripts = files.filter(({ name }) => name.endsWith('.js'));
  const languages = LANGUAGES.map(language => scripts.filter(({ name }) => name.startsWith(`${language}-`)));
  const others = scripts.filter(script => !languages.flat().includes(script));
  const weigh = (some: typeof scripts) => some.reduce((sum, { gzip }) => sum + sizeOf(gzip), 0);
  const largest = (weights: number[]) => Math.max(...weights);
  const firstWords = languages.map(parts => weigh(parts.filter(({ name }) => name.includes('-first-'))));
  expect(languages.map(parts => parts.length)).toEqual(LANGUAGES.map(() => PARTS.length));
  expect(weigh(startOf(script, scripts)) + largest(firstWords)).toBeLessThanOrEqual(57_000);
  expect(weigh(others)).toBeLessThanOrEqual(130_000);
  expect(largest(languages.map(weigh))).toBeLessThanOrEqual(28_000);
});

/** A script and what it cannot start without. */
function startOf(name: string, scripts: readonly BuiltFile[], found = new Set<BuiltFile>()): BuiltFile[] {
  const script = scripts.find(script => script.name === name)!;
  if (found.has(script)) return [];
  found.add(script);
  const text = Buffer.from(script.plain, 'base64').toString();
  for (const [, imported] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) startOf(imported!, scripts, found);
  return [...found];
}

test('shows one page at every path of its own, which names all that it starts with, asks for nothing elsewhere and runs nothing of others', async () => {
  const { url } = await startDoor();
  const { files, script, style } = await buildConsole();
  const start = [style, ...startOf(script, files).map(({ name }) => name)].toSorted();
  for (const path of CONSOLE_PATHS.map(path => path.replace(':id', 'a'.repeat(32)).replace(':part', 'deleted'))) {
    const response = await fetch(url + path, { headers: { accept: 'text/html' } });
    const html = await response.text();
    expect([response.status, response.headers.get('cache-control')], path).toEqual([200, 'no-store']);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(html).toContain('The console needs JavaScript');
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    // A proxy may have put a path before ours: from wherever the page is, its files are found.
    for (const base of [url, `${url}/some/tocsin`]) {
      const found = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, href]) => new URL(href!, base + path).href);
      const named = found.filter(href => href.startsWith(`${base}/console/`)).map(href => href.split('/').at(-1));
      expect(named.toSorted(), path).toEqual(start);
      expect(
        found.every(href => href.startsWith(`${base}/`)),
        path,
      ).toBe(true);
    }
  }
});

test('gives each file compressed as it is asked for, to be kept for ever', async () => {
  const { url } = await startDoor();
  const html = await (await fetch(url)).text();
  for (const [, href] of html.matchAll(/(?:src|href)="(\.\/console\/[^"]+)"/g)) {
    const file = new URL(href!, url);
    const plain = Buffer.from(await (await fetch(file, { headers: { 'accept-encoding': 'identity' } })).arrayBuffer());
    for (const encoding of ['br', 'gzip']) {
      const { headers } = await fetch(file, { method: 'HEAD', headers: { 'accept-encoding': encoding } });
      expect(headers.get('content-encoding'), href).toBe(encoding);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(
        Buffer.from(await (await fetch(file, { headers: { 'accept-encoding': encoding } })).arrayBuffer()),
      ).toEqual(plain);
    }
  }
  const nothing = await fetch(`${url}/console/nothing-12345678.js`);
  expect(nothing.status).toBe(404);
});

test.for(PARTS)('says everything in every language, with the same blanks to fill: %s', async part => {
  const shape = (value: unknown): unknown => {
    if (typeof value === 'function') return `${value.length} arguments`;
    if (Array.isArray(value)) return value.map(shape);
    if (typeof value !== 'object' || value === null) return typeof value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shape(part)]));
  };
  const wordsOf = async (language: string) => ((await import(join(WORDS, language, part))) as { words: unknown }).words;
  for (const language of LANGUAGES)
    expect(shape(await wordsOf(language)), language).toEqual(shape(await wordsOf('en')));
});
