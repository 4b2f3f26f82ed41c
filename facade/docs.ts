import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Strangers } from '../services/limits/strangers.ts';
import { escapeHtml } from '../services/process/text.ts';
import { type Answer, JSON_HEADERS, policyHash, send } from './answer.ts';
import {
  ALL_PAGES,
  docsPage,
  LIVE,
  navigation,
  OPENAPI_PAGE,
  type PageParts,
  PICTURES,
  RUN_FILES,
  SCHEMA,
  SEARCHES,
} from './docs-pages.ts';
import { SEARCH_LENGTH } from './docs-search.ts';
import { searchPage } from './docs-search-page.ts';
import { DOCS_WORDS, type DocsLanguage } from './docs-words.ts';
import { FACE_POLICY, faceHead, TOKENS_CSS, toTop } from './face.ts';
import { OPENAPI_TEXT, registerContracts } from './openapi.ts';
import { openApiMain } from './openapi-page.ts';

/** The addresses in the examples, which are replaced by this deployment's own. */
const EXAMPLE = { url: 'http://localhost:8080', socket: 'ws://localhost:8080', rpc: 'http://localhost:8081' };

export interface DocsOptions {
  publicUrl(): string;
  /** The URL of the RPC port; absent: as the examples have it. */
  rpcUrl?: string;
  strangers: Strangers;
}

/**
 * Serves the pages of docs/ as self-contained files: inline styles, nothing from elsewhere, `publicUrl` in the
 * examples, and the RPC port of `rpcUrl`. Only the live page has a script. An answer is made at the first request for it, and
 * stays: whoever asks for pages must not make others wait.
 */
export function registerDocs(app: FastifyInstance, deps: DocsOptions): void {
  app.register(async scope => {
    // Large answers, for anybody: each address gets so many a second.
    scope.addHook('onRequest', async (request, reply) => {
      if ((await deps.strangers.enter(request.ip)) === 'too_much') return send(reply, TOO_MUCH);
    });
    registerPages(scope, deps);
  });
}

function registerPages(app: FastifyInstance, { publicUrl, rpcUrl = EXAMPLE.rpc }: DocsOptions): void {
  const rpc = ownRpc(rpcUrl);
  function serve(path: string, make: () => PageParts): void {
    const page = made(() => ({
      status: 200,
      headers: pageHeaders(mayDo(path)),
      body: withoutQuery(own(laidOut(make()))),
    }));
    app.get(path, { exposeHeadRoute: true }, (_request, reply) => send(reply, page()));
  }
  /** What names the public URL is made once for each: the operator may set another one. */
  function made<Page>(make: () => Page): () => Page {
    let last: { of: string; page: Page } | null = null;
    return () => {
      const of = publicUrl();
      if (last?.of !== of) last = { of, page: make() };
      return last.page;
    };
  }
  function own(page: string): string {
    return beneath(page, publicUrl())
      .replaceAll(EXAMPLE.url, () => escapeHtml(publicUrl()))
      .replaceAll(EXAMPLE.socket, () => escapeHtml(socketOrigin(publicUrl())))
      .replaceAll(EXAMPLE.rpc, () => escapeHtml(rpc.origin))
      .replaceAll(new URL(EXAMPLE.rpc).host, () => escapeHtml(rpc.host));
  }
  const mayDo = (path: string) => (path === LIVE ? `${SEARCHING}; ${livePolicy(publicUrl())}` : SEARCHING);
  for (const [language, path] of Object.entries(SEARCHES) as [DocsLanguage, string][]) {
    app.get(path, { exposeHeadRoute: true }, ({ query }, reply) => {
      const text = searched(query);
      const isShort = [...text].length <= SEARCH_LENGTH;
      // What somebody typed is put in last: it is shown as it is.
      const page = own(laidOut(searchPage(text, language))).replace(QUERY, () => escapeHtml(isShort ? text : ''));
      return send(reply, { status: isShort ? 200 : 400, headers: pageHeaders(SEARCHING), body: page });
    });
  }
  for (const page of ALL_PAGES) serve(page.path, () => docsPage(page));
  serve(LIVE, () => ({ path: LIVE, language: 'en', title: 'Live state', main: read('live.html') }));
  serve(OPENAPI_PAGE, () => ({
    path: OPENAPI_PAGE,
    language: 'en',
    title: 'Every call',
    main: openApiMain(OPENAPI_TEXT, EXAMPLE.url),
  }));
  const schema = read('config.schema.json');
  app.get(SCHEMA, { exposeHeadRoute: true }, (_request, reply) => {
    const headers = { ...JSON_HEADERS, 'content-type': 'application/schema+json; charset=utf-8' };
    return send(reply, { status: 200, headers, body: schema });
  });
  for (const name of RUN_FILES) {
    const body = made(() => read(join('run', name)).replaceAll(EXAMPLE.url, publicUrl));
    const headers = { ...JSON_HEADERS, 'content-type': 'text/plain; charset=utf-8' };
    app.get(`/docs/run/${name}`, { exposeHeadRoute: true }, (_request, reply) =>
      send(reply, { status: 200, headers, body: body() }),
    );
  }
  for (const name of PICTURES) {
    const headers = { ...JSON_HEADERS, 'content-type': 'image/webp', 'cache-control': 'public, max-age=86400' };
    let picture: Buffer | null = null;
    app.get(`/docs/pictures/${name}`, { exposeHeadRoute: true }, (_request, reply) => {
      picture ??= readFileSync(join(import.meta.dirname, 'docs/pictures', name));
      return reply.headers(headers).send(picture);
    });
  }
  registerContracts(app);
  registerScripts(app);
}

