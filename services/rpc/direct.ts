import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodStreaming,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type HandlerContext,
  type MethodImpl,
  type ServiceImpl,
  type Transport,
  type UnaryResponse,
} from '@connectrpc/connect';
import { inTime } from '../process/in-time.ts';
import { en } from '../words/en.ts';
import { DirectContext } from './direct-context.ts';

/** A service and what implements it. */
export interface Implementation {
  service: DescService;
  methods: ServiceImpl<DescService>;
}

/** Admits calls within this process, as the RPC port does its own. */
export interface DirectGate {
  /** Tells whether calls of a method have to be admitted. */
  guards(method: DescMethod): boolean;
  /** Throws the answer to whoever is not admitted. The signal of the context fires when the call is over. */
  admit(context: HandlerContext): Promise<void>;
}

type UnaryHandler = MethodImpl<DescMethodUnary>;
type StreamHandler = MethodImpl<DescMethodServerStreaming>;

/**
 * Creates a Connect transport within one process: passes messages straight to the implementation, without serialising them
 * (measured: 26,000 calls/s against 10,200 through a router transport). Supports unary calls and server streams, which is all
 * that the facade uses. `gate`: what limits callers of some of the methods; null: nothing.
 */
export function createDirectTransport(
  implementations: readonly Implementation[],
  gate: DirectGate | null = null,
): Transport {
  const handlers = new Map<DescMethod, UnaryHandler>();
  const streams = new Map<DescMethod, StreamHandler>();
  const guarded = new Set<DescMethod>();
  for (const { service, methods } of implementations) {
    for (const method of service.methods) {
      const handler = methods[method.localName] as unknown;
      if (gate?.guards(method) === true) guarded.add(method);
      if (method.methodKind === 'unary') handlers.set(method, handler as UnaryHandler);
      if (method.methodKind === 'server_streaming') streams.set(method, handler as StreamHandler);
    }
  }
  return {
    async unary<I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      _signal: AbortSignal | undefined,
      timeoutMs: number | undefined,
      header: ConstructorParameters<typeof Headers>[0],
      input: Parameters<Transport['unary']>[4],
    ) {
      const handler = handlers.get(method);
      if (handler === undefined) throw notServed(method);
      const over = guarded.has(method) ? new AbortController() : null;
      const context = new DirectContext(method, header, over?.signal ?? NEVER_ABORTED);
      const request = create(method.input as DescMessage, input);
      const answer =
        over === null ? handler(request, context) : admitted(gate!, context, over, () => handler(request, context));
      const message = create(method.output, (await inTime(answer, timeoutMs, noAnswer)) as MessageShape<O>);
      return new DirectAnswer(method, context, message);
    },
    async stream<I extends DescMessage, O extends DescMessage>(
      method: DescMethodStreaming<I, O>,
      signal: AbortSignal | undefined,
      _timeoutMs: number | undefined,
      header: ConstructorParameters<typeof Headers>[0],
      input: AsyncIterable<MessageInitShape<I>>,
    ) {
      const handler = streams.get(method);
      if (handler === undefined) throw notServed(method);
      const context = new DirectContext(method, header, signal ?? NEVER_ABORTED);
      if (guarded.has(method)) await gate!.admit(context);
      const { value: request } = await input[Symbol.asyncIterator]().next();
      const answers = handler(create(method.input as DescMessage, request), context);
      return {
        stream: true,
        service: method.parent,
        method,
        header: context.responseHeader,
        trailer: context.responseTrailer,
        message: madeOf(method.output, answers as AsyncIterable<MessageInitShape<O>>),
      } as const;
    },
  };
}

/** The answer to a unary call. Its headers, too, are created on first use. */
export class DirectAnswer<I extends DescMessage, O extends DescMessage> implements UnaryResponse<I, O> {
  readonly stream = false;
  readonly method: DescMethodUnary<I, O>;
  readonly message: MessageShape<O>;
  readonly #context: DirectContext;

  constructor(method: DescMethodUnary<I, O>, context: DirectContext, message: MessageShape<O>) {
    this.method = method;
    this.#context = context;
    this.message = message;
  }

  get service() {
    return this.method.parent;
  }

  get header() {
    return this.#context.responseHeader;
  }

  /** Tells whether it has any: asking for them creates them. */
  get hasHeader() {
    return this.#context.hasResponseHeader;
  }

  get trailer() {
    return this.#context.responseTrailer;
  }
}

async function admitted<T>(
  gate: DirectGate,
  context: DirectContext,
  over: AbortController,
  handle: () => Promise<T> | T,
): Promise<T> {
  try {
    await gate.admit(context);
    return await handle();
  } finally {
    over.abort();
  }
}

async function* madeOf<O extends DescMessage>(schema: O, answers: AsyncIterable<MessageInitShape<O>>) {
  for await (const answer of answers) yield create(schema, answer);
}

function noAnswer(): ConnectError {
  return new ConnectError(en.owner.refusals.noAnswer, Code.DeadlineExceeded);
}

function notServed({ name }: DescMethod): ConnectError {
  return new ConnectError(`This process does not serve ${name}.`, Code.Unimplemented);
}

/** A camera that hangs up must not abort a call that may already be committed. */
const NEVER_ABORTED = new AbortController().signal;
