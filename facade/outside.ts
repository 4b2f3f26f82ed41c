import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Strangers } from '../services/limits/strangers.ts';
import { type Answer, JSON_HEADERS, send } from './answer.ts';
import { notFoundPage } from './docs.ts';
import type { Rest } from './rest.ts';

export interface Outside {
  /** Answers a request whose URL cannot be decoded. */
  answerBadUrl(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void;
  register(app: FastifyInstance): void;
}

/** Matches a raw URL below /v1, in origin form or absolute form. */
const BELOW_V1 = /^(https?:\/\/[^/]*)?\/+v1([/?#]|$)/i;

/**
 * Answers requests that match no route. A URL that cannot be decoded counts as an unknown path; outside /v1 there is a
 * plain 404, or a page for browsers.
 */
export function createOutside(rest: Rest, strangers: Strangers, log: Logger): Outside {
  const nothingHere = ({ method, raw, headers: { accept = '' } }: FastifyRequest) =>
    (method === 'GET' || method === 'HEAD') && accept.toLowerCase().includes('text/html')
      ? notFoundPage(raw.url ?? '/')
      : NOTHING_HERE;
  return {
    async answerBadUrl(_error, request, reply) {
      if (BELOW_V1.test(request.raw.url ?? '')) await rest.answerUnknownPath(request, reply);
      else send(reply, nothingHere(request));
    },
    register(app) {
      app.setNotFoundHandler(async (request, reply) => {
        await strangers.enter(request.ip);
        return send(reply, nothingHere(request));
      });
      app.setErrorHandler((error: FastifyError, _request, reply) => {
        const status = error.statusCode ?? 500;
        if (status >= 400 && status < 500) return send(reply, plain(status, 'The request cannot be read.'));
        log.error({ err: error }, 'a request outside /v1 failed');
        return send(reply, plain(500, 'Something went wrong on our side.'));
      });
    },
  };
}

const NOTHING_HERE = plain(404, 'There is nothing here. The API is below /v1, its guide below /docs.');

function plain(status: number, message: string): Answer {
  return { status, headers: JSON_HEADERS, body: JSON.stringify({ message }) };
}
