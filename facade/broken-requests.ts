import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { Logger } from 'pino';
import { requestsUnreadable } from './metrics.ts';

export interface BrokenRequests {
  /** Handles Node's clientError event: what arrived on the connection is not a complete request. */
  answer(error: NodeJS.ErrnoException, socket: Socket): void;
  watch(server: Server): void;
}

/**
 * Answers what Node cannot parse as HTTP with 400, 408 or 431 and a short body. It is not a call, so no key is required
 * (DECISIONS.md "Requests that cannot be read as HTTP, CONNECT, methods that Node's parser does not know"). Complete requests
 * that came before it on the same connection are answered first.
 */
export function createBrokenRequests(log: Logger): BrokenRequests {
  const plain = createPlainHttp();
  const told = createTold(log);
  const latest = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
  return {
    watch(server) {
      plain.watch(server);
      server.on('request', (request, response) => latest.set(request.socket, { request, response }));
      // Without a listener Node closes the connection silently.
      server.on('connect', (_request, socket) => {
        socket.on('error', () => {});
        // Ends both halves: nothing watches a connection whose other half stays open.
        socket.end(responseTo('400 Bad Request'), () => socket.destroy());
      });
      // Without one Node answers 417, and a camera's call would be lost because of a meaningless header.
      server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    },
    answer(error, socket) {
      told(error);
      if (error.code === 'ERR_SSL_HTTP_REQUEST') return plain.answer(socket);
      const last = latest.get(socket);
      if (last !== undefined && !last.response.headersSent && answerComes(last.request)) {
        // Bytes after a complete request, such as a body without Content-Length: answer it, then close.
        last.response.shouldKeepAlive = false;
        return;
      }
      // A GET is answered before its body has arrived: if that never comes, nothing is left to do.
      const alreadyAnswered = last?.response.headersSent === true && !last.request.complete;
      if (socket.writable && !alreadyAnswered)
        socket.write(responseTo(STATUSES[error.code ?? ''] ?? '400 Bad Request'));
      socket.destroySoon();
    },
  };
}

/**
 * Tells whether the answer to a request will still come. A GET is answered without waiting for its body; any other
 * method may wait for one forever.
 */
function answerComes({ complete, method }: IncomingMessage): boolean {
  return complete || method === 'GET' || method === 'HEAD';
}

const STATUSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers plain http on the https port, which would else end without a word: a device shows it, or its owner tries curl. */
function createPlainHttp() {
  // When TLS gives a connection up, only the one below it still takes bytes. Node does not say which that is but by its handle.
  const below = new WeakMap<object, Socket>();
  const handleOf = (socket: Socket) => (socket as { _handle?: { _parent?: object } | null })._handle ?? null;
  return {
    watch(server: Server): void {
      if (!(server instanceof TlsServer)) return;
      server.on('connection', (socket: Socket) => {
        const handle = handleOf(socket);
        if (handle !== null) below.set(handle, socket);
      });
    },
    answer(socket: Socket): void {
      const parent = handleOf(socket)?._parent;
      const line = parent === undefined ? undefined : below.get(parent);
      line?.end(responseTo('400 Bad Request', 'This port speaks https: begin the address with https://.'));
      line?.destroySoon();
    },
  };
}

/** Why a request could not be read, for the operator: nobody's key is proven by it, so no owner can be told. */
const REASONS: Readonly<Record<string, string>> = {
  HPE_INVALID_URL: 'url',
  HPE_HEADER_OVERFLOW: 'too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'late',
  ERR_SSL_HTTP_REQUEST: 'http_on_https_port',
};

/** The time between two lines of the log about the same reason, in milliseconds. */
const SILENT_MS = 3_600_000;

/** Counts what could not be read, and logs each reason once an hour: whoever sends such requests must not fill the log. */
function createTold(log: Logger): (error: NodeJS.ErrnoException) => void {
  const at = new Map<string, number>();
  for (const reason of [...Object.values(REASONS), 'other']) requestsUnreadable.inc({ reason }, 0);
  return ({ code = '' }) => {
    // Who closes a connection sent nothing that could not be read.
    if (code === 'ECONNRESET' || code === 'EPIPE') return;
    const reason = REASONS[code] ?? 'other';
    requestsUnreadable.inc({ reason });
    const now = performance.now();
    if (now - (at.get(reason) ?? Number.NEGATIVE_INFINITY) < SILENT_MS) return;
    at.set(reason, now);
    log.info({ reason }, 'a request could not be read as HTTP, so it is in no log of calls (see /docs/recipes)');
  };
}

function responseTo(status: string, message = 'This request cannot be read.'): string {
  const body = JSON.stringify({ message });
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
