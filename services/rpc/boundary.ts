import type { DescMethodServerStreaming, DescMethodUnary, DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, type Interceptor, type MethodImpl, type ServiceImpl } from '@connectrpc/connect';
import type { Logger } from 'pino';
import { TooLate } from '../engine/group-commit.ts';
import { SealFault } from '../store/seal.ts';
import { CommitLost, isRefusedForGood, sqlStateOf } from '../store/statement.ts';
import type { Implementation } from './direct.ts';
import { inLanguageOf, say, streamInLanguageOf } from './reader.ts';

/** The two kinds of methods. One that takes a stream differs only in what it is given. */
type Unary = MethodImpl<DescMethodUnary>;
type Stream = MethodImpl<DescMethodServerStreaming>;

/**
 * Pairs a service with its implementation; the types must fit, with no method missing. Whatever a method throws is turned into
 * the answer of its caller here (see `unavailable`), and whatever it says is said in the caller's language (reader.ts), so that no
 * method has to.
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
  return (request, context) =>
    inLanguageOf(context, () => {
      try {
        const answer = method(request, context);
        return answer instanceof Promise ? answer.catch(unavailable) : answer;
      } catch (cause) {
        return unavailable(cause);
      }
    });
}

function boundedStream(method: Stream): Stream {
  return (request, context) => streamInLanguageOf(context, answers(request, context));

  async function* answers(...call: Parameters<Stream>) {
    try {
      yield* method(...call);
    } catch (cause) {
      unavailable(cause);
    }
  }
}

/** Logs faults that a caller sees as INTERNAL or UNKNOWN: they are bugs of ours, and their cause is shown nowhere else. */
export function logFault(log: Logger, fault: ConnectError, method: string): void {
  if (fault.code !== Code.Internal && fault.code !== Code.Unknown) return;
  log.error({ err: fault.cause ?? fault, method }, 'an RPC failed');
}

/** Logs the faults of all calls. */
export function logFaults(log: Logger): Interceptor {
  return next => async request => {
    try {
      return await next(request);
    } catch (error) {
      throw loggedFault(log, error, request.method.name);
    }
  };
}

/** Returns a fault as a ConnectError, logged. */
export function loggedFault(log: Logger, error: unknown, method: string): ConnectError {
  const fault = ConnectError.from(error, Code.Internal);
  logFault(log, fault, method);
  return fault;
}

/** Returns a fault as the caller may see it. The message of anything but a ConnectError is hidden. */
export function seenByCaller(fault: unknown): ConnectError {
  if (fault instanceof ConnectError) return fault;
  return new ConnectError('internal error', Code.Internal, undefined, undefined, fault);
}

/** SQLSTATEs for U+0000, which Postgres texts and JSON cannot hold; no statement of ours adds one. */
const ZERO_CHARACTER = ['22021', '22P05'];

/**
 * Throws the answer for a fault of the database: UNAVAILABLE (try again); INTERNAL if the statement itself is wrong, which is a
 * bug of ours; INVALID_ARGUMENT for a text that Postgres cannot hold. The cause is only logged.
 */
export function unavailable(cause: unknown): never {
  if (cause instanceof ConnectError) throw cause;
  if (ZERO_CHARACTER.includes(sqlStateOf(cause))) {
    throw new ConnectError(say().refusals.zeroCharacter, Code.InvalidArgument, undefined, undefined, cause);
  }
  if (cause instanceof CommitLost) {
    throw new ConnectError(say().refusals.commitLost, Code.Unavailable, undefined, undefined, cause);
  }
  if (isOurs(cause)) {
    throw new ConnectError(say().refusals.ourFault, Code.Internal, undefined, undefined, cause);
  }
  const { overloaded, databaseAway } = say().refusals;
  throw new ConnectError(
    cause instanceof TooLate ? overloaded : databaseAway,
    Code.Unavailable,
    undefined,
    undefined,
    cause,
  );
}

const OURS = [SealFault, TypeError, RangeError, ReferenceError];

/** Tells whether the statement or the program is wrong, so that trying again would not help. */
function isOurs(cause: unknown): boolean {
  return OURS.some(kind => cause instanceof kind) || isRefusedForGood(cause);
}
