import type { FastifyReply } from 'fastify';

/** A whole answer to a call: what is sent is here, and only here. */
export interface Answer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Of every answer that is JSON. Nothing may be kept (DECISIONS.md "Caching") unless an answer says otherwise. */
export const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export function send(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}
