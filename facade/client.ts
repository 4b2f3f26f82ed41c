import type { DescMessage, DescMethodUnary, MessageInitShape } from '@bufbuild/protobuf';
import { createClient, type Transport, type UnaryResponse } from '@connectrpc/connect';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '../gen/grpc/health/v1/health_pb.ts';
import { type CheckKeyRequestSchema, InventoryService } from '../gen/tocsin/inventory/v1/inventory_pb.ts';

/** How long the services may take for one call, in milliseconds (the tightest known device waits 4.5 s). */
const TIMEOUT_MS = 2_500;

/** The device on whose behalf a call is made. */
export interface Caller {
  /** The X-API-Key header as received. */
  apiKey: string | string[] | undefined;
  traceId: string;
  /** Its address, as reported by trusted proxies. */
  address: string;
  /** Its user agent. */
  agent: string | undefined;
}

/** The calls that the facade makes to the services. Each throws ConnectError. */
export interface Services {
  /** Makes a unary RPC. It runs to its end even if the device hangs up, as cameras do: their call counts. */
  call(
    method: DescMethodUnary,
    input: MessageInitShape<DescMessage>,
    caller: Caller,
  ): Promise<UnaryResponse<DescMessage, DescMessage>>;
  /** Resolves if the key is valid (DECISIONS.md "Order of checks"). Refusals are kept in the call log. */
  checkKey(caller: Caller, refused: MessageInitShape<typeof CheckKeyRequestSchema>): Promise<unknown>;
  health(): Promise<'serving' | 'not_serving'>;
}

/** Reaches the services over a Connect transport, in this process or elsewhere. */
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

/** What every transport can carry as metadata. Anything else cannot be a key and is left out. */
const SENDABLE = /^[\x20-\x7e]{1,200}$/;

function metadataOf({ apiKey, traceId, address, agent }: Caller): [string, string][] {
  const metadata: [string, string][] = [
    ['x-tocsin-trace', traceId],
    ['x-tocsin-client', `${address} ${sendableAgent(agent ?? '')}`],
  ];
  if (typeof apiKey === 'string' && SENDABLE.test(apiKey)) metadata.push(['x-api-key', apiKey]);
  return metadata;
}

/** Removes from a user agent, which may contain anything, what metadata cannot carry. */
export function sendableAgent(agent: string): string {
  return SENDABLE.test(agent) ? agent : agent.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200);
}
