import { Code, ConnectError } from '@connectrpc/connect';
import { TooLate } from './engine/batch.ts';
import { SealFault } from './store/seal.ts';

/** What Postgres says when a statement is wrong rather than the moment: classes 22, 23 and 42. */
const OUR_FAULT = /^(22|23|42)/;

/**
 * Turns a fault of the database into the answer of a caller: come again (UNAVAILABLE), unless the statement itself is
 * wrong, which is INTERNAL and ours to mend. The cause stays in the log. Never returns.
 */
export function unavailable(cause: unknown): never {
  if (cause instanceof ConnectError) throw cause;
  if (isOurs(cause)) {
    throw new ConnectError('Something is wrong on our side.', Code.Internal, undefined, undefined, cause);
  }
  const message =
    cause instanceof TooLate ? 'Too much to do at the moment.' : 'The database cannot be reached in time.';
  throw new ConnectError(`${message} Nothing was accepted: try again.`, Code.Unavailable, undefined, undefined, cause);
}

/** A statement or a program that is wrong stays wrong: trying again would not help. */
function isOurs(cause: unknown): boolean {
  if (
    cause instanceof SealFault ||
    cause instanceof TypeError ||
    cause instanceof RangeError ||
    cause instanceof ReferenceError
  )
    return true;
  const code = (cause as { code?: unknown } | null)?.code;
  return typeof code === 'string' && code.length === 5 && OUR_FAULT.test(code);
}
