import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { UNREAD_MOST } from '../services/limits/table.ts';

/** How many characters of unread answers there may be: of one caller, and of all together. */
export interface UnreadLimits {
  ofCaller: number;
  all: number;
}

/** Smaller answers than this are not worth counting. */
const SMALL = 16_000;

/** Limits the memory of unread answers (DECISIONS.md "Could not commit, deadline, overload"). */
export interface Unread {
  /** Tells whether a caller may be given more. One that has read everything always may. */
  mayHaveMore(of: string | null): 'may' | 'too_much';
  /** Counts an answer of so many characters until the caller has read it. */
  given(of: string | null, response: ServerResponse, characters: number): void;
}

export function createUnread({ ofCaller, all }: UnreadLimits = UNREAD_MOST): Unread {
  const waiting = new Map<string, number>();
  const held = new WeakMap<Socket, Set<() => void>>();
  let total = 0;

  function change(of: string, by: number): void {
    total += by;
    const now = (waiting.get(of) ?? 0) + by;
    if (now === 0) waiting.delete(of);
    else waiting.set(of, now);
  }

  /** The answers of a connection share one listener: hundreds of them may be pipelined. */
  function heldBy(socket: Socket): Set<() => void> {
    const known = held.get(socket);
    if (known !== undefined) return known;
    const made = new Set<() => void>();
    held.set(socket, made);
    socket.once('close', () => made.forEach(release => void release()));
    return made;
  }

  return {
    mayHaveMore(of) {
      const own = of === null ? 0 : (waiting.get(of) ?? 0);
      return own >= ofCaller || (own > 0 && total >= all) ? 'too_much' : 'may';
    },
    given(of, response, characters) {
      const { socket } = response.req;
      if (of === null || characters < SMALL || socket.destroyed) return;
      const releases = heldBy(socket);
      const release = () => {
        if (releases.delete(release)) change(of, -characters);
      };
      change(of, characters);
      releases.add(release);
      // What the operating system has taken over is limited by the system.
      response.once('finish', release);
    },
  };
}
