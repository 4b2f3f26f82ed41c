import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ICON, TOKENS_CSS } from '../facade/face.ts';
import { COLOURS, type Colour } from '../services/process/tokens.ts';
import { ask, startRig } from './facade/rig.ts';

/* One face: the values of the design stand in one file, and all that is shown reads them. */

const root = fileURLToPath(new URL('..', import.meta.url));
const TOKENS = 'services/process/tokens.ts';

/** What is shown to people, or written to be. */
const shown = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'facade', 'services'], {
  cwd: root,
})
  .toString()
  .split('\n')
  .filter(path => /\.(css|html|svg|tsx?|js)$/.test(path) && existsSync(root + path));

test('no colour stands outside of the file of the design', () => {
  const literal = /#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\b(?![\w-])|\b(?:rgba?|hsla?|oklch|light-dark)\(/gi;
  const stray = shown
    .filter(path => path !== TOKENS)
    .flatMap(path => {
      const text = readFileSync(root + path, 'utf8');
      return [...text.matchAll(literal)].map(([colour]) => `${path}: ${colour}`);
    });
  expect(stray).toEqual([]);
  expect(readFileSync(root + TOKENS, 'utf8')).toMatch(literal);
});

test('every value that a style names is there', () => {
  const known = new Set([...TOKENS_CSS.matchAll(/--([\w-]+):/g)].map(([, name]) => name));
  // What only the page knows, such as how many rows there are, it sets on the element.
  for (const path of shown.filter(path => path.endsWith('.tsx')))
    for (const [, name] of readFileSync(root + path, 'utf8').matchAll(/'--([\w-]+)':/g)) known.add(name);
  const styles = shown.filter(path => path.endsWith('.css'));
  expect(styles.length).toBeGreaterThan(5);
  for (const path of styles) {
    const text = readFileSync(root + path, 'utf8');
    for (const [, name] of text.matchAll(/--([\w-]+):/g)) known.add(name);
    for (const [, name] of text.matchAll(/var\(--([\w-]+)/g)) expect([...known], `${path}: ${name}`).toContain(name);
  }
});

const GROUNDS: readonly Colour[] = ['ground', 'card'];

test.each<[Colour, readonly Colour[]]>([
  ['text', [...GROUNDS, 'raised', 'hover', 'live-ground', 'test-ground', 'good-ground', 'warn-ground']],
  ['soft', [...GROUNDS, 'raised']],
  ['accent', [...GROUNDS, 'raised']],
  ['live', [...GROUNDS, 'live-ground']],
  ['test', [...GROUNDS, 'test-ground']],
  ['good', [...GROUNDS, 'good-ground']],
  ['warn', [...GROUNDS, 'warn-ground']],
  ['on-solid', ['live-solid', 'test-solid', 'good-solid']],
])('%s can be read at night and by tired eyes: 7 to 1 on all that it stands on', (ink, grounds) => {
  for (const ground of grounds) {
    for (const scheme of [0, 1] as const) {
      expect(contrast(COLOURS[ink][scheme], COLOURS[ground][scheme]), `${ground} ${scheme}`).toBeGreaterThanOrEqual(7);
    }
  }
});

test('icon and manifest are there for every page', async () => {
  const rig = await startRig();
  const icon = await ask(rig, '/icon.svg', { headers: { 'x-api-key': undefined } });
  expect([icon.status, icon.headers['content-type'], icon.body]).toEqual([200, 'image/svg+xml', ICON]);
  expect(ICON).not.toContain('$');
  const touchIcon = await fetch(`http://127.0.0.1:${rig.port}/touch-icon.png`);
  const png = Buffer.from(await touchIcon.arrayBuffer());
  // Its width and height stand at the 16th byte (PNG, 11.2.2).
  expect([touchIcon.headers.get('content-type'), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([
    'image/png',
    180,
    180,
  ]);
  const manifest = await ask(rig, '/manifest.webmanifest', { headers: { 'x-api-key': undefined } });
  expect(manifest.headers['content-type']).toBe('application/manifest+json; charset=utf-8');
  expect(JSON.parse(manifest.body)).toMatchObject({
    name: 'Tocsin',
    start_url: './',
    icons: [
      { src: 'icon.svg' },
      { src: 'touch-icon.png' },
      { src: 'app-192.png', sizes: '192x192' },
      { src: 'app-512.png', sizes: '512x512' },
      { src: 'app-maskable.png', sizes: '512x512', purpose: 'maskable' },
    ],
    shortcuts: [{ url: './incidents' }, { url: './alarms' }, { url: './#panic' }],
  });
  for (const [name, side] of [
    ['app-192', 192],
    ['app-512', 512],
    ['app-maskable', 512],
    ['badge', 96],
  ] as const) {
    const drawn = Buffer.from(await (await fetch(`http://127.0.0.1:${rig.port}/${name}.png`)).arrayBuffer());
    expect([name, drawn.readUInt32BE(16), drawn.readUInt32BE(20)]).toEqual([name, side, side]);
  }
});

/** WCAG 2 "contrast ratio" of two colours like `#ff0080`. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [one, other].map(luminance).toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map(at => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map(part => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
