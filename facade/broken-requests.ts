import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
export function createBrokenRequests(): BrokenRequests {
  const latest = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
  return {
    watch(server) {
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

function responseTo(status: string): string {
  const body = JSON.stringify({ message: 'This request cannot be read.' });
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
