import { Code, ConnectError } from '@connectrpc/connect';
import { RefusalSchema } from '../gen/tocsin/common/v1/common_pb.ts';
import { type Answer, JSON_HEADERS } from './answer.ts';
import { type EnvelopeLinks, failureEnvelope } from './envelope.ts';

/** Maps errors of the services to HTTP statuses (SPEC.md 7, DECISIONS.md "Keys, errors, limits"); all others become 500. */
const STATUS: Partial<Record<Code, 401 | 404 | 429 | 503>> = {
  [Code.Unauthenticated]: 401,
  [Code.NotFound]: 404,
  [Code.Unavailable]: 503,
  [Code.DeadlineExceeded]: 503,
  // The account has made too many calls (services/alarm/service.ts, services/inventory/service.ts).
  [Code.ResourceExhausted]: 429,
  [Code.Aborted]: 503,
  // The facade never cancels: the services stopped during the call.
  [Code.Canceled]: 503,
};

/** Makes the answer to a call that the services refused or could not carry out. `helpUrl` is the arming guide. */
export function answerToError(error: unknown, traceId: string, helpUrl: () => string): Answer {
  const refusal = ConnectError.from(error);
  switch (STATUS[refusal.code]) {
    case 401:
      return BAD_KEY;
    case 404: {
      const unknownMode = refusal.findDetails(RefusalSchema).find(({ reason }) => reason === 'unknown_mode');
      return unknownMode === undefined ? notFound(traceId) : modeUnknown(traceId, unknownMode.mode, helpUrl());
    }
    case 429:
      return tooMany(traceId, Number(refusal.metadata.get('retry-after') ?? 1));
    case 503:
      return tryAgain(traceId);
    default:
      return ourFault(traceId);
  }
}

/** The same answer to every bad key, without an envelope: it does not say what is wrong with the key. */
export const BAD_KEY: Answer = {
  status: 401,
  headers: JSON_HEADERS,
  body: JSON.stringify({ message: 'The API key is missing or not valid. Send a valid key in the X-API-Key header.' }),
};

/** The same answer for every source that is out of reach or cannot fire, and for unknown paths (SPEC.md 7). */
export function notFound(traceId: string): Answer {
  return failure(
    404,
    traceId,
    'ID not found. Check the ID, the rest of the path, and which alarms the API key may use.',
  );
}

/** Makes the only 404 that says what is wrong. The services return the word if it may be shown, else an empty one. */
function modeUnknown(traceId: string, mode: string, help: string): Answer {
  const message = `Unknown mode${mode && ` "${mode}"`}. The modes are home, away, night and vacation.`;
  return failure(404, traceId, message, { links: { help } });
}

/** For every method but GET, HEAD included: no HEAD may fire an alarm (DECISIONS.md "Other methods on a /v1 path"). */
export function methodNotAllowed(traceId: string): Answer {
  return failure(405, traceId, 'Only GET is answered here, and nothing was done. Send the same call as a GET.', {
    headers: { allow: 'GET' },
  });
}

/** Nothing was accepted, as far as is known: never a 202 (DECISIONS.md "Could not commit, deadline, overload"). */
export function tryAgain(traceId: string): Answer {
  return failure(503, traceId, 'The call could not be taken at the moment. Send it again.', {
    headers: { 'retry-after': '1' },
  });
}

/** Sent to valid keys only (DECISIONS.md "Could not commit, deadline, overload"). `afterS`: when the next one may come, in seconds. */
export function tooMany(traceId: string, afterS = 1): Answer {
  const wait = afterS === 1 ? 'a second' : `${afterS} seconds`;
  const message = `Too many calls were made with this key or by its account. Wait ${wait}, then send this one again.`;
  return failure(429, traceId, message, { headers: { 'retry-after': String(afterS) } });
}

/** Sent to callers that do not read the answers to earlier calls (unread.ts). */
export function tooMuchUnread(traceId: string): Answer {
  const message = 'Answers to earlier calls with this key have not been read yet. Read them, then send this one again.';
  return failure(429, traceId, message, { headers: { 'retry-after': '1' } });
}

/** An internal error. Its cause is logged with the traceId. */
export function ourFault(traceId: string): Answer {
  return failure(500, traceId, 'Something went wrong on our side. Report it with the traceId.');
}

function failure(
  status: number,
  traceId: string,
  message: string,
  more: { links?: EnvelopeLinks; headers?: Record<string, string> } = {},
): Answer {
  const headers = { ...JSON_HEADERS, ...more.headers };
  return { status, headers, body: failureEnvelope(traceId, message, more.links) };
}
