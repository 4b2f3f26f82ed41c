import { fastify } from 'fastify';
import { announce } from '../ready.ts';

/*
 * What Fastify can do at most: a 202 with an answer of the usual size and nothing behind it. Prints one line of JSON
 * with its URL.
 */
const app = fastify();
app.get('/v1/*', (_request, reply) => {
  reply.code(202).header('cache-control', 'no-store');
  return {
    error: false,
    message: null,
    links: {},
    traceId: '00000000-0000-4000-8000-000000000000',
    data: { environment: 'live', location: { id: 'a'.repeat(32), name: 'Home' } },
  };
});
announce(await app.listen({ host: '127.0.0.1', port: 0 }));
