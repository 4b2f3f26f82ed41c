import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { JSON_HEADERS, send } from './answer.ts';

/** Path of the arming guide: where links.help points. */
export const ARMING_GUIDE = '/docs/arming';

/** The JSON Schema of the configuration file, for editors; the console's GetSchema gives the same. */
const SCHEMA = '/docs/config.schema.json';

const PAGES = { '/': 'home.html', '/docs': 'index.html', [ARMING_GUIDE]: 'arming.html' };

/** Serves the pages of docs/ as whole files: style inside, no script, nothing from elsewhere, `publicUrl` in the examples. */
export function registerDocs(app: FastifyInstance, publicUrl: () => string): void {
  const style = read('style.css');
  const headers = {
    ...JSON_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src '${hashOf(style)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
  };
  for (const [path, file] of Object.entries(PAGES)) {
    const page = read(file).replace('<link rel="stylesheet" href="style.css">', () => `<style>${style}</style>`);
    app.get(path, { exposeHeadRoute: true }, (_request, reply) => {
      const body = page.replaceAll('%PUBLIC_URL%', () => escapeHtml(publicUrl()));
      return send(reply, { status: 200, headers, body });
    });
  }
  const schema = read('config.schema.json');
  app.get(SCHEMA, { exposeHeadRoute: true }, (_request, reply) => {
    const headers = { ...JSON_HEADERS, 'content-type': 'application/schema+json; charset=utf-8' };
    return send(reply, { status: 200, headers, body: schema });
  });
}

function read(file: string): string {
  return readFileSync(join(import.meta.dirname, 'docs', file), 'utf8');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
