import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Answer, JSON_HEADERS, send } from './answer.ts';
import { escapeHtml, policyHash } from './html.ts';
import { registerScripts } from './scripts.ts';

/** Path of the arming guide: where links.help points. */
export const ARMING_GUIDE = '/docs/arming';

/** The JSON Schema of the configuration file, for editors; the console's GetSchema gives the same. */
const SCHEMA = '/docs/config.schema.json';

/** The one page with a script: what a key sees, as it is now. */
const LIVE = '/docs/live';

const PAGES = { '/': 'home.html', '/docs': 'index.html', [ARMING_GUIDE]: 'arming.html', [LIVE]: 'live.html' };

/**
 * Serves the pages of docs/ as whole files: style inside, nothing from elsewhere, `publicUrl` in the examples. Only the live
 * page has a script.
 */
export function registerDocs(app: FastifyInstance, publicUrl: () => string): void {
  for (const [path, file] of Object.entries(PAGES)) {
    const page = readPage(file);
    app.get(path, { exposeHeadRoute: true }, (_request, reply) => {
      const body = page.replaceAll('%PUBLIC_URL%', () => escapeHtml(publicUrl()));
      const more = path === LIVE ? `; ${livePolicy(publicUrl())}` : '';
      return send(reply, { status: 200, headers: pageHeaders(more), body });
    });
  }
  const schema = read('config.schema.json');
  app.get(SCHEMA, { exposeHeadRoute: true }, (_request, reply) => {
    const headers = { ...JSON_HEADERS, 'content-type': 'application/schema+json; charset=utf-8' };
    return send(reply, { status: 200, headers, body: schema });
  });
  registerScripts(app);
}

/** For a person whose browser was led to where there is nothing. */
export function notFoundPage(): Answer {
  return { status: 404, headers: pageHeaders(), body: readPage('not-found.html') };
}

const STYLE = read('style.css');

function readPage(file: string): string {
  return read(file).replace('<link rel="stylesheet" href="style.css">', () => `<style>${STYLE}</style>`);
}

/** `more`: what the page may do besides showing itself, as directives. */
function pageHeaders(more = ''): Answer['headers'] {
  const policy = `default-src 'none'; style-src '${policyHash(STYLE)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return {
    ...JSON_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy + more,
    'referrer-policy': 'no-referrer',
  };
}

/** Its scripts are files of ours. It asks /v1 where it was opened, and the socket is where describe says: at the public URL. */
function livePolicy(publicUrl: string): string {
  const { host, protocol } = new URL(publicUrl);
  return `script-src 'self'; connect-src 'self' ${protocol === 'http:' ? 'ws' : 'wss'}://${host}`;
}

function read(file: string): string {
  return readFileSync(join(import.meta.dirname, 'docs', file), 'utf8');
}
