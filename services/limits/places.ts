import type { Socket } from 'node:net';

/** A connection by its two ends. With HTTP/2 and TLS a request knows another socket than the server was given, with the same ends. */
type Ends = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/** The connection of a request. */
export interface Place {
  /** The address at the other end. */
  address: string;
  /** Marks the beginning of an authenticated call on it. Returns the function that marks its end. */
  begin(): () => void;
  /** Marks it as one that gives way to nobody any more. */
  keep(): void;
}

/** The connections of a port, and which of them carry no authenticated call. */
export interface Places {
  come(socket: Socket): void;
  /** Ends the connection that has gone longest without an authenticated call; never one that carries such a call, or is kept. */
  makeRoom(): void;
  of(ends: Ends): Place;
  /** The same as `of(ends).keep()`, at less cost where it is said of each call. */
  keep(ends: Ends): void;
}

/**
 * Keeps room for new connections: idle ones and those of unauthenticated callers give way one by one (DECISIONS.md "RPC port",
 * "Strangers"). What is kept stays: at the RPC port other parts of this deployment, at HTTP_PORT whoever showed a good key, session
 * or link.
 */
export function createPlaces(): Places {
  const open = new Map<string, { socket: Socket; calls: number; kept: 'kept' | 'ordinary' }>();
  /** In the order in which they became idle. */
  const idle = new Set<Socket>();
  const kept = new WeakSet<Ends>();

  function keep(ends: Ends): void {
    if (kept.has(ends)) return;
    kept.add(ends);
    const place = open.get(nameOf(ends));
    if (place === undefined) return;
    place.kept = 'kept';
    idle.delete(place.socket);
  }

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
    of(ends) {
      const place = open.get(nameOf(ends));
      return {
        address: ends.remoteAddress ?? '',
        begin() {
          if (place === undefined) return () => {};
          place.calls++;
          idle.delete(place.socket);
          return () => {
            place.calls--;
            if (place.calls === 0 && place.kept === 'ordinary' && !place.socket.destroyed) idle.add(place.socket);
          };
        },
        keep: () => keep(ends),
      };
    },
    keep,
  };
}

function nameOf({ remoteAddress, remotePort }: Ends): string {
  return `${remoteAddress} ${remotePort}`;
}
