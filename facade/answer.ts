import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** A complete answer to a call: everything that is sent. */
export interface Answer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Text; one that is long and given to many is in UTF-8 already. */
  body: string | Buffer;
}

/** The headers of every JSON answer. By default nothing may be cached (DECISIONS.md "Caching"). */
export const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export function send(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}

/** Returns the hash of an inline style or script for a Content-Security-Policy. */
export function policyHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
