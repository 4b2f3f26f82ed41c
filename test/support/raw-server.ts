import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a server that speaks bytes as it likes, once a client sent something or is connected; returns its port on 127.0.0.1. */
export async function rawServer(
  speak: (socket: Socket) => unknown,
  when: 'asked' | 'connected' = 'asked',
): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => socket.destroy()));
    if (when === 'asked') socket.once('data', () => speak(socket));
    else speak(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
