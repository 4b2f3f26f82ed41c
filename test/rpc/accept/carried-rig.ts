import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import type { ServiceImpl } from '@connectrpc/connect';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createServicesTransport } from '../../../facade/rpc/transport.ts';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '../../../gen/grpc/health/v1/health_pb.ts';
import { BatchService, type CarryRequest } from '../../../gen/tocsin/internal/v1/batch_pb.ts';
import { createHealthPages } from '../../../services/process/health-pages.ts';
import { createBatchService } from '../../../services/rpc/batch.ts';
import { implementation } from '../../../services/rpc/boundary.ts';
import { createDirectTransport, type Implementation } from '../../../services/rpc/direct.ts';
import type { RpcGate } from '../../../services/rpc/gate.ts';
import { type RpcTimes, serveRpc } from '../../../services/rpc/port.ts';

export const log = pino({ level: 'silent' });

/** As the product has them, in milliseconds. */
const USUAL: RpcTimes = { firstBytes: 10_000, headers: 10_000, request: 60_000, idle: 600_000 };

/** A process that is well. */
export const SERVING = { check: () => ({ status: Serving.SERVING }) };

/** A way to a process that can fall silent: connections stay open, and nothing goes through. It ends with the test. */
export async function aLine(url: string) {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  const server = createServer(near => {
    const far = createConnection({ host: hostname, port: Number(port) });
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on('error', () => {});
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fallSilent() {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}

/** A transport to these processes; it ends with the test. */
export function transportTo(...urls: string[]) {
  const { transport, close } = createServicesTransport(urls, null, log);
  onTestFinished(close);
  return transport;
}

/** A process that serves this, with the number of calls in every message that came. */
export async function aProcess(
  { check }: Pick<ServiceImpl<typeof Health>, 'check'>,
  times: Partial<RpcTimes> = {},
  gate: RpcGate = async () => {},
) {
  // Streams are not carried.
  const implementations: Implementation[] = [implementation(Health, { check, async *watch() {} })];
  const real = createBatchService(createDirectTransport(implementations), implementations, log);
  const sizes: number[] = [];
  let streams = 0;
  async function* counted(messages: AsyncIterable<CarryRequest>) {
    streams += 1;
    for await (const message of messages) {
      sizes.push(message.method.length);
      yield message;
    }
  }
  const counting = implementation(BatchService, {
    carry: (messages, context) => real.carry(counted(messages), context),
  });
  const rpc = await serveRpc({
    host: '127.0.0.1',
    port: 0,
    gate,
    health: createHealthPages(async () => true),
    metrics: 'here',
    trustedProxies: [],
    implementations: [...implementations, counting],
    times: { ...USUAL, ...times },
    log,
  });
  onTestFinished(rpc.close);
  return { url: rpc.url, sizes, streams: () => streams, close: rpc.close };
}