/** Serves the script of the live page and the client that it imports, each file of sdk/ without its types. */
export function registerScripts(app: FastifyInstance): void {
  serveScript(app, '/docs/live.js', () => read('live.js'));
  const sdk = join(import.meta.dirname, 'sdk');
  for (const file of readdirSync(sdk).filter(name => name.endsWith('.ts'))) {
    const name = file.replace(/\.ts$/, '.js');
    serveScript(app, `/docs/client/${name}`, () => asJavaScript(readFileSync(join(sdk, file), 'utf8')));
  }
}

/** Makes a script at the first request for it. */
function serveScript(app: FastifyInstance, path: string, make: () => string): void {
  let body: string | null = null;
  const headers = { ...JSON_HEADERS, 'content-type': 'text/javascript; charset=utf-8' };
  app.get(path, { exposeHeadRoute: true }, (_request, reply) => {
    body ??= make();
    return send(reply, { status: 200, headers, body });
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

/** Where a proxy has put a path before ours, links of a page that begin at the top begin with it. */
function beneath(page: string, publicUrl: string): string {
  const path = new URL(publicUrl).pathname.replace(/\/$/, '');
  return path === '' ? page : page.replaceAll(/ (href|src|action)="\//g, ` $1="${escapeHtml(path)}/`);
}

const TOO_MUCH: Answer = {
  status: 429,
  headers: { ...JSON_HEADERS, 'retry-after': '1', connection: 'close' },
  body: JSON.stringify({ message: 'Your address asks for more pages than 10 a second. Try again in a second.' }),
};

/** Where the layout shows what was searched for. */
const QUERY = '%QUERY%';

function withoutQuery(page: string): string {
  return page.replace(QUERY, '');
}

/** Returns what is searched for; of several the first. */
function searched(query: unknown): string {
  const { q } = query as { q?: string | string[] };
  return [q ?? ''].flat()[0]!.toWellFormed().trim();
}

/** The styles of text and of layout. */
const STYLE = TOKENS_CSS + read('style.css') + read('layout.css');
const STYLE_HASH = policyHash(STYLE);
const LAYOUT = styled('layout.html');
const NOT_FOUND = styled('not-found.html');

/** Returns the page for a browser at an unknown path. `url` as received. */
export function notFoundPage(url: string): Answer {
  const top = toTop(url);
  const body = filled(NOT_FOUND, { FACE: faceHead(top), TOP: top });
  return { status: 404, headers: pageHeaders(), body };
}

function laidOut({ path, language, counterpart, title, main }: PageParts): string {
  const words = DOCS_WORDS[language];
  const top = language === 'en' ? '/docs' : `/docs/${language}`;
  return filled(LAYOUT.replace('<html lang="en">', `<html lang="${language}">`), {
    TITLE: title === 'Tocsin' ? title : `${escapeHtml(title)} · Tocsin`,
    FACE: faceHead('/'),
    SKIP: words.skip,
    TOP: top,
    DOCUMENTATION: words.documentation,
    ARMING: words.arming,
    CONSOLE: words.console,
    ALLPAGES: words.allPages,
    PAGES: words.pages,
    COUNTERPART: counterpart === undefined ? '' : inOther(counterpart, language === 'en' ? 'de' : 'en'),
    NAVIGATION: navigation(path, language),
    SEARCH: SEARCHES[language],
    SEARCHLABEL: words.search.label,
    DOSEARCH: words.search.do,
    QUERY,
    MAIN: main,
  });
}

function inOther(path: string, language: DocsLanguage): string {
  return `<a class="other" href="${path}" hreflang="${language}" lang="${language}">${DOCS_WORDS[language].language}</a>`;
}

function filled(layout: string, parts: Readonly<Record<string, string>>): string {
  return layout.replace(/%([A-Z]+)%/g, (_mark, name: string) => parts[name] ?? '');
}

function styled(file: string): string {
  return read(file).replace('<link rel="stylesheet" href="style.css">', () => `<style>${STYLE}</style>`);
}

/** The pages with the form of the search. */
const SEARCHING = "form-action 'self'";

/** `mayDo`: directives of the policy for what the page may do. */
function pageHeaders(mayDo = "form-action 'none'"): Answer['headers'] {
  const policy = `default-src 'none'; style-src '${STYLE_HASH}'; ${FACE_POLICY}; base-uri 'none'; frame-ancestors 'none'; ${mayDo}`;
  return {
    ...JSON_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
  };
}

/** Its scripts are our files. It calls /v1 at its own origin, and the socket where describe says: at the public URL. */
function livePolicy(publicUrl: string): string {
  return `script-src 'self'; connect-src 'self' ${socketOrigin(publicUrl)}`;
}

function socketOrigin(publicUrl: string): string {
  const { host, protocol } = new URL(publicUrl);
  return `${protocol === 'http:' ? 'ws' : 'wss'}://${host}`;
}

/** Returns the RPC port as examples show it: on this machine by the name that people type. */
function ownRpc(rpcUrl: string): URL {
  const url = new URL(rpcUrl);
  if (['127.0.0.1', '[::1]', '0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = 'localhost';
  return url;
}

function read(file: string): string {
  return readFileSync(join(import.meta.dirname, 'docs', file), 'utf8');
}
