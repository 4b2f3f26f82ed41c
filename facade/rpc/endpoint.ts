import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '../../gen/grpc/health/v1/health_pb.ts';
import { BatchService } from '../../gen/tocsin/internal/v1/batch_pb.ts';
import { type Answer, type Call, type Carrier, openCarrier, Unreachable } from './carrier.ts';
import { createConnection } from './connection.ts';

/**
 * How long a process may take for a sign of life: together with the silence before it (carrier.ts) less than the 2.5 s of a call,
 * so that another process can still answer it. In milliseconds.
 */
const SIGN_OF_LIFE_MS = 1_000;

/** A larger request, in bytes, has a stream of its own: on that of all others everybody would wait until it is sent. */
const LARGE = 16 * 1024;

/** The timeout of a health check, in milliseconds. */
const HEALTH_MS = 1_000;

/** The connection to one process of the services. */
export interface Endpoint {
  url: string;
  /**
   * Sends a call together with all others of the same turn of the event loop. Rejects with the error of the call, or with
   * Unreachable if the process could not be reached or died before it answered.
   */
  send(call: Call): Promise<Answer>;
  /** Opens a server stream, which cannot be carried. Rejects as `send` does. */
  stream: Transport['stream'];
  /** Asks the process whether it can take calls. */
  health(): Promise<'serving' | 'not_serving'>;
  close(): void;
}

/**
 * Reaches one process of the services over one HTTP/2 connection, with all unary calls on one stream but large ones. `onTurn` is called for
 * each turn of the event loop in which calls were sent.
 */
export function createEndpoint(url: string, serviceToken: string | null, onTurn: () => void): Endpoint {
  const connection = createConnection(url, serviceToken === null ? {} : { 'x-tocsin-service': serviceToken });
  // Compressing a few hundred bytes to the next machine costs more than it saves.
  const transport = createGrpcTransport({ baseUrl: url, sessionManager: connection, acceptCompression: [] });
  const batch = createClient(BatchService, transport);
  const health = createClient(Health, transport);
  let carrier: Carrier | null = null;
  let asking: Promise<void> | undefined;

  function carrying(): Carrier {
    const opened = openCarrier(url, batch, {
      onTurn,
      onSilence: askForSignOfLife,
      onLast() {
        if (carrier === opened) carrier = null;
      },
    });
    return opened;
  }

  function sendAlone(call: Call): Promise<Answer> {
    const own = carrying();
    const answer = own.send(call);
    own.last();
    return answer;
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
    send(call) {
      if (call.request.length > LARGE) return sendAlone(call);
      carrier ??= carrying();
      return carrier.send(call);
    },
    stream: async (...call) => {
      try {
        return await transport.stream(...call);
      } catch (cause) {
        if (ConnectError.from(cause).code !== Code.Unavailable) throw cause;
        throw new Unreachable(url, cause);
      }
    },
    async health() {
      const { status } = await health.check({}, { timeoutMs: HEALTH_MS });
      return status === Serving.SERVING ? 'serving' : 'not_serving';
    },
    close: () => connection.drop(),
  };
}
