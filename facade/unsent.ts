import type { Server, Socket } from 'node:net';

/** Between two looks at all connections, in milliseconds. */
const LOOK_MS = 15_000;

/** At how many looks in a row something may be unsent: about a minute, in which a slow telephone takes the largest page. */
const LOOKS = 4;

/**
 * Ends connections whose peers do not take what they asked for (DECISIONS.md "Could not commit, deadline, overload"): each holds
 * its answer in memory for as long as it likes. A connection on which nothing waits to be sent may be quiet for ever.
 */
export function endUnsent(server: Server, event: 'connection' | 'secureConnection'): void {
  const looks = new Map<Socket, number>();
  server.on(event, (socket: Socket) => {
    looks.set(socket, 0);
    socket.once('close', () => looks.delete(socket));
  });
  const looking = setInterval(() => {
    for (const [socket, before] of looks) {
      const unsent = socket.writableLength > 0 ? before + 1 : 0;
      if (unsent > LOOKS) socket.destroy();
      else if (unsent !== before) looks.set(socket, unsent);
    }
  }, LOOK_MS);
  looking.unref();
  server.once('close', () => clearInterval(looking));
}
