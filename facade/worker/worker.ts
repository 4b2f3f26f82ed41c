import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { LANGUAGES } from '../../services/words/languages.ts';
import { JSON_HEADERS } from '../answer.ts';
import { FACE_POLICY } from '../face.ts';
import { noticeHtml, STYLE_HASH } from '../responder/html.ts';

/** The script that browsers run for us while no page of ours is open. At the top, so that it serves the console and the pages of links. */
const WORKER_PATH = '/worker.js';

/** What is shown in the place of any page where there is no line; the worker writes the time into it. */
const OFFLINE = {
  html: noticeHtml(
    LANGUAGES.map(({ language, page }) => ({ language, text: page.noLine('$since') })),
    '<meta http-equiv="refresh" content="15">',
  ),
  policy: `default-src 'none'; style-src '${STYLE_HASH}'; ${FACE_POLICY}`,
};

const WORKER = readFileSync(join(import.meta.dirname, 'worker.js'), 'utf8').replace('$offline', () =>
  JSON.stringify(OFFLINE),
);

/** Serves it. Browsers look for another one at each visit, whatever they may keep. */
export function registerWorker(app: FastifyInstance): void {
  const headers = {
    ...JSON_HEADERS,
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': "default-src 'none'; connect-src 'self'",
  };
  app.get(WORKER_PATH, { exposeHeadRoute: true }, (_request, reply) => reply.headers(headers).send(WORKER));
}
