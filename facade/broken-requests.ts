import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface BrokenRequests {
  /** For Node's clientError event: what came on the connection is not a whole request. */
  answer(error: NodeJS.ErrnoException, socket: Socket): void;
  watch(server: Server): void;
}

/**
 * Answers what Node cannot read as HTTP with 400, 408 or 431 and a short body; no call is made of it, so no key is asked for
 * (DECISIONS.md "Requests that cannot be read as HTTP, CONNECT, methods that Node's parser does not know"). Whole requests
 * that came before it on the same connection are answered first.
 */
export function createBrokenRequests(): BrokenRequests {
  const latest = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
  return {
    watch(server) {
      server.on('request', (request, response) => latest.set(request.socket, { request, response }));
      // Without a listener Node ends the connection without a word.
      server.on('connect', (_request, socket) => {
        socket.on('error', () => {});
        socket.end(responseTo('400 Bad Request'));
      });
      // Without one Node answers 417, and a camera's call would be lost over a header that means nothing.
      server.on('checkExpectation', (request, response) => server.emit('request', request, response));
    },
    answer(error, socket) {
      const last = latest.get(socket);
      if (last !== undefined && !last.response.headersSent && answerComes(last.request)) {
        // Bytes behind a whole request, such as a body without Content-Length: its answer, then the end.
        last.response.shouldKeepAlive = false;
        return;
      }
      // A GET is answered before its body is there: when that never comes, there is nothing left to say.
      const alreadyAnswered = last?.response.headersSent === true && !last.request.complete;
      if (socket.writable && !alreadyAnswered)
        socket.write(responseTo(STATUSES[error.code ?? ''] ?? '400 Bad Request'));
      socket.destroySoon();
    },
  };
}

/** Nobody waits for the body of a GET. For any other body somebody may, and that answer would never come. */
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
