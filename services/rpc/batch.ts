import { create, type DescMethodUnary, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type ServiceImpl, type Transport } from '@connectrpc/connect';
import type { Logger } from 'pino';
import type {
  BatchService,
  CallAllResponseSchema,
  CarriedAnswerSchema,
  CarriedCall,
  CarriedErrorSchema,
} from '../../gen/tocsin/internal/v1/batch_pb.ts';
import { logFault, seenByCaller } from './boundary.ts';
import type { Implementation } from './direct.ts';
import { invalidField } from './fields.ts';

/** How many calls one RPC may carry. Keeps the message small, and what one facade can block. */
const CALLS_MOST = 1_000;

type Answer = MessageInitShape<typeof CarriedAnswerSchema>;

/**
 * Carries many calls in one RPC, because between processes the RPCs are the cost. Each call is handled with its own metadata as
 * if it had come alone, and none waits for another. `direct` reaches the implementations within this process.
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

  async function answerTo(call: CarriedCall, place: number): Promise<Answer> {
    try {
      const method = methods.get(`${call.service}/${call.method}`);
      if (method === undefined) {
        const message = `This process does not serve ${call.service.slice(0, 100)}/${call.method.slice(0, 100)}.`;
        throw new ConnectError(message, Code.Unimplemented);
      }
      const timeoutMs = call.timeoutMs === 0 ? undefined : call.timeoutMs;
      const request = readRequest(method, call.request);
      const { message, header } = await direct.unary(method, undefined, timeoutMs, call.metadata, request);
      const response = toBinary(method.output, message);
      return { place, result: { case: 'response', value: response }, metadata: Object.fromEntries(header) };
    } catch (error) {
      const fault = seenByCaller(error);
      logFault(log, fault, call.method);
      return { place, result: { case: 'error', value: carriedError(fault) } };
    }
  }

  return {
    callAll({ calls }) {
      if (calls.length <= CALLS_MOST) return bundled(calls.map(answerTo));
      throw invalidField('calls', `at most ${CALLS_MOST}`, calls.length);
    },
  };
}

function readRequest(method: DescMethodUnary, bytes: Uint8Array) {
  try {
    return fromBinary(method.input, bytes);
  } catch (cause) {
    const message = `The request is no ${method.input.typeName}.`;
    throw new ConnectError(message, Code.InvalidArgument, undefined, undefined, cause);
  }
}

function carriedError({ code, rawMessage, details }: ConnectError): MessageInitShape<typeof CarriedErrorSchema> {
  const packed = details.map(detail =>
    'desc' in detail
      ? anyPack(detail.desc, create(detail.desc, detail.value))
      : { typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value },
  );
  return { code, message: rawMessage, details: packed };
}

/** Yields answers as soon as there are any, together with all others of the same turn of the event loop. */
async function* bundled(
  answers: readonly Promise<Answer>[],
): AsyncGenerator<MessageInitShape<typeof CallAllResponseSchema>> {
  let ready: Answer[] = [];
  let wake = () => {};
  for (const answer of answers) {
    void answer.then(one => {
      if (ready.push(one) === 1) setImmediate(() => wake());
    });
  }
  for (let left = answers.length; left > 0; ) {
    if (ready.length === 0) {
      await new Promise<void>(resolve => {
        wake = resolve;
      });
    }
    const bundle = ready;
    ready = [];
    left -= bundle.length;
    if (bundle.length > 0) yield { answers: bundle };
  }
}
