/**
 * The base of all errors of a call. Tell them apart by `kind`, which also works if two copies of this package are
 * loaded.
 */
export abstract class CallError extends Error {
  abstract readonly kind: string;
  /** Identifies the call, if its answer had an id: for problem reports. */
  readonly traceId: string | null;

  constructor(message: string, more: { traceId?: string | null; cause?: unknown } = {}) {
    super(message, more.cause === undefined ? {} : { cause: more.cause });
    this.name = new.target.name;
    this.traceId = more.traceId ?? null;
  }
}

/** 401: the key is missing, invalid or no longer valid. Trying again does not help. */
export class UnauthorizedError extends CallError {
  readonly kind = 'unauthorized';
}

/**
 * 404: there is no such alarm or panic button, or this key does not reach it, or it cannot fire. The service does not
 * say which.
 */
export class NotFoundError extends CallError {
  readonly kind = 'not_found';
}

/** 404: the mode of the call does not exist. */
export class UnknownModeError extends CallError {
  readonly kind = 'unknown_mode';
  /** A page that explains the modes. */
  readonly help: string;

  constructor(message: string, more: { traceId: string | null; help: string }) {
    super(message, more);
    this.help = more.help;
  }
}

/** 503 or 429: nothing was accepted, as far as is known. Send the call again after the pause. */
export class UnavailableError extends CallError {
  readonly kind = 'unavailable';
  readonly status: 429 | 503;
  /** How long to wait before the next try, in milliseconds; null if the service does not say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, more: { traceId: string | null; status: 429 | 503; retryAfterMs: number | null }) {
    super(message, more);
    this.status = more.status;
    this.retryAfterMs = more.retryAfterMs;
  }
}

/** There was no answer, so it is unknown whether the call was accepted. All calls are safe to send again. */
export class NetworkError extends CallError {
  readonly kind = 'network';
}

/** An answer that this service does not send: another server, or a proxy in between. */
export class UnexpectedAnswerError extends CallError {
  readonly kind = 'unexpected';
  readonly status: number;

  constructor(message: string, more: { traceId: string | null; status: number }) {
    super(message, more);
    this.status = more.status;
  }
}

/** Everything a call can fail with. */
export type TocsinError =
  | UnauthorizedError
  | NotFoundError
  | UnknownModeError
  | UnavailableError
  | NetworkError
  | UnexpectedAnswerError;
