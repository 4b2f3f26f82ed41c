import { connect, type Socket } from 'node:net';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { register } from 'prom-client';
import { expect, onTestFinished } from 'vitest';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { ConfigurationService } from '../../gen/tocsin/console/v1/configuration_pb.ts';
import { startWorld, type World, type WorldOptions } from '../support/world.ts';

/** The path of the method that takes the largest message. */
export const APPLY = `/${ConfigurationService.typeName}/Apply`;

/** A world, and an account in it that is known and calls over the RPC port. */
export async function aNeighbour(options: WorldOptions = {}) {
  const world = await startWorld(options);
  const owner = await world.account();
  const [alarmId, key] = [await owner.alarm(), await owner.key()];
  const headers = { 'x-api-key': key };
  return {
    world,
    key,
    /** Triggers over gRPC and over HTTP/1.1, on connections of their own, and sees that both are applied. */
    async triggers() {
      for (const open of [createGrpcTransport, httpTransport]) {
        const alarms = createClient(AlarmService, open({ baseUrl: world.rpcUrl }));
        expect(await alarms.trigger({ alarmId }, { headers })).toMatchObject({ environment: 'live' });
      }
      await world.settle();
      expect((await owner.incidents())[0]).toMatchObject({ status: 'open', sourceId: alarmId });
    },
  };
}

function httpTransport({ baseUrl }: { baseUrl: string }) {
  return createConnectTransport({ baseUrl, httpVersion: '1.1' });
}

/** A connection to the RPC port that says this and nothing more; it is destroyed with the test. */
export async function saying(
  { rpcUrl }: World,
  bytes: string,
): Promise<{ socket: Socket; received(): string; closed: Promise<void> }> {
  const { hostname, port } = new URL(rpcUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let text = '';
  socket.setEncoding('latin1').on('data', chunk => (text += chunk));
  socket.on('error', () => {});
  const closed = new Promise<void>(resolve => {
    socket.once('close', () => resolve());
    socket.once('end', () => resolve());
  });
  onTestFinished(() => void socket.destroy());
  await new Promise<void>(resolve => {
    socket.once('connect', resolve);
    socket.once('close', () => resolve());
  });
  if (bytes !== '') socket.write(bytes);
  return { socket, received: () => text, closed };
}

/** How many connections the RPC port has open. */
export async function openConnections(): Promise<number> {
  const metric = register.getSingleMetric('tocsin_rpc_connections')!;
  return (await metric.get()).values[0]?.value ?? 0;
}
