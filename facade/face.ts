import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { COLOURS, ICON_COLOURS, type Pair, SHADOWS, SIZES } from '../services/process/tokens.ts';
import { JSON_HEADERS } from './answer.ts';

/*
 * What the console, the documentation, the page of the person alerted and the page of an unknown path have in common, so that
 * the product has one face: the values of the design as CSS, the icon and the manifest.
 */

/** The values as custom properties, in words that browsers of old telephones know too. */
export const TOKENS_CSS = tokensCss();

/** The icon as SVG. */
export const ICON = iconOf(readFileSync(join(import.meta.dirname, 'console/design/icon.svg'), 'utf8'));

/** The same as PNG, for what takes no SVG: home screens, launchers that cut their own shape, and the sign of a message. `npm run pictures` draws them. */
const PNGS = ['touch-icon', 'app-192', 'app-512', 'app-maskable', 'badge'] as const;

const PATHS = { icon: 'icon.svg', touchIcon: 'touch-icon.png', manifest: 'manifest.webmanifest' };

export const MANIFEST = {
  name: 'Tocsin',
  short_name: 'Tocsin',
  id: './',
  start_url: './',
  scope: './',
  display: 'standalone',
  background_color: COLOURS.ground[0],
  theme_color: COLOURS.ground[0],
  icons: [
    { src: PATHS.icon, sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
    { src: PATHS.touchIcon, sizes: '180x180', type: 'image/png', purpose: 'any' },
    { src: 'app-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: 'app-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
    { src: 'app-maskable.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
  // Relative, as all of it: a proxy may have put a path before ours.
  shortcuts: [
    { name: 'Incidents', url: './incidents' },
    { name: 'Alarms', url: './alarms' },
    // To the first of them on Home (console/page/parts/sources.tsx).
    { name: 'Panic button', url: './#panic' },
  ],
};

/** What the policy of a page (Content-Security-Policy) has to allow for both. */
export const FACE_POLICY = "img-src 'self'; manifest-src 'self'";

/** Serves icons and manifest. */
export function registerFace(app: FastifyInstance): void {
  const serve = (path: string, type: string, body: string | Buffer) => {
    const headers = { ...JSON_HEADERS, 'content-type': type, 'cache-control': 'public, max-age=86400' };
    app.get(`/${path}`, { exposeHeadRoute: true }, (_request, reply) => reply.headers(headers).send(body));
  };
  serve(PATHS.icon, 'image/svg+xml', ICON);
  for (const name of PNGS) {
    serve(`${name}.png`, 'image/png', readFileSync(join(import.meta.dirname, `console/design/${name}.png`)));
  }
  serve(PATHS.manifest, 'application/manifest+json; charset=utf-8', JSON.stringify(MANIFEST));
}

/** Returns what the head of a page needs for both. `top`: the way to the top (toTop), or `/`; `manifest`: the page's own. */
export function faceHead(top: string, manifest = `${top}${PATHS.manifest}`): string {
  const theme = (scheme: string, colour: string) =>
    `<meta name="theme-color" media="(prefers-color-scheme: ${scheme})" content="${colour}">`;
  const [light, dark] = COLOURS.ground;
  return `<link rel="icon" type="image/svg+xml" href="${top}${PATHS.icon}"><link rel="apple-touch-icon" href="${top}${PATHS.touchIcon}"><link rel="manifest" href="${manifest}">
<meta name="color-scheme" content="light dark">${theme('light', light)}${theme('dark', dark)}`;
}

/** No page of ours is this deep. */
const DEEPEST = 32;

/**
 * Returns the way from the page of a URL to the top, as a relative URL: a proxy may have put a path before ours. From a URL of
 * slashes only it is not relative, so that the answer stays small.
 */
export function toTop(url: string): string {
  const [path = '/'] = url.split('?', 1);
  const depth = path.split('/').length - 2;
  return depth > DEEPEST ? '/' : `./${'../'.repeat(Math.max(0, depth))}`;
}

function tokensCss(): string {
  const pairs: [string, Pair][] = Object.entries({ ...COLOURS, ...SHADOWS });
  const at = (scheme: 0 | 1) => pairs.map(([name, pair]) => `--${name}:${pair[scheme]};`).join('');
  const sizes = Object.entries(SIZES).map(([name, value]) => `--${name}:${value};`);
  return `:root{color-scheme:light dark;${at(0)}${sizes.join('')}}
@media (prefers-color-scheme: dark){:root{${at(1)}}}
`;
}

function iconOf(drawn: string): string {
  return drawn.replace(/\$(ground|line|mark)/g, (_mark, name: keyof typeof ICON_COLOURS) => ICON_COLOURS[name]);
}
