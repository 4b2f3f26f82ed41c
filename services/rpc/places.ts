import type { Socket } from 'node:net';
import type { RpcConnection } from './gate.ts';

/** The connections of the RPC port, and which of them does nothing for anybody known. */
export interface Places {
  come(socket: Socket): void;
  /** Ends the connection on which nobody known has called for longest; of those on which somebody does, none. */
  makeRoom(): void;
  /** The connection of a request; what HTTP/2 gives as its socket is none, but has its two ends. */
  of(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): RpcConnection;
}

/**
 * Whoever comes always finds a place: a thousand connections that say nothing, or that bad callers hold, give way one by one
 * (DECISIONS.md "RPC port"). Those of other parts of this deployment stay.
 */
export function createPlaces(): Places {
  const open = new Map<string, { socket: Socket; calls: number; kept: 'kept' | 'ordinary' }>();
  /** In the order in which they fell idle. */
  const idle = new Set<Socket>();

  return {
    come(socket) {
      const name = nameOf(socket);
      open.set(name, { socket, calls: 0, kept: 'ordinary' });
      idle.add(socket);
      socket.once('close', () => {
        open.delete(name);
        idle.delete(socket);
      });
    },
    makeRoom() {
      const [longest] = idle;
      if (longest === undefined) return;
      idle.delete(longest);
      longest.destroy();
    },
    of(socket) {
      const place = open.get(nameOf(socket));
      return {
        address: socket.remoteAddress ?? '',
        begin() {
          if (place === undefined) return () => {};
          place.calls++;
          idle.delete(place.socket);
          return () => {
            place.calls--;
            if (place.calls === 0 && place.kept === 'ordinary' && !place.socket.destroyed) idle.add(place.socket);
          };
        },
        keep() {
          if (place === undefined) return;
          place.kept = 'kept';
          idle.delete(place.socket);
        },
      };
    },
  };
}

function nameOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}
