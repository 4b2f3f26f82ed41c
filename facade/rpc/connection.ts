import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionRequestOptions,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';

/** How long making a connection may take, in milliseconds. */
const CONNECT_MS = 1_000;

/** One HTTP/2 connection, made anew when it is needed and gone: what a Connect transport asks of its `sessionManager`. */
export interface Connection {
  authority: string;
  request(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders,
    options: Omit<ClientSessionRequestOptions, 'signal'>,
  ): Promise<ClientHttp2Stream>;
  notifyResponseByteRead(): void;
  /** Ends the connection and all that is under way on it; the next request makes another. */
  drop(): void;
}

/**
 * `metadata` goes with every request.
 *
 * In place of Connect's Http2SessionManager (2.2.0), which stops the whole process when a connection is closed in the moment
 * in which it was made, as happens whenever services stop: it then waits in a loop that lets nothing else happen.
 */
export function createConnection(url: string, metadata: OutgoingHttpHeaders = {}): Connection {
  const authority = new URL(url).origin;
  const sessions = new Set<ClientHttp2Session>();
  let current: Promise<ClientHttp2Session> | null = null;

  function open(): Promise<ClientHttp2Session> {
    const session = connect(authority);
    sessions.add(session);
    // The process may end while nothing is under way.
    session.unref();
    const opened = new Promise<ClientHttp2Session>((resolve, reject) => {
      const late = () => end(session, 'No connection in time.');
      const timer = setTimeout(late, CONNECT_MS);
      const forget = () => {
        if (current === opened) current = null;
      };
      session.once('connect', () => {
        clearTimeout(timer);
        resolve(session);
      });
      // What is under way may end on it; it takes nothing new.
      session.once('goaway', forget);
      session.on('error', cause => {
        forget();
        reject(new ConnectError(cause.message, Code.Unavailable, undefined, undefined, cause));
      });
      session.once('close', () => {
        clearTimeout(timer);
        sessions.delete(session);
        forget();
        reject(new ConnectError('The connection was closed.', Code.Unavailable));
      });
    });
    return opened;
  }

  return {
    authority,
    async request(method, path, headers, options) {
      current ??= open();
      const session = await current;
      return session.request({ ...headers, ...metadata, ':method': method, ':path': path }, options);
    },
    notifyResponseByteRead() {},
    drop() {
      current = null;
      for (const session of sessions) end(session, 'The connection was given up.');
    },
  };
}

/** With an error and a code: without them what is under way would be neither answered nor refused. */
function end(session: ClientHttp2Session, why: string): void {
  session.destroy(new ConnectError(why, Code.Unavailable), constants.NGHTTP2_CANCEL);
}
