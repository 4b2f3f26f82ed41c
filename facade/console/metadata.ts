import type { FastifyRequest } from 'fastify';
import { sendableAgent } from '../client.ts';

/** An account's id; anything else names none. */
const ACCOUNT = /^[a-z0-9]{32}$/;

/** The first language of an `accept-language` header (RFC 9110 12.5.4). */
const LANGUAGE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}(?=[,; ]|$)/;

/** Returns the language (BCP 47) in which a browser wants to read; empty if it does not say. */
export function languageOf({ headers }: FastifyRequest): string {
  return LANGUAGE.exec(headers['accept-language'] ?? '')?.[0] ?? '';
}

/** What the cookies of a browser say, as far as the call at hand may know. */
export interface FromCookies {
  session: string | null;
  /** For who signs in; null: of no concern. */
  browser: string | null;
}

/**
 * All that goes on with a call of a browser: whose session it is, or for who signs in which browser it is, which account and
 * language are meant, and where it came from.
 */
export function metadataOf(request: FastifyRequest, { session, browser }: FromCookies): [string, string][] {
  const { headers, ip } = request;
  const account = headers['x-tocsin-account'];
  const language = languageOf(request);
  return [
    ['x-tocsin-client', `${ip} ${sendableAgent(headers['user-agent'] ?? '')}`],
    ...(session === null ? [] : [['authorization', `Bearer ${session}`] satisfies [string, string]]),
    ...(browser === null ? [] : [['x-tocsin-browser', browser] satisfies [string, string]]),
    ...(typeof account === 'string' && ACCOUNT.test(account)
      ? [['x-tocsin-account', account] satisfies [string, string]]
      : []),
    ...(language === '' ? [] : [['accept-language', language] satisfies [string, string]]),
  ];
}
