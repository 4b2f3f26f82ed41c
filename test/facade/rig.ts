import { type OutgoingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Message } from '@bufbuild/protobuf';
import { Code, ConnectError, createRouterTransport, type HandlerContext } from '@connectrpc/connect';
import { onTestFinished } from 'vitest';
import { startFacade } from '../../facade/app.ts';
import type { Config } from '../../facade/config.ts';
import type { OverloadLimits } from '../../facade/overload.ts';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '../../gen/grpc/health/v1/health_pb.ts';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { RefusalSchema } from '../../gen/tocsin/common/v1/common_pb.ts';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import type { ConnectionLimits } from '../../services/limits/connections.ts';
import { newSecret } from '../../services/store/secret.ts';
import { facadeConfig } from '../support/facade-config.ts';
import { logInto } from '../support/log.ts';

/** The one good key of the backend, and what it reaches. */
export const KEY = newSecret('toc');
export const ALARM = 'a'.repeat(32);
export const PANIC = 'p'.repeat(32);
export const LOCATION = { id: 'l'.repeat(32), name: 'Summer house "Süd"' };

/** A call of an RPC as the services see it. */
export interface SeenCall {
  rpc: string;
  request: Record<string, unknown>;
  apiKey: string | null;
  traceId: string | null;
  signal: AbortSignal;
}

/** Stands where the services are: another process's contract, spoken through a real Connect router. */
export class Backend {
  readonly calls: SeenCall[] = [];
  /** What GET /readyz is told, and how often it was asked for. */
  health: 'serving' | 'not_serving' | 'down' = 'serving';
  healthChecks = 0;
  /** The name of the one location, as describe gives it. */
  locationName = LOCATION.name;
  /** Runs in each call with a good key, before it is answered: throws, or waits. */
  behaviour: (call: SeenCall) => unknown = () => {};

  /** The calls that did or read something; asking whether a key is good does neither. */
  get acted(): string[] {
    return this.calls.map(({ rpc }) => rpc).filter(rpc => rpc !== 'CheckKey');
  }

  readonly transport = createRouterTransport(router => {
    router.service(AlarmService, {
      arm: (message, context) => this.#act(message, context),
      disarm: (message, context) => this.#act(message, context),
      trigger: (message, context) => this.#act(message, context),
      clear: (message, context) => this.#act(message, context),
      triggerPanic: (message, context) => this.#act(message, context),
      clearPanic: (message, context) => this.#act(message, context),
    });
    router.service(InventoryService, {
      describe: async (message, context) => {
        await this.#see(message, context);
        context.responseHeader.set('cache-control', 'private, max-age=3600');
        const modes = [{ id: 'away', name: 'Away' }];
        const alarms = [{ id: ALARM, name: 'House', modes }];
        return { version: '1.0.0', locations: [{ ...LOCATION, name: this.locationName, alarms, panicButtons: [] }] };
      },
      getState: async (message, context) => {
        await this.#see(message, context);
        return { version: '1.0.0', alarms: [] };
      },
      checkKey: async (message, context) => {
        await this.#see(message, context);
        return {};
      },
    });
    router.service(Health, {
      check: () => {
        this.healthChecks++;
        if (this.health === 'down') throw new ConnectError('gone', Code.Unavailable);
        return { status: this.health === 'serving' ? Serving.SERVING : Serving.NOT_SERVING };
      },
    });
  });

  async #act(
    message: Message & { alarmId?: string; panicId?: string; modeId?: string | undefined },
    context: HandlerContext,
  ) {
    await this.#see(message, context);
    if (message.alarmId !== ALARM && message.panicId !== PANIC) throw notFound();
    if (message.modeId !== undefined && message.modeId !== 'away') throw unknownMode(message.modeId);
    return { environment: 'live', location: LOCATION };
  }

  async #see({ $typeName: _, $unknown: __, ...message }: Message, context: HandlerContext): Promise<void> {
    const { requestHeader, signal, method } = context;
    const call: SeenCall = {
      rpc: method.name,
      request: message,
      apiKey: requestHeader.get('x-api-key'),
      traceId: requestHeader.get('x-tocsin-trace'),
      signal,
    };
    if (call.apiKey !== KEY) throw new ConnectError('The key is not valid.', Code.Unauthenticated);
    this.calls.push(call);
    await this.behaviour(call);
  }
}

export function notFound(): ConnectError {
  return refusal({ reason: 'not_found', mode: '' });
}

export function unknownMode(mode: string): ConnectError {
  return refusal({ reason: 'unknown_mode', mode });
}

function refusal(value: { reason: string; mode: string }): ConnectError {
  return new ConnectError('refused', Code.NotFound, undefined, [{ desc: RefusalSchema, value }]);
}

/** A facade on a free port before a backend of its own. It is closed with the test. */
export async function startRig(
  options: { limits?: OverloadLimits; connections?: ConnectionLimits; config?: Partial<Config>; rpcUrl?: string } = {},
) {
  const backend = new Backend();
  const lines: string[] = [];
  const config: Config = facadeConfig({ rateLimits: 'on', logLevel: 'info', ...options.config });
  const facade = await startFacade({
    transport: backend.transport,
    config,
    log: logInto(lines, 'debug'),
    ...(options.rpcUrl && { rpcUrl: options.rpcUrl }),
    ...(options.limits && { limits: options.limits }),
    ...(options.connections && { connections: options.connections }),
  });
  onTestFinished(() => facade.close());
  return { backend, facade, url: facade.url, port: Number(new URL(facade.url).port), log: lines };
}

export type Rig = Awaited<ReturnType<typeof startRig>>;

export interface Got {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** One request over HTTP/1.1 on a connection of its own, with the good key unless `headers` has another. */
export function ask(
  { port }: Rig,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: OutgoingHttpHeaders; body?: string } = {},
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const own = Object.fromEntries(
      Object.entries({ 'x-api-key': KEY, ...headers }).filter(([, value]) => value !== undefined),
    );
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers: own, agent: false }, incoming => {
      let text = '';
      incoming.setEncoding('utf8').on('data', chunk => (text += chunk));
      incoming.on('error', reject);
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Sends these bytes on a connection of its own and gives what came until the other side ended it. */
export async function raw(rig: Rig, bytes: string | Buffer, then: 'wait' | 'half_close' = 'wait'): Promise<string> {
  const { socket, received } = open(rig);
  socket.write(bytes);
  if (then === 'half_close') socket.end();
  await new Promise(resolve => socket.once('close', resolve));
  return received();
}

/** A connection to the facade; `received` gives what came so far. It is destroyed with the test. */
export function open({ port }: Rig): { socket: Socket; received: () => string } {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  let text = '';
  socket.setEncoding('latin1').on('data', chunk => (text += chunk));
  socket.on('end', () => socket.end());
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return { socket, received: () => text };
}

/** A GET as bytes. Without a `Connection` header of its own the connection ends with the answer. */
export function get(path: string, headers: string[] = [], version = '1.1'): string {
  const close = headers.some(header => /^connection:/i.test(header)) ? [] : ['Connection: close'];
  return [`GET ${path} HTTP/${version}`, `X-API-Key: ${KEY}`, ...close, ...headers, '', ''].join('\r\n');
}

/** The status codes of the answers in a text of raw HTTP, in order. */
export function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
