import { readFile } from 'node:fs/promises';
import { fastify } from 'fastify';
import { announce } from '../ready.ts';

/*
 * What Fastify can do at most with an answer of this size: one that was made before. Takes the file BODY; prints one line of JSON
 * with its URL.
 */
const body = await readFile(process.env.BODY ?? '', 'utf8');
const app = fastify();
app.get('/v1/*', (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(body));
announce(await app.listen({ host: '127.0.0.1', port: 0 }));
