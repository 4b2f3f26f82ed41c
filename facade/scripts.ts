import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { JSON_HEADERS, send } from './answer.ts';

const SDK = join(import.meta.dirname, 'sdk');
const LIVE = join(import.meta.dirname, 'docs', 'live.js');

const HEADERS = { ...JSON_HEADERS, 'content-type': 'text/javascript; charset=utf-8' };

/** Serves the script of the live page and the client that it imports, each file of sdk/ without its types. */
export function registerScripts(app: FastifyInstance): void {
  serve(app, '/docs/live.js', () => readFileSync(LIVE, 'utf8'));
  for (const file of readdirSync(SDK).filter(name => name.endsWith('.ts'))) {
    const name = file.replace(/\.ts$/, '.js');
    serve(app, `/docs/client/${name}`, () => asJavaScript(readFileSync(join(SDK, file), 'utf8')));
  }
}

/** Makes a script at the first request for it. */
function serve(app: FastifyInstance, path: string, make: () => string): void {
  let body: string | null = null;
  app.get(path, { exposeHeadRoute: true }, (_request, reply) => {
    body ??= make();
    return send(reply, { status: 200, headers: HEADERS, body });
  });
}

function asJavaScript(source: string): string {
  return withoutWarning(() => stripTypeScriptTypes(source)).replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'");
}

/**
 * Silences Node's warning that this is experimental, on stderr, where our logs are JSON. All files of this repository
 * rely on it anyway.
 */
function withoutWarning(act: () => string): string {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return act();
  } finally {
    process.emitWarning = emitWarning;
  }
}
