import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '../../gen/grpc/health/v1/health_pb.ts';
import { BatchService, type CarriedAnswer, type CarriedCallSchema } from '../../gen/tocsin/internal/v1/batch_pb.ts';
import { createConnection } from './connection.ts';

/** The most calls of one RPC. Services accept 1,000. */
const CALLS_MOST = 500;

/**
 * A connection with waiting calls that was silent for so long is probed, and given up without an answer: together less than the
 * 2.5 s of a call, so that another process can still answer it. In milliseconds.
 */
const SILENCE_MS = 700;
const SIGN_OF_LIFE_MS = 1_000;

/** The timeout of an RPC, longer than that of its calls, in milliseconds. */
const RPC_MS = 30_000;

/** The timeout of a health check, in milliseconds. */
const HEALTH_MS = 1_000;

export type Call = MessageInitShape<typeof CarriedCallSchema>;

/** The connection to one process of the services. */
export interface Endpoint {
  url: string;
  /**
   * Sends a call together with all others of the same turn of the event loop. Rejects with the error of the call, or with
   * Unreachable if the process could not be reached or died before it answered.
   */
  send(call: Call): Promise<CarriedAnswer>;
  /** Opens a server stream, which cannot be batched. Rejects as `send` does. */
  stream: Transport['stream'];
  /** Asks the process whether it can take calls. */
  health(): Promise<'serving' | 'not_serving'>;
  close(): void;
}

/** The process could not be reached, or died before it answered. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

interface Waiting {
  call: Call;
  resolve(answer: CarriedAnswer): void;
  reject(error: unknown): void;
}

/**
 * Reaches one process of the services over one HTTP/2 connection: all calls of a turn go in one RPC, and each settles as soon as
 * its own answer arrives. `onSent` is called for each RPC.
 */
export function createEndpoint(url: string, serviceToken: string | null, onSent: () => void): Endpoint {
  const connection = createConnection(url, serviceToken === null ? {} : { 'x-tocsin-service': serviceToken });
  // Compressing a few hundred bytes to the next machine costs more than it saves.
  const transport = createGrpcTransport({ baseUrl: url, sessionManager: connection, acceptCompression: [] });
  const batch = createClient(BatchService, transport);
  const health = createClient(Health, transport);
  let waiting: Waiting[] = [];
  let asking: Promise<void> | undefined;

  function flush(): void {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += CALLS_MOST) void carry(all.slice(at, at + CALLS_MOST));
    onSent();
  }

  async function carry(calls: readonly Waiting[]): Promise<void> {
    const open = new Map(calls.entries());
    const silence = setInterval(askForSignOfLife, SILENCE_MS);
    try {
      const request = { calls: calls.map(({ call }) => call) };
      for await (const { answers } of batch.callAll(request, { timeoutMs: RPC_MS })) {
        silence.refresh();
        for (const answer of answers) {
          open.get(answer.place)?.resolve(answer);
          open.delete(answer.place);
        }
      }
      if (open.size > 0) throw new Error('It ended before it answered every call.');
    } catch (cause) {
      for (const { reject } of open.values()) reject(new Unreachable(`${url} cannot be reached.`, { cause }));
    } finally {
      clearInterval(silence);
    }
  }

  /**
   * Probes with a health check of an unknown service, which is answered without the database. Only silence ends the connection: a
   * process that accepts no new connection may be stopping and still answers on this one.
   */
  async function askForSignOfLife(): Promise<void> {
    asking ??= health.check({ service: '-' }, { timeoutMs: SIGN_OF_LIFE_MS }).then(
      () => {},
      error => {
        if (ConnectError.from(error).code === Code.DeadlineExceeded) connection.drop();
      },
    );
    await asking;
    asking = undefined;
  }

  return {
    url,
    send: call =>
      new Promise((resolve, reject) => {
        if (waiting.push({ call, resolve, reject }) === 1) setImmediate(flush);
      }),
    stream: async (...call) => {
      try {
        return await transport.stream(...call);
      } catch (cause) {
        if (ConnectError.from(cause).code !== Code.Unavailable) throw cause;
        throw new Unreachable(`${url} cannot be reached.`, { cause });
      }
    },
    async health() {
      const { status } = await health.check({}, { timeoutMs: HEALTH_MS });
      return status === Serving.SERVING ? 'serving' : 'not_serving';
    },
    close: () => connection.drop(),
  };
}
