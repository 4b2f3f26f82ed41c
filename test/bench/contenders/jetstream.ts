import { randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
import { connect, StorageType } from 'nats';
import { announce } from '../ready.ts';

/*
 * What one would write by hand where NATS is at hand: Fastify, and per call one message that JetStream has taken before the 202. It
 * knows one key by heart and nothing of alarms. Takes NATS_URL and API_KEY; prints one line of JSON with its URL.
 */
const connection = await connect({ servers: process.env.NATS_URL ?? '' });
const manager = await connection.jetstreamManager();
await manager.streams.add({ name: 'calls', subjects: ['call.>'], storage: StorageType.File });
const stream = connection.jetstream();

const VERBS = ['arm', 'disarm', 'trigger', 'clear'];

const app = fastify();
app.get<{ Params: { alarmId: string; verb: string; modeId?: string } }>(
  '/v1/alarm/:alarmId/:verb/:modeId?',
  async (request, reply) => {
    const { alarmId, verb, modeId } = request.params;
    const traceId = randomUUID();
    reply.header('cache-control', 'no-store');
    if (request.headers['x-api-key'] !== process.env.API_KEY) return reply.code(401).send({ message: 'Unauthorized' });
    if (!VERBS.includes(verb)) return reply.code(404).send({ message: 'Not found' });
    await stream.publish(`call.${alarmId}`, JSON.stringify({ verb, mode: modeId ?? null, traceId, at: Date.now() }));
    const location = { id: 'a'.repeat(32), name: 'Home' };
    return reply
      .code(202)
      .send({ error: false, message: null, links: {}, traceId, data: { environment: 'live', location } });
  },
);
announce(await app.listen({ host: '127.0.0.1', port: 0 }));
