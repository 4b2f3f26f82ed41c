import {
  create,
  type DescMethodUnary,
  fromBinary,
  type Message,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type HandlerContext, type ServiceImpl, type Transport } from '@connectrpc/connect';
import type { Logger } from 'pino';
import type {
  BatchService,
  CarriedErrorSchema,
  CarryRequest,
  CarryResponseSchema,
} from '../../gen/tocsin/internal/v1/batch_pb.ts';
import { type Bundles, createBundles } from '../process/bundles.ts';
import { logFault, seenByCaller } from './boundary.ts';
import { DirectAnswer, type Implementation } from './direct.ts';
import { invalidField } from './fields.ts';

/** How many calls one message may carry. Keeps the message small, and what one facade can block. */
const CALLS_MOST = 1_000;

/** One of the calls of a message. */
interface Carried {
  number: number;
  /** Full name of its method. */
  name: string;
  metadata: [string, string][];
  request: Uint8Array;
  timeoutMs: number;
}

/** What is said of a call, or of this process. */
type Said =
  | { kind: 'answered'; call: number; response: Uint8Array; metadata: [string, string][] }
  | { kind: 'refused'; error: MessageInitShape<typeof CarriedErrorSchema> }
  | { kind: 'stopping' };

/**
 * Carries many calls on one stream, because between processes the RPCs are the cost. Each call is handled with its own metadata
 * as if it had come alone, and none waits for another. `direct` reaches the implementations within this process.
 */
export function createBatchService(
  direct: Transport,
  implementations: readonly Implementation[],
  log: Logger,
): ServiceImpl<typeof BatchService> {
  const methods = new Map<string, DescMethodUnary>();
  for (const { service } of implementations) {
    for (const method of service.methods) {
      if (method.methodKind === 'unary') methods.set(`${service.typeName}/${method.name}`, method as DescMethodUnary);
    }
  }

  async function answerTo({ number, name, metadata, request, timeoutMs }: Carried): Promise<Said> {
    try {
      const method = methods.get(name);
      if (method === undefined) {
        throw new ConnectError(`This process does not serve ${name.slice(0, 200)}.`, Code.Unimplemented);
      }
      const message = readRequest(method, request);
      const answer = await direct.unary(method, undefined, timeoutMs === 0 ? undefined : timeoutMs, metadata, message);
      const hasHeader = !(answer instanceof DirectAnswer) || answer.hasHeader;
      const response = written(method, answer.message);
      return { kind: 'answered', call: number, response, metadata: hasHeader ? [...answer.header] : [] };
    } catch (error) {
      const fault = seenByCaller(error);
      logFault(log, fault, name);
      return refused(number, fault);
    }
  }

  return {
    async *carry(messages, { signal }) {
      const said = createBundles<Said>();
      const open = createOpen(said);
      atStop(signal, () => said.add({ kind: 'stopping' }));
      const reading = (async () => {
        for await (const message of messages) {
          for (const call of callsIn(message)) {
            void open.begin(signal.aborted ? refused(call.number, ConnectError.from(signal.reason)) : answerTo(call));
          }
        }
      })();
      // What is wrong with the messages ends the stream.
      reading.catch(() => {}).finally(open.last);
      for await (const bundle of said) yield messageOf(bundle);
      await reading;
    },
  };
}

/** Counts the calls of a stream that are not answered yet, and ends what is said after the last one. */
function createOpen(said: Bundles<Said>) {
  let count = 0;
  let state: 'more may come' | 'last' = 'more may come';
  const endIfDone = () => {
    if (state === 'last' && count === 0) said.end();
  };
  return {
    async begin(answer: Promise<Said> | Said): Promise<void> {
      count++;
      said.add(await answer);
      count--;
      endIfDone();
    },
    last(): void {
      state = 'last';
      endIfDone();
    },
  };
}

/** Calls `stop` when this process stops, and not when the caller has gone. */
function atStop(signal: HandlerContext['signal'], stop: () => void): void {
  const look = () => {
    if (signal.reason instanceof ConnectError && signal.reason.code === Code.Unavailable) stop();
  };
  if (signal.aborted) look();
  else signal.addEventListener('abort', look);
}

/** Returns the calls of a message. Throws INVALID_ARGUMENT where they are too many, or a list has not one item for each. */
function callsIn({ first, methods, method, request, timeoutMs, metadata }: CarryRequest): Carried[] {
  const { length } = method;
  if (length > CALLS_MOST) throw invalidField('method', `at most ${CALLS_MOST}`, length);
  for (const [name, list] of [
    ['request', request],
    ['timeout_ms', timeoutMs],
    ...metadata.map(({ name, values }) => [name, values] as const),
  ] as const) {
    if (list.length !== length) throw invalidField(name, `${length}, one for each call`, list.length);
  }
  return method.map((place, at) => ({
    number: (first + at) >>> 0,
    name: methods[place] ?? '',
    metadata: metadata.flatMap(({ name, values }): [string, string][] => {
      const value = values[at]!;
      return value === '' ? [] : [[name, value]];
    }),
    request: request[at]!,
    timeoutMs: timeoutMs[at]!,
  }));
}

function readRequest(method: DescMethodUnary, bytes: Uint8Array) {
  try {
    return fromBinary(method.input, bytes);
  } catch (cause) {
    const message = `The request is no ${method.input.typeName}.`;
    throw new ConnectError(message, Code.InvalidArgument, undefined, undefined, cause);
  }
}

/** Writes a message out once: the services give the same message to all who are told the same. */
const written = (() => {
  const known = new WeakMap<Message, Uint8Array>();
  return ({ output }: DescMethodUnary, message: Message): Uint8Array => {
    const before = known.get(message);
    if (before !== undefined) return before;
    const bytes = toBinary(output, message);
    known.set(message, bytes);
    return bytes;
  };
})();

function refused(call: number, { code, rawMessage, details, metadata }: ConnectError): Said {
  const packed = details.map(detail =>
    'desc' in detail
      ? anyPack(detail.desc, create(detail.desc, detail.value))
      : { typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value },
  );
  const more = Object.fromEntries(metadata);
  return { kind: 'refused', error: { call, code, message: rawMessage, details: packed, metadata: more } };
}

function messageOf(bundle: readonly Said[]): MessageInitShape<typeof CarryResponseSchema> {
  const answered = bundle.filter(said => said.kind === 'answered');
  return {
    answered: answered.map(({ call }) => call),
    response: answered.map(({ response }) => response),
    headers: answered
      .filter(({ metadata }) => metadata.length > 0)
      .map(({ call, metadata }) => ({ call, metadata: Object.fromEntries(metadata) })),
    errors: bundle.filter(said => said.kind === 'refused').map(({ error }) => error),
    stopping: bundle.some(({ kind }) => kind === 'stopping'),
  };
}
