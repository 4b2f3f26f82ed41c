import { create, type DescMessage, type DescMethodUnary, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type Transport, type UnaryResponse } from '@connectrpc/connect';
import type { Logger } from 'pino';
import type { CarriedAnswer, CarriedError } from '../../gen/tocsin/internal/v1/batch_pb.ts';
import { en } from '../../services/words/en.ts';
import { type Call, type Endpoint, Unreachable } from './endpoint.ts';
import { createEndpoints, type Endpoints } from './endpoints.ts';

export interface ServicesTransport {
  transport: Transport;
  /** Ends the connections. Calls in flight fail. */
  close(): void;
}

/**
 * A Connect transport to services in other processes, at any of `urls` (RPC_URL), with `serviceToken` if they require
 * one; typed clients do not notice. A call that one process cannot handle (UNAVAILABLE, or it died before it answered)
 * is tried at the next within its time. It may then have been stored twice, which is harmless for every call of /v1
 * (SPEC.md 4 rules 2 and 4), unlike a trigger that was stored nowhere. A stream of answers is opened the same way, and
 * ends when its process dies.
 */
export function createServicesTransport(
  urls: readonly string[],
  serviceToken: string | null,
  log: Logger,
): ServicesTransport {
  const endpoints = createEndpoints(urls, serviceToken, log);
  return {
    transport: {
      async unary<I extends DescMessage, O extends DescMessage>(
        method: DescMethodUnary<I, O>,
        _signal: AbortSignal | undefined,
        timeoutMs: number | undefined,
        header: ConstructorParameters<typeof Headers>[0],
        input: Parameters<Transport['unary']>[4],
      ): Promise<UnaryResponse<I, O>> {
        const call: Call = {
          service: method.parent.typeName,
          method: method.name,
          metadata: Object.fromEntries(new Headers(header)),
          request: toBinary(method.input as DescMessage, create(method.input as DescMessage, input)),
        };
        const { bytes, metadata } = await inTime(ask(endpoints, call, timeoutMs), timeoutMs);
        return {
          stream: false,
          service: method.parent,
          method,
          header: new Headers(metadata),
          trailer: new Headers(),
          message: fromBinary(method.output, bytes),
        };
      },
      async stream(method, signal, timeoutMs, header, input) {
        const { value: request } = await input[Symbol.asyncIterator]().next();
        const tried = new Set<Endpoint>();
        for (let to = endpoints.next(tried); to !== null; to = endpoints.next(tried)) {
          tried.add(to);
          try {
            return await to.stream(method, signal, timeoutMs, header, only(request));
          } catch (error) {
            if (!(error instanceof Unreachable)) throw error;
            endpoints.lost(to, error.cause);
          }
        }
        throw new ConnectError(en.owner.refusals.servicesAway, Code.Unavailable);
      },
    },
    close: () => endpoints.close(),
  };
}

async function* only<T>(value: T): AsyncGenerator<T> {
  yield value;
}

interface Answer {
  bytes: Uint8Array;
  metadata: Record<string, string>;
}

/** Calls one process after the other, within the timeout of the caller. */
async function ask(endpoints: Endpoints, call: Call, timeoutMs = Number.POSITIVE_INFINITY): Promise<Answer> {
  const deadline = performance.now() + timeoutMs;
  const tried = new Set<Endpoint>();
  let refusal: unknown = new ConnectError(en.owner.refusals.noAnswer, Code.DeadlineExceeded);
  for (let to = endpoints.next(tried); to !== null; to = endpoints.next(tried)) {
    const left = deadline - performance.now();
    if (left <= 0) break;
    tried.add(to);
    try {
      return answerOf(await to.send({ ...call, timeoutMs: Number.isFinite(left) ? Math.ceil(left) : 0 }));
    } catch (error) {
      if (error instanceof Unreachable) {
        endpoints.lost(to, error.cause);
        const { servicesAway } = en.owner.refusals;
        refusal = new ConnectError(servicesAway, Code.Unavailable, undefined, undefined, error);
      } else {
        if (ConnectError.from(error).code !== Code.Unavailable) throw error;
        refusal = error;
      }
    }
  }
  throw refusal;
}

function answerOf({ result, metadata }: CarriedAnswer): Answer {
  if (result.case === 'response') return { bytes: result.value, metadata };
  if (result.case === 'error') throw errorOf(result.value);
  throw new ConnectError('An answer came without a result.', Code.Internal);
}

function errorOf({ code, message, details }: CarriedError): ConnectError {
  const error = new ConnectError(message, code);
  error.details = details.map(({ typeUrl, value }) => ({ type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1), value }));
  return error;
}

function inTime<T>(answer: Promise<T>, timeoutMs: number | undefined): Promise<T> {
  if (timeoutMs === undefined) return answer;
  return new Promise<T>((resolve, reject) => {
    const late = () => reject(new ConnectError(en.owner.refusals.noAnswer, Code.DeadlineExceeded));
    const timer = setTimeout(late, timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
