import type { DescMessage, DescMethodUnary, MessageInitShape } from '@bufbuild/protobuf';
import { createClient, type Transport, type UnaryResponse } from '@connectrpc/connect';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '../gen/grpc/health/v1/health_pb.ts';
import { type CheckKeyRequestSchema, InventoryService } from '../gen/tocsin/inventory/v1/inventory_pb.ts';
import { traceparentOf } from './trace.ts';

/** How long the services may take for one call, in milliseconds (the tightest known device waits 4.5 s). */
const TIMEOUT_MS = 2_500;

/** On whose behalf a call is made. */
export interface Caller {
  /** The X-API-Key header as it came. */
  apiKey: string | string[] | undefined;
  traceId: string;
  /** The address that called, proxies that are trusted seen through. */
  address: string;
  /** Its user agent. */
  agent: string | undefined;
}

/** What the facade asks of the services. Each throws what Connect throws. */
export interface Services {
  /** Any unary RPC. It runs to its end even when the device hangs up: cameras do, and their call counts. */
  call(
    method: DescMethodUnary,
    input: MessageInitShape<DescMessage>,
    caller: Caller,
  ): Promise<UnaryResponse<DescMessage, DescMessage>>;
  /** Resolves when the key is good (DECISIONS.md "Order of checks"); the call log keeps what is refused. */
  checkKey(caller: Caller, refused: MessageInitShape<typeof CheckKeyRequestSchema>): Promise<unknown>;
  health(): Promise<'serving' | 'not_serving'>;
}

/** The services at the other end of a Connect transport, in this process or elsewhere. */
export function createServices(transport: Transport): Services {
  const call: Services['call'] = (method, input, caller) =>
    transport.unary(method, undefined, TIMEOUT_MS, metadataOf(caller), input);
  const health = createClient(Health, transport);
  return {
    call,
    checkKey: (caller, refused) => call(InventoryService.method.checkKey, refused, caller),
    async health() {
      const { status } = await health.check({}, { timeoutMs: TIMEOUT_MS });
      return status === Serving.SERVING ? 'serving' : 'not_serving';
    },
  };
}

/** What every transport can carry as metadata. Anything else is no key, and goes as none. */
const SENDABLE = /^[\x20-\x7e]{1,200}$/;

function metadataOf({ apiKey, traceId, address, agent }: Caller): [string, string][] {
  const metadata: [string, string][] = [
    ['x-tocsin-trace', traceId],
    // The services of the version before go by this one.
    ['traceparent', traceparentOf(traceId)],
    ['x-tocsin-client', `${address} ${agent === undefined ? '' : shownAgent(agent)}`],
  ];
  if (typeof apiKey === 'string' && SENDABLE.test(apiKey)) metadata.push(['x-api-key', apiKey]);
  return metadata;
}

/** A user agent may hold anything: what no metadata can carry is left out. */
function shownAgent(agent: string): string {
  return SENDABLE.test(agent) ? agent : agent.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200);
}
