import { base64Decode } from '@bufbuild/protobuf/wire';
import { Code, ConnectError, createContextKey, type HandlerContext, type Interceptor } from '@connectrpc/connect';
import { clean } from './text.ts';

/** Turns a fault that a call met into one of its caller's, while its bytes are being read; afterwards it does nothing. */
type Blame = (fault: unknown) => void;
const BLAME = createContextKey<Blame>(() => {});

/** How much of what Connect says about the bytes is passed on, in characters. */
const REASON_LENGTH = 120;

/** What a caller is told of bytes that cannot be read. */
interface Refusals {
  unreadable(messageType: string, reason: string): string;
  tooLarge(maxBytes: number): string;
}

/**
 * Marks a call as let in: until its method begins, what goes wrong is wrong with its bytes, and is INVALID_ARGUMENT,
 * or RESOURCE_EXHAUSTED if they are too many (DECISIONS.md "Bytes that are no message"). `refusals`: the sentences, in the
 * language of whoever reads them. Throws INVALID_ARGUMENT for a query that is no base64.
 */
export function beginReading(context: HandlerContext, maxBytes: number, refusals: () => Refusals): void {
  const blame = blameFor(context, maxBytes, refusals);
  context.values.set(BLAME, blame);
  // No interceptor sees what is wrong with the bytes of a unary call. But Connect ends the call with the fault before it makes
  // an answer of it.
  context.signal.addEventListener('abort', () => context.values.get(BLAME)(context.signal.reason));
  if (context.requestMethod !== 'GET') return;
  const query = new URL(context.url).searchParams;
  if (query.get('base64') === '1') checkBase64(query.get('message') ?? '', blame);
}

/** Blames the caller of a stream for its bytes. To stand inside of what logs our own faults. */
export const blameReading: Interceptor = next => async request => {
  try {
    return await next(request);
  } catch (fault) {
    request.contextValues.get(BLAME)(fault);
    throw fault;
  }
};

/** Wraps a method: once it begins, its caller is to blame only for the bytes that it still reads. */
export function carriedOut<Input, Output>(
  method: (input: Input, context: HandlerContext) => Output,
): (input: Input, context: HandlerContext) => Output {
  return (input, context) => {
    const blame = context.values.get(BLAME);
    context.values.set(BLAME, () => {});
    return method(isStream(input) ? (readBlaming(input, blame) as Input) : input, context);
  };
}

function isStream(input: unknown): input is AsyncIterable<unknown> {
  return typeof input === 'object' && input !== null && Symbol.asyncIterator in input;
}

async function* readBlaming(messages: AsyncIterable<unknown>, blame: Blame): AsyncGenerator<unknown> {
  try {
    yield* messages;
  } catch (fault) {
    blame(fault);
    throw fault;
  }
}

function blameFor(context: HandlerContext, maxBytes: number, refusals: () => Refusals): Blame {
  return fault => {
    if (!(fault instanceof ConnectError) || !isAboutBytes(fault)) return;
    const { unreadable, tooLarge } = refusals();
    const { typeName } = context.method.input;
    const isTooLarge = fault.code === Code.ResourceExhausted;
    const sentence = isTooLarge ? tooLarge(maxBytes) : unreadable(typeName, clean(fault.rawMessage, REASON_LENGTH));
    const code = isTooLarge ? Code.ResourceExhausted : Code.InvalidArgument;
    Object.assign(fault, { code, rawMessage: sentence, message: sentence, cause: undefined });
  };
}

/** Tells what Connect would call our fault, or unknown, from a call that ended early or asked for what nobody offers. */
function isAboutBytes({ code, rawMessage }: ConnectError): boolean {
  if (code === Code.Unimplemented || code === Code.InvalidArgument) return CONNECTS_WORDS.test(rawMessage);
  return code === Code.Internal || code === Code.Unknown || code === Code.ResourceExhausted;
}

/** How Connect itself begins to say what is wrong with an envelope; other refusals already say what to do. */
const CONNECTS_WORDS = /^(protocol error:|decompression failed)/;

function checkBase64(message: string, blame: Blame): void {
  try {
    base64Decode(message);
  } catch {
    const fault = new ConnectError('no base64', Code.Internal);
    blame(fault);
    throw fault;
  }
}
