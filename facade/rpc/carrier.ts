import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Client, Code, ConnectError } from '@connectrpc/connect';
import type {
  BatchService,
  CarriedError,
  CarryRequestSchema,
  CarryResponse,
} from '../../gen/tocsin/internal/v1/batch_pb.ts';
import { createBundles } from '../../services/process/bundles.ts';

/** The most calls of one message. Services accept 1,000. */
const CALLS_MOST = 500;

/** How long a stream with open calls may be silent before that is told, in milliseconds. */
const SILENCE_MS = 700;

/** A unary call. */
export interface Call {
  /** Full name of its method, such as `tocsin.alarm.v1.AlarmService/Trigger`. */
  name: string;
  /** By lower-case names. */
  metadata: Iterable<[string, string]>;
  /** The request message, encoded with Protobuf. */
  request: Uint8Array;
  /** 0 for no limit. */
  timeoutMs: number;
}

/** The answer to a call: the response message, encoded with Protobuf, and its metadata. */
export interface Answer {
  response: Uint8Array;
  metadata: Record<string, string>;
}

/** A process could not be reached, or died before it answered. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';

  constructor(url: string, cause: unknown) {
    super(`${url} cannot be reached.`, { cause });
  }
}

/** A stream that carries calls to one process of the services. */
export interface Carrier {
  /**
   * Sends a call together with all others of the same turn of the event loop. Rejects with the error of the call, or with
   * Unreachable if the stream could not be opened or ended before it was answered.
   */
  send(call: Call): Promise<Answer>;
  /** Takes no more calls. */
  last(): void;
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** What a carrier tells of itself. */
interface Listener {
  /** Calls of a turn of the event loop are sent. */
  onTurn(): void;
  /** Calls are open, and for SILENCE_MS nothing was heard. */
  onSilence(): void;
  /** It takes no more calls: the process stops or the stream has ended. What is open may still be answered. */
  onLast(): void;
}

/** Opens a stream to the process at `url`. Each call settles as soon as its own answer arrives. */
export function openCarrier(
  url: string,
  batch: Client<typeof BatchService>,
  { onTurn, onSilence, onLast }: Listener,
): Carrier {
  const calls = createBundles<Call>(onTurn);
  const open = new Map<number, Waiting>();
  let next = 0;
  const silence = setInterval(() => open.size > 0 && onSilence(), SILENCE_MS).unref();

  async function* messages() {
    let first = 0;
    for await (const bundle of calls) {
      for (let at = 0; at < bundle.length; at += CALLS_MOST) {
        const part = bundle.slice(at, at + CALLS_MOST);
        yield messageOf(first, part);
        first = (first + part.length) >>> 0;
      }
    }
  }

  function takeNoMore(): void {
    calls.end();
    onLast();
  }

  async function run(): Promise<void> {
    let cause: unknown = new Error('The stream ended before every call was answered.');
    try {
      for await (const answers of batch.carry(messages())) {
        silence.refresh();
        settle(open, answers);
        if (answers.stopping) takeNoMore();
      }
    } catch (fault) {
      cause = fault;
    }
    clearInterval(silence);
    takeNoMore();
    for (const { reject } of open.values()) reject(new Unreachable(url, cause));
  }

  void run();
  return {
    send: call =>
      new Promise((resolve, reject) => {
        if (open.size === 0) silence.refresh();
        open.set(next, { resolve, reject });
        next = (next + 1) >>> 0;
        calls.add(call);
      }),
    last: () => calls.end(),
  };
}

function messageOf(first: number, calls: readonly Call[]): MessageInitShape<typeof CarryRequestSchema> {
  const methods = new Map<string, number>();
  const columns = new Map<string, string[]>();
  for (const [at, { name, metadata }] of calls.entries()) {
    if (!methods.has(name)) methods.set(name, methods.size);
    for (const [field, value] of metadata) {
      if (!columns.has(field)) columns.set(field, new Array<string>(calls.length).fill(''));
      columns.get(field)![at] = value;
    }
  }
  return {
    first,
    methods: [...methods.keys()],
    method: calls.map(({ name }) => methods.get(name)!),
    request: calls.map(({ request }) => request),
    timeoutMs: calls.map(({ timeoutMs }) => timeoutMs),
    metadata: [...columns].map(([name, values]) => ({ name, values })),
  };
}

function settle(open: Map<number, Waiting>, { answered, response, headers, errors }: CarryResponse): void {
  const metadata = new Map(headers.map(header => [header.call, header.metadata]));
  for (const [at, call] of answered.entries()) {
    const [bytes, waiting] = [response[at], open.get(call)];
    if (bytes === undefined) waiting?.reject(new ConnectError('An answer came without a message.', Code.Internal));
    else waiting?.resolve({ response: bytes, metadata: metadata.get(call) ?? {} });
    open.delete(call);
  }
  for (const error of errors) {
    open.get(error.call)?.reject(errorOf(error));
    open.delete(error.call);
  }
}

function errorOf({ code, message, metadata, details }: CarriedError): ConnectError {
  const error = new ConnectError(message, code, metadata);
  error.details = details.map(({ typeUrl, value }) => ({ type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1), value }));
  return error;
}
