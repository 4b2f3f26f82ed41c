import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { JSON_HEADERS, send } from './answer.ts';

const GEN = join(import.meta.dirname, '..', 'gen');

/** Where the OpenAPI document of /v1 is. */
export const OPENAPI = '/docs/openapi.json';

/** Where the descriptors of all services are: a google.protobuf.FileDescriptorSet with the comments of the protos. */
export const DESCRIPTORS = '/docs/tocsin.binpb';

/** The OpenAPI document of /v1 as text, as `npm run generate` made it. */
export const OPENAPI_TEXT = readFileSync(join(GEN, 'openapi.json'), 'utf8');

/** Serves the machine-readable counterparts of the pages: the OpenAPI document, and the descriptors of the RPC port. */
export function registerContracts(app: FastifyInstance): void {
  app.get(OPENAPI, { exposeHeadRoute: true }, (_request, reply) => {
    return send(reply, { status: 200, headers: JSON_HEADERS, body: OPENAPI_TEXT });
  });
  const descriptors = readFileSync(join(GEN, 'tocsin.binpb'));
  app.get(DESCRIPTORS, { exposeHeadRoute: true }, (_request, reply) => {
    const headers = { ...JSON_HEADERS, 'content-type': 'application/octet-stream' };
    return reply.headers(headers).send(descriptors);
  });
}
