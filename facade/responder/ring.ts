import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GetDeviceLinkResponse } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import { escapeHtml } from '../../services/process/text.ts';
import { type Answer, JSON_HEADERS } from '../answer.ts';
import { MANIFEST } from '../face.ts';
import { HTML_HEADERS } from './answers.ts';
import { documentOf, hashOf } from './html.ts';

const SCRIPT = readFileSync(join(import.meta.dirname, 'ring.js'), 'utf8');

/** Its path, and that of the manifest by which an iPhone puts the page on its home screen: only there it can ring. */
export const RING_SCRIPT_PATH = '/ring/ring.js';
export const RING_MANIFEST_PATH = '/ring/app.webmanifest';

/** Returns the page of a link that makes a browser ring for a person. Showing it does nothing. */
export function ringAnswer(page: GetDeviceLinkResponse, token: string): Answer {
  const script = `<script src="ring.js?${hashOf(SCRIPT).slice(0, 8)}" defer></script>`;
  const said = Object.entries(page.said).map(([what, text]) => `data-${what}="${escapeHtml(text)}"`);
  const button = `<button class="ring acknowledge" type="button" data-key="${escapeHtml(page.key)}" ${said.join(' ')} dir="auto">${escapeHtml(page.label)}</button>`;
  const toConsole = '<p class="you"><a href="../">Tocsin</a></p>';
  const main = `<main class="ring">
<h1 dir="auto">${escapeHtml(page.title)}</h1>
<p dir="auto">${escapeHtml(page.text)}</p>
<p class="status" role="status" dir="auto" hidden></p>
${page.label === '' ? toConsole : `<div class="actions">${button}</div>`}
</main>`;
  const manifest = `app.webmanifest?of=${encodeURIComponent(token)}`;
  const body = documentOf({ language: page.language, title: page.title, head: script, main, manifest });
  return { status: page.state === 'good' ? 200 : 410, headers: HTML_HEADERS, body };
}

export function ringScript(): Answer {
  const headers = {
    ...JSON_HEADERS,
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  };
  return { status: 200, headers, body: SCRIPT };
}

/** The manifest of the page, which opens there again: an app on a home screen shares nothing with the browser. */
export function ringManifest(token: string): Answer {
  const own = {
    ...MANIFEST,
    start_url: /^[A-Za-z0-9_-]{32}$/.test(token) ? `./${token}` : '../',
    scope: '../',
    icons: MANIFEST.icons.map(icon => ({ ...icon, src: `../${icon.src}` })),
    shortcuts: [],
  };
  const headers = { ...JSON_HEADERS, 'content-type': 'application/manifest+json; charset=utf-8' };
  return { status: 200, headers, body: JSON.stringify(own) };
}
