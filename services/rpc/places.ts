import type { Socket } from 'node:net';
import type { RpcConnection } from './gate.ts';

/** The connections of the RPC port, and which of them carry no authenticated call. */
export interface Places {
  come(socket: Socket): void;
  /** Ends the connection that has gone longest without an authenticated call; never one that carries such a call. */
  makeRoom(): void;
  /** Returns the connection of a request. HTTP/2 gives a proxy for the socket, which has the same two ends. */
  of(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): RpcConnection;
}

/**
 * Keeps room for new connections: idle ones and those of unauthenticated callers give way one by one (DECISIONS.md "RPC port").
 * Those of other parts of this deployment stay.
 */
export function createPlaces(): Places {
  const open = new Map<string, { socket: Socket; calls: number; kept: 'kept' | 'ordinary' }>();
  /** In the order in which they became idle. */
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
