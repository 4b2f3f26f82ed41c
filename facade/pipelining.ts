import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How many requests may wait on one connection behind one that is not answered yet: no device sends any, a few clients some. */
const WAITING_MOST = 32;

/**
 * Ends a connection on which too many requests come before their answers are taken (DECISIONS.md "Could not commit, deadline,
 * overload"). Node reads all that comes in one piece, thousands of requests, before it stops reading, and keeps every answer
 * until somebody takes those before it. What was asked for before is done.
 */
export function boundPipelining(app: FastifyInstance): void {
  const waiting = new WeakMap<Socket, number>();
  app.addHook('onRequest', (request, reply, done) => {
    // One that is next to be answered has the connection already.
    if (reply.raw.socket !== null) return done();
    const { socket } = request.raw;
    const before = waiting.get(socket) ?? 0;
    if (before >= WAITING_MOST) {
      reply.hijack();
      readNoMore(socket);
      socket.destroy();
      return;
    }
    waiting.set(socket, before + 1);
    reply.raw.once('finish', () => waiting.set(socket, waiting.get(socket)! - 1));
    done();
  });
}

/**
 * Lets Node's parser stop within the piece that it is reading, as it does where a connection turns into something else. Node has
 * no door for that, and without it each of thousands of requests would be made, and then ended with an error of its own. Where a
 * version of Node has no such parser, the connection ends all the same.
 */
function readNoMore(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming?: unknown } | null };
  if (parser?.onIncoming !== undefined) parser.onIncoming = () => 2;
}
