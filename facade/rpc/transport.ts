import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { Code, ConnectError, type Transport, type UnaryResponse } from '@connectrpc/connect';
import type { Logger } from 'pino';
import { inTime } from '../../services/process/in-time.ts';
import { en } from '../../services/words/en.ts';
import { type Answer, type Call, Unreachable } from './carrier.ts';
import type { Endpoint } from './endpoint.ts';
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
        const call = {
          name: `${method.parent.typeName}/${method.name}`,
          metadata: Array.isArray(header) ? (header as [string, string][]) : new Headers(header),
          request: toBinary(method.input as DescMessage, create(method.input as DescMessage, input)),
        };
        return new CarriedAnswer(method, await inTime(ask(endpoints, call, timeoutMs), timeoutMs, noAnswer));
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

/** The answer to a unary call. Its headers are created on first use. */
class CarriedAnswer<I extends DescMessage, O extends DescMessage> implements UnaryResponse<I, O> {
  readonly stream = false;
  readonly method: DescMethodUnary<I, O>;
  readonly message: MessageShape<O>;
  readonly #metadata: Record<string, string>;

  constructor(method: DescMethodUnary<I, O>, { response, metadata }: Answer) {
    this.method = method;
    this.message = fromBinary(method.output, response);
    this.#metadata = metadata;
  }

  get service() {
    return this.method.parent;
  }

  get header() {
    return new Headers(this.#metadata);
  }

  get trailer() {
    return new Headers();
  }
}

/** Calls one process after the other, within the timeout of the caller. */
async function ask(
  endpoints: Endpoints,
  call: Omit<Call, 'timeoutMs'>,
  timeoutMs = Number.POSITIVE_INFINITY,
): Promise<Answer> {
  const deadline = performance.now() + timeoutMs;
  const tried = new Set<Endpoint>();
  let refusal: unknown = null;
  for (let to = endpoints.next(tried); to !== null; to = endpoints.next(tried)) {
    const left = deadline - performance.now();
    if (left <= 0) break;
    tried.add(to);
    try {
      return await to.send({ ...call, timeoutMs: Number.isFinite(left) ? Math.ceil(left) : 0 });
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
  throw refusal ?? noAnswer();
}

function noAnswer(): ConnectError {
  return new ConnectError(en.owner.refusals.noAnswer, Code.DeadlineExceeded);
}
