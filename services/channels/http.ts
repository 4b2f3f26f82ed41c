import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isCertificateFault } from './tls-words.ts';

/** A server's answer. Redirects are answers like any other: they are not followed. */
export interface HttpAnswer {
  /** HTTP status, 100 to 599. */
  status: number;
  /** The body as UTF-8, at most 64 KB unless asked for more; of `counts: 'status'` as much as came. */
  text: string;
  /** The wait that Retry-After asks for, in seconds; null if absent or a date. */
  retryAfterS: number | null;
}

/** The options of a request. */
export interface HttpRequest {
  headers: Readonly<Record<string, string>>;
  /** From the call to the last byte of the answer, in milliseconds. */
  timeoutMs: number;
  /** Resolves the host instead of the system. Called for names only, never for addresses. */
  lookup?: LookupFunction;
  /**
   * `status`: the status is the answer, whatever becomes of the body (DECISIONS.md "2xx of a webhook"): what comes of it
   * within a second is read, and the rest thrown away. Absent: a body that cannot be read whole is a fault.
   */
  counts?: 'status';
  /** The most that is read of the answer, in bytes; absent: MOST_BYTES. */
  mostBytes?: number;
  /** Ends the request: there is no answer then. */
  signal?: AbortSignal;
}

/**
 * Why there is no answer. `not_allowed`: the given look-up refused the address; `certificate`: that of the server is not
 * trusted, its message is what TLS says (tls-words.ts).
 */
export type HttpFaultKind = 'timeout' | 'unreachable' | 'reset' | 'too_large' | 'not_allowed' | 'certificate';

/** A request without an answer. `sent`: whether the server may have received it and act on it. */
export class HttpFault extends Error {
  override readonly name = 'HttpFault';
  readonly kind: HttpFaultKind;
  readonly sent: 'no' | 'maybe';

  constructor(kind: HttpFaultKind, sent: 'no' | 'maybe', message: string) {
    super(message);
    this.kind = kind;
    this.sent = sent;
  }
}

/** A look-up passes this to its callback to refuse an address: the request ends as `not_allowed` with its message. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
}

/** The most that is read of an answer, in bytes. */
const MOST_BYTES = 65_536;

/** How long a body is waited for if only the status counts, in milliseconds. */
const BODY_MS = 1_000;

/**
 * Persistent connections save an alert a handshake; they do not keep the process alive. Closed after 15 s, sooner than
 * most servers would: if the server closes one while a message is on its way, we cannot tell whether it arrived.
 */
const KEPT = { keepAlive: true, maxFreeSockets: 16, timeout: 15_000 };
const plain = new HttpAgent(KEPT);
const encrypted = new HttpsAgent(KEPT);

/** Posts a body. Throws HttpFault; answers of any status are answers. */
export function post(url: string, on: HttpRequest & { body: string | Buffer }): Promise<HttpAnswer> {
  return exchange('POST', url, on, on.body);
}

/** Gets a page. Throws HttpFault; answers of any status are answers. */
export function get(url: string, on: HttpRequest): Promise<HttpAnswer> {
  return exchange('GET', url, on, null);
}

function exchange(method: string, url: string, on: HttpRequest, body: string | Buffer | null): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const target = new URL(url);
    const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const sent = request(target, {
      method,
      headers: { ...on.headers, ...(body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }) },
      // A connection made under one look-up is never used under another.
      agent: on.lookup === undefined ? (target.protocol === 'https:' ? encrypted : plain) : false,
      ...(on.lookup === undefined ? {} : { lookup: on.lookup }),
    });
    let reached: 'no' | 'maybe' = 'no';
    const end = (settle: () => void) => {
      clearTimeout(timer);
      on.signal?.removeEventListener('abort', given);
      settle();
      sent.destroy();
    };
    const fail = (error: Error) => end(() => reject(faultOf(error, reached)));
    const timer = setTimeout(() => {
      end(() => reject(new HttpFault('timeout', reached, `no answer within ${on.timeoutMs / 1000} s`)));
    }, on.timeoutMs);

    const given = () => fail(new HttpFault('reset', reached, 'it is no longer waited for'));
    on.signal?.addEventListener('abort', given);
    if (on.signal?.aborted) given();

    sent.once('socket', socket => {
      const connected = target.protocol === 'https:' ? 'secureConnect' : 'connect';
      const onConnected = () => {
        reached = 'maybe';
      };
      // A reused connection is connected already.
      if (sent.reusedSocket) onConnected();
      else socket.once(connected, onConnected);
    });
    let answered: 'yes' | 'no' = 'no';
    sent.on('error', error => {
      // The body's end is told to whoever reads it.
      if (answered === 'no' || on.counts === undefined) fail(error);
    });
    sent.once('response', response => {
      answered = 'yes';
      if (on.counts === 'status') clearTimeout(timer);
      (on.counts === 'status' ? readWhatComes(response) : read(response, on.mostBytes)).then(text => {
        clearTimeout(timer);
        on.signal?.removeEventListener('abort', given);
        resolve({ status: response.statusCode ?? 0, text, retryAfterS: secondsOf(response.headers['retry-after']) });
      }, fail);
    });
    sent.end(body ?? undefined);
  });
}

async function read(response: IncomingMessage, mostBytes = MOST_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new HttpFault('too_large', 'maybe', `the answer is longer than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads until the body ends, breaks off, has MOST_BYTES or takes longer than BODY_MS; the rest is thrown away. */
function readWhatComes(response: IncomingMessage): Promise<string> {
  return new Promise(resolve => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = () => {
      clearTimeout(patience);
      response.destroy();
      resolve(Buffer.concat(chunks).toString('utf8'));
    };
    const patience = setTimeout(end, BODY_MS);
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) end();
      else chunks.push(chunk);
    });
    response.once('end', end).once('close', end).on('error', end);
  });
}

function faultOf(error: Error, sent: 'no' | 'maybe'): HttpFault {
  if (error instanceof HttpFault) return error;
  if (error instanceof NotAllowed) return new HttpFault('not_allowed', 'no', error.message);
  const code = 'code' in error ? String(error.code) : '';
  if (sent === 'no' && isCertificateFault(code)) return new HttpFault('certificate', sent, code);
  const said = code.startsWith('HPE_') ? 'the answer is not HTTP' : code || error.message;
  return new HttpFault(sent === 'no' ? 'unreachable' : 'reset', sent, said);
}

function secondsOf(retryAfter: string | undefined): number | null {
  return retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null;
}
