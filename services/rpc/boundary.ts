import type { DescMethodServerStreaming, DescMethodUnary, DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, type MethodImpl, type ServiceImpl } from '@connectrpc/connect';
import type { Logger } from 'pino';
import { TooLate } from '../engine/group-commit.ts';
import { SealFault } from '../store/seal.ts';
import { CommitLost } from '../store/statement.ts';

/** A service and what implements it. */
export interface Implementation {
  service: DescService;
  methods: ServiceImpl<DescService>;
}

/** The two kinds of methods. A stream of questions differs from one question only in what it is given. */
type Unary = MethodImpl<DescMethodUnary>;
type Stream = MethodImpl<DescMethodServerStreaming>;

/**
 * Pairs a service with its implementation; the types must fit, with no method missing. Whatever a method throws becomes the answer
 * of its caller here (see `unavailable`), so that no method does so by itself.
 */
export function implementation<Service extends DescService>(
  service: Service,
  methods: ServiceImpl<Service>,
): Implementation {
  const bounded = service.methods.map(({ localName, methodKind }) => {
    const method = (methods as Record<string, unknown>)[localName];
    return [localName, methodKind === 'unary' ? boundedUnary(method as Unary) : boundedStream(method as Stream)];
  });
  return { service, methods: Object.fromEntries(bounded) as ServiceImpl<DescService> };
}

function boundedUnary(method: Unary): Unary {
  return (request, context) => {
    try {
      const answer = method(request, context);
      return answer instanceof Promise ? answer.catch(unavailable) : answer;
    } catch (cause) {
      return unavailable(cause);
    }
  };
}

function boundedStream(method: Stream): Stream {
  return async function* (request, context) {
    try {
      yield* method(request, context);
    } catch (cause) {
      unavailable(cause);
    }
  };
}

/** Logs what a caller sees as INTERNAL or UNKNOWN: it is ours to mend, and its cause goes nowhere else. */
export function logFault(log: Logger, fault: ConnectError, method: string): void {
  if (fault.code !== Code.Internal && fault.code !== Code.Unknown) return;
  log.error({ err: fault.cause ?? fault, method }, 'an RPC failed');
}

/** Returns a fault as the caller may see it: the words of one that is no ConnectError stay here. */
export function seenByCaller(fault: unknown): ConnectError {
  if (fault instanceof ConnectError) return fault;
  return new ConnectError('internal error', Code.Internal, undefined, undefined, fault);
}

/** What Postgres says of U+0000, which its texts and its JSON cannot hold; no statement of ours puts one there. */
const ZERO_CHARACTER = ['22021', '22P05'];

/** What Postgres says when a statement is wrong rather than the moment: classes 22, 23 and 42. */
const OUR_FAULT = /^(22|23|42)/;

/**
 * Turns a fault of the database into the answer of a caller: come again (UNAVAILABLE), unless the statement itself is
 * wrong, which is INTERNAL and ours to mend; a text that no database takes is the caller's. The cause stays in the log. Never returns.
 */
export function unavailable(cause: unknown): never {
  if (cause instanceof ConnectError) throw cause;
  if (ZERO_CHARACTER.includes(codeOf(cause))) {
    const message = 'A text of this call holds the character U+0000, which cannot be taken: leave it out.';
    throw new ConnectError(message, Code.InvalidArgument, undefined, undefined, cause);
  }
  if (cause instanceof CommitLost) {
    const message =
      'The database did not confirm that it stored this, so it may be stored or not: look before you try again.';
    throw new ConnectError(message, Code.Unavailable, undefined, undefined, cause);
  }
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
  const code = codeOf(cause);
  return code.length === 5 && OUR_FAULT.test(code);
}

function codeOf(cause: unknown): string {
  const code = (cause as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
