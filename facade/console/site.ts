import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { escapeHtml } from '../../services/process/text.ts';
import { type Answer, JSON_HEADERS, send } from '../answer.ts';
import { FACE_POLICY, faceHead, toTop } from '../face.ts';
import { type Bundle, buildConsole } from './bundle.ts';

/** What the console's own router shows (page/way/router.ts): a link to any of them opens it there. */
export const CONSOLE_PATHS = [
  '/',
  '/sign-in',
  '/confirm',
  '/incidents',
  '/incidents/:id',
  '/calls',
  '/notices',
  '/notices/changes',
  '/notices/proofs',
  '/operator',
  '/operator/:part',
  '/settings',
  '/settings/:part',
  '/alarms',
  '/alarms/:id',
  '/panic-buttons/:id',
  '/people',
  '/people/:id',
  '/duties',
  '/duties/:id',
  '/policies',
  '/policies/:id',
  '/keys',
  '/start',
];

/** Below it stand the files. */
const FILES = '/console/';

const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  FACE_POLICY,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // For the one script that a page may name: the worker's (page/live/offline.ts).
  'trusted-types worker',
].join('; ');

const PAGE_HEADERS = {
  ...JSON_HEADERS,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-robots-tag': 'noindex',
};

/**
 * Serves the console's page and files. They are built when somebody asks for them first: a facade that only devices call never
 * pays for it. All URLs in the page are relative, as a proxy may have put a path before them.
 */
export function registerSite(app: FastifyInstance, log: Logger): void {
  const site = builtOnce(log);
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    const built = await site();
    return send(
      reply,
      built === null ? AWAY : { status: 200, headers: PAGE_HEADERS, body: shellOf(built.names, request) },
    );
  };
  for (const path of CONSOLE_PATHS) app.get(path, { exposeHeadRoute: true }, show);
  app.get(`${FILES}:file`, { exposeHeadRoute: true }, async (request, reply) => {
    const { file } = request.params as { file: string };
    const found = (await site())?.files.get(file);
    if (found === undefined) return reply.callNotFound();
    const encoding = encodingFor(request.headers['accept-encoding']);
    return reply.headers({ ...found.headers, ...ENCODED[encoding] }).send(found[encoding]);
  });
}

type Encoding = 'br' | 'gzip' | 'plain';

const ENCODED: Readonly<Record<Encoding, Record<string, string>>> = {
  br: { 'content-encoding': 'br' },
  gzip: { 'content-encoding': 'gzip' },
  plain: {},
};

/** What is ready to be sent. */
interface Site {
  names: Omit<Bundle, 'files'>;
  files: ReadonlyMap<string, Record<Encoding, Buffer> & { headers: Record<string, string> }>;
}

/** Null where it could not be built; whoever asks next lets it be tried again. */
function builtOnce(log: Logger): () => Promise<Site | null> {
  let made: Promise<Site | null> | null = null;
  return () => {
    made ??= buildConsole().then(siteOf, fault => {
      log.error({ err: fault }, 'the console could not be built');
      made = null;
      return null;
    });
    return made;
  };
}

function siteOf({ files, ...names }: Bundle): Site {
  const ready = files.map(({ name, plain, gzip, br }) => {
    const bytes = { plain: bytesOf(plain), gzip: bytesOf(gzip), br: bytesOf(br) };
    return [name, { ...bytes, headers: fileHeaders(name) }] as const;
  });
  return { names, files: new Map(ready) };
}

/** Another content has another name. */
function fileHeaders(name: string): Record<string, string> {
  const ending = name.slice(name.lastIndexOf('.'));
  return {
    'content-type': TYPES[ending] ?? 'application/octet-stream',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
  };
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

function encodingFor(accepted: string | string[] | undefined): Encoding {
  const taken = new Set(
    String(accepted ?? '')
      .split(',')
      .map(word => word.trim().toLowerCase()),
  );
  return taken.has('br') ? 'br' : taken.has('gzip') ? 'gzip' : 'plain';
}

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

/** The page before its script runs. */
function shellOf({ script, imports, style }: Site['names'], { raw }: FastifyRequest): string {
  const top = toTop(raw.url ?? '/');
  const at = (name: string) => escapeHtml(`${top}${FILES.slice(1)}${name}`);
  // All at once, where one would be asked for only after another was read.
  const preloads = imports.map(name => `<link rel="modulepreload" href="${at(name)}">`).join('');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="description" content="From a call of a device to the right people told.">
<meta name="format-detection" content="telephone=no"><meta name="apple-mobile-web-app-title" content="Tocsin">
<title>Tocsin</title>
${faceHead(escapeHtml(top))}
<link rel="stylesheet" href="${at(style)}"><script type="module" src="${at(script)}"></script>
${preloads}</head>
<body><div id="app"></div>
<noscript><main class="plain"><h1>Tocsin</h1><p>The console needs JavaScript, which is off in this browser. Switch it on, or use the
<a href="${escapeHtml(top)}docs/guide">command line</a>. The links in messages to people work without it.</p></main></noscript>
</body>
</html>
`;
}

const AWAY: Answer = {
  status: 503,
  headers: { ...PAGE_HEADERS, 'retry-after': '5' },
  body: '<!doctype html><html lang="en"><title>Tocsin</title><p>The console cannot be shown right now. Alarms work all the same.</p>',
};
