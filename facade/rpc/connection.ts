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

/**
 * How much memory Node may use for one connection, in megabytes: files of the console, 4 MB each, wait there to be sent, and beyond it
 * no call can begin. Node's own limit, 10, is reached by three.
 */
const SESSION_MB = 256;

/** An HTTP/2 connection that is reopened on demand: what a Connect transport expects of its `sessionManager`. */
export interface Connection {
  authority: string;
  request(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders,
    options: Omit<ClientSessionRequestOptions, 'signal'>,
  ): Promise<ClientHttp2Stream>;
  notifyResponseByteRead(): void;
  /** Ends the connection and everything in flight on it. The next request opens another. */
  drop(): void;
}

/**
 * Creates a connection that sends `metadata` with every request.
 *
 * Replaces Connect's Http2SessionManager (2.2.0), which blocks the whole process in a busy loop if a connection is closed just
 * when it was opened, as happens whenever services stop.
 */
export function createConnection(url: string, metadata: OutgoingHttpHeaders = {}): Connection {
  const authority = new URL(url).origin;
  const sessions = new Set<ClientHttp2Session>();
  let current: Promise<ClientHttp2Session> | null = null;

  function open(): Promise<ClientHttp2Session> {
    const session = connect(authority, { maxSessionMemory: SESSION_MB });
    sessions.add(session);
    // An idle connection must not keep the process alive.
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
      // Requests in flight may still end on it; new ones need another.
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

/** Ends a session with an error and a code: without them requests in flight would never settle. */
function end(session: ClientHttp2Session, why: string): void {
  session.destroy(new ConnectError(why, Code.Unavailable), constants.NGHTTP2_CANCEL);
}
