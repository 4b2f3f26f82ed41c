import type { FastifyRequest } from 'fastify';
import { sendableAgent } from '../client.ts';

/** An account's id; anything else names none. */
const ACCOUNT = /^[a-z0-9]{32}$/;

/** All that goes on with a call of a browser: whose session it is, which account is meant, and where it came from. */
export function metadataOf({ headers, ip }: FastifyRequest, session: string | null): [string, string][] {
  const account = headers['x-tocsin-account'];
  return [
    ['x-tocsin-client', `${ip} ${sendableAgent(headers['user-agent'] ?? '')}`],
    ...(session === null ? [] : [['authorization', `Bearer ${session}`] satisfies [string, string]]),
    ...(typeof account === 'string' && ACCOUNT.test(account)
      ? [['x-tocsin-account', account] satisfies [string, string]]
      : []),
  ];
}
