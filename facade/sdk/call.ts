import {
  CallError,
  NetworkError,
  NotFoundError,
  UnauthorizedError,
  UnavailableError,
  UnexpectedAnswerError,
  UnknownModeError,
} from './errors.ts';
import type { Clock, Fetch, FetchAnswer } from './platform.ts';

/** The content of an answer with 200 or 202. */
export interface Payload {
  data: Record<string, unknown>;
  traceId: string;
}

/** Sends one call and returns its payload, or throws a TocsinError. `path` starts with /v1. */
export type Call = (path: string, on?: { cancel?: AbortSignal }) => Promise<Payload>;

export function createCall(on: { url: string; key: string; fetch: Fetch; clock: Clock; timeoutMs: number }): Call {
  const { url, key, fetch, clock, timeoutMs } = on;

  return async (path, { cancel } = {}) => {
    const abort = new AbortController();
    const end = () => {
      forget();
      abort.abort();
    };
    const forget = clock.after(timeoutMs, end);
    cancel?.addEventListener('abort', end);
    try {
      const answer = await fetch(url + path, {
        method: 'GET',
        headers: { 'x-api-key': key },
        // The caller wants the present state; caching is up to them.
        cache: 'no-store',
        credentials: 'omit',
        // A redirect would send the key to whatever server it names.
        redirect: 'error',
        signal: abort.signal as never,
      });
      return readAnswer(answer.status, answer.headers, await answer.text());
    } catch (cause) {
      if (cause instanceof CallError) throw cause;
      const what = abort.signal.aborted ? `within ${timeoutMs} ms` : `(${textOf(cause)})`;
      throw new NetworkError(`No answer came from ${url} ${what}.`, { cause });
    } finally {
      forget();
      cancel?.removeEventListener('abort', end);
    }
  };
}

/** Returns the payload of an answer; throws the error it stands for. */
function readAnswer(status: number, headers: FetchAnswer['headers'], text: string): Payload {
  const body = parse(text);
  const traceId = typeof body?.traceId === 'string' ? body.traceId : null;
  const message = typeof body?.message === 'string' ? body.message : `The answer was a ${status}.`;
  switch (status) {
    case 200:
    case 202:
      if (traceId === null || !isObject(body?.data)) break;
      return { data: body.data, traceId };
    case 401:
      throw new UnauthorizedError(message, { traceId });
    case 404: {
      // A 404 without an envelope comes from another server, or from outside of /v1.
      if (traceId === null) break;
      // Only the 404 of an unknown mode says where to find help (SPEC.md 7).
      const help = isObject(body?.links) ? body.links.help : undefined;
      if (typeof help === 'string') throw new UnknownModeError(message, { traceId, help });
      throw new NotFoundError(message, { traceId });
    }
    case 429:
    case 503:
      throw new UnavailableError(message, { traceId, status, retryAfterMs: pauseIn(headers.get('retry-after')) });
  }
  throw new UnexpectedAnswerError(`The answer was a ${status} that is not of this service.`, { traceId, status });
}

/** Returns Retry-After in seconds; the other form, a date, would need both clocks to agree. */
function pauseIn(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d{1,9}$/.test(retryAfter.trim()) ? Number(retryAfter) * 1_000 : null;
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(cause: unknown): string {
  const { message, cause: deeper } = cause instanceof Error ? cause : new Error(String(cause));
  return deeper instanceof Error && deeper.message !== '' ? deeper.message : message;
}
