import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Client, Code, ConnectError } from '@connectrpc/connect';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ResponderService } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import { createUnderWay } from '../../services/limits/under-way.ts';
import { networkOf } from '../../services/process/network.ts';
import { type Answer, send } from '../answer.ts';
import { faultAnswer, TRY_AGAIN } from './answers.ts';
import { mainHtml } from './html.ts';
import { pagesFollowed } from './metrics.ts';

/** How many pages this process keeps up to date, and how many for one address; others reload by themselves. */
export interface FollowLimits {
  pages: number;
  pagesPerAddress: number;
}

export const FOLLOW_LIMITS: FollowLimits = { pages: 500, pagesPerAddress: 20 };

/** Between two signs of life on a quiet stream, in milliseconds: proxies give up after 30 s and more. */
const SIGN_OF_LIFE_MS = 15_000;

/** How long a browser waits before it reconnects after the stream ended, in milliseconds. */
const ASK_AGAIN_MS = 2_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'x-content-type-options': 'nosniff',
  'x-accel-buffering': 'no',
  // A connection whose reader has left cannot be reused.
  connection: 'close',
};

/**
 * Keeps pages up to date with server-sent events: each event `page` carries the changed part as HTML. A stream ends
 * with the RPC behind it, with its reader and with the facade.
 */
export function createPageEvents(
  app: FastifyInstance,
  client: Client<typeof ResponderService>,
  limits: FollowLimits,
): (reply: FastifyReply, token: string, who: { address: string; begun(): void }) => Promise<FastifyReply> {
  const followed = createUnderWay();
  const streams = new Set<AbortController>();
  let phase: 'open' | 'closing' = 'open';
  app.addHook('preClose', async () => {
    phase = 'closing';
    for (const stream of streams) stream.abort();
  });

  return async (reply, token, { address, begun }) => {
    const most = { all: limits.pages, [`from ${networkOf(address)}`]: limits.pagesPerAddress };
    using place = phase === 'closing' ? null : followed.enter(most);
    if (place === null) return send(reply, TRY_AGAIN.json);
    const stream = new AbortController();
    streams.add(stream);
    pagesFollowed.inc();
    const leave = () => stream.abort();
    reply.raw.once('close', leave);
    // The facade answers devices that close their sending side early (http.ts); a browser that does is gone.
    const { socket } = reply.request.raw;
    socket.once('end', leave);
    try {
      const refusal = await tell(reply, token, client, { signal: stream.signal, onBegin: begun });
      return refusal === null ? reply : send(reply, refusal);
    } finally {
      socket.off('end', leave);
      streams.delete(stream);
      pagesFollowed.dec();
    }
  };
}

/** Returns null once the stream has begun; a refusal before that is an answer like any other. */
async function tell(
  reply: FastifyReply,
  token: string,
  client: Client<typeof ResponderService>,
  { signal, onBegin }: { signal: AbortSignal; onBegin(): void },
): Promise<Answer | null> {
  const { raw } = reply;
  let begun: NodeJS.Timeout | null = null;
  try {
    for await (const { page } of client.watchPage({ token }, { signal })) {
      if (begun === null) {
        begun = begin(reply);
        onBegin();
      }
      if (page !== undefined)
        await write(raw, `event: page\ndata: ${JSON.stringify(mainHtml(page, token))}\n\n`, signal);
    }
    return begun === null ? TRY_AGAIN.json : null;
  } catch (fault) {
    return begun === null ? faultAnswer(fault, 'json') : null;
  } finally {
    if (begun !== null) {
      clearInterval(begun);
      raw.end();
    }
  }
}

function begin(reply: FastifyReply): NodeJS.Timeout {
  reply.hijack();
  reply.raw.writeHead(200, HEADERS);
  reply.raw.write(`retry: ${ASK_AGAIN_MS}\n\n`);
  return setInterval(() => reply.raw.write(':\n\n'), SIGN_OF_LIFE_MS);
}

/** The next page waits until a slow reader has received this one. */
async function write(raw: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw new ConnectError('The reader has gone.', Code.Canceled);
  if (!raw.write(text)) await once(raw, 'drain', { signal });
}
