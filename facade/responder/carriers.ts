import { Code, ConnectError } from '@connectrpc/connect';
import type { FastifyRequest } from 'fastify';
import type { ReceiveFromCarrierResponse } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import { type Answer, JSON_HEADERS } from '../answer.ts';

/** The headers of signatures, whichever carrier's; no others are passed on. */
const SIGNATURE =
  /^(webhook-(id|timestamp|signature)|x-[a-z0-9-]{1,40}-signature|telnyx-(timestamp|signature-ed25519))$/;

/** Returns a carrier's request for the services. The path is passed as received, because the signature covers it. */
export function carrierRequest(request: FastifyRequest) {
  const { carrier = '', topic = '', '*': reference = '' } = request.params as Record<string, string>;
  const headers = Object.entries(request.headers).filter(
    (header): header is [string, string] => SIGNATURE.test(header[0]) && typeof header[1] === 'string',
  );
  const body = typeof request.body === 'string' ? request.body : '';
  return { carrier, topic, reference, path: request.raw.url ?? '', headers: Object.fromEntries(headers), body };
}

/** Returns the answer that the services made for the carrier. */
export function carrierAnswer({ status, contentType, body }: ReceiveFromCarrierResponse): Answer {
  const type = contentType === '' ? {} : { 'content-type': contentType };
  return { status, headers: { ...JSON_HEADERS, ...type }, body };
}

/** A refusal reveals nothing that would help a forger: what is wrong is in the log of the services. */
export function carrierFault(fault: unknown): Answer {
  const { code } = ConnectError.from(fault);
  const status = STATUS[code] ?? 503;
  return status === 503
    ? refusalAnswer(503, 'Send it again.', { 'retry-after': '5' })
    : refusalAnswer(status, WORDS[status]);
}

const STATUS: Partial<Record<Code, 400 | 403 | 404 | 500>> = {
  [Code.InvalidArgument]: 400,
  [Code.PermissionDenied]: 403,
  [Code.NotFound]: 404,
  [Code.Internal]: 500,
  [Code.Unknown]: 500,
  [Code.Unimplemented]: 500,
};

const WORDS = {
  400: 'The request cannot be read.',
  403: 'The signature is missing or wrong.',
  404: 'There is nothing here.',
  500: 'Something went wrong on our side.',
} as const;

function refusalAnswer(status: number, message: string, headers: Record<string, string> = {}): Answer {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify({ message }) };
}
