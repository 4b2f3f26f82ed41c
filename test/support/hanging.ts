import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Hosts that take every connection and all that is said on it, and never answer. */
export interface HangingHosts {
  /** One of each host, without trailing slash. */
  urls: readonly string[];
  /** How many connections are open, to all of them together. */
  connections(): number;
  /** Cuts every connection and takes no more. Twice is fine. */
  stop(): Promise<void>;
}

/** Starts so many: each has a port of its own, so to those who count by host they are different ones. */
export async function startHangingHosts(count: number): Promise<HangingHosts> {
  const sockets = new Set<Socket>();
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer(socket => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        // Whoever gives up resets the connection.
        socket.on('error', () => socket.destroy());
        socket.resume();
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  return {
    urls: servers.map(server => `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    connections: () => sockets.size,
    async stop() {
      await Promise.all(servers.map(server => end(server, sockets)));
    },
  };
}

async function end(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  for (const socket of sockets) socket.destroy();
  await closed;
}
