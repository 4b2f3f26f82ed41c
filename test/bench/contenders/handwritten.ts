import { createHmac, randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
import pg from 'pg';
import { announce } from '../ready.ts';

/*
 * What one would write by hand: Fastify, pg, and per call one prepared statement that checks the key (by its digest),
 * its scope and whether the alarm is enabled, and stores the call. Committed before the 202, as durably as the product
 * does it. Tables: handwritten-schema.ts. Takes DATABASE_URL and KEY_PEPPER; prints one line of JSON with its URL.
 */
interface Judged {
  key_id: string | null;
  source_id: string | null;
  environment: string;
  location_id: string;
  location_name: string;
}

const text = `
  WITH judged AS (
    SELECT k.account_id, k.id AS key_id, s.id AS source_id,
      CASE WHEN s.test OR l.test THEN 'test' ELSE 'live' END AS environment, l.id AS location_id, l.name AS location_name
    FROM (SELECT) call
    LEFT JOIN api_key k ON k.digest = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
    LEFT JOIN source s ON s.account_id = k.account_id AND s.id = $2 AND (k.alarm_id IS NULL OR k.alarm_id = s.id)
      AND NOT s.disabled
    LEFT JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
  ), stored AS (
    INSERT INTO action (account_id, source_id, verb, mode, environment, trace_id, key_id)
    SELECT account_id, source_id, $3, $4, environment, $5, key_id FROM judged WHERE source_id IS NOT NULL
  )
  SELECT key_id, source_id, environment, location_id, location_name FROM judged`;

const VERBS = ['arm', 'disarm', 'trigger', 'clear'];
const MODES = ['home', 'away', 'night', 'vacation', undefined];
const pepper = process.env.KEY_PEPPER ?? '';
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 });

const app = fastify();
app.get<{ Params: { alarmId: string; verb: string; modeId?: string } }>(
  '/v1/alarm/:alarmId/:verb/:modeId?',
  async (request, reply) => {
    const { alarmId, verb, modeId } = request.params;
    const key = request.headers['x-api-key'];
    const traceId = randomUUID();
    reply.header('cache-control', 'no-store');
    if (typeof key !== 'string') return reply.code(401).send({ message: 'Unauthorized' });
    if (!VERBS.includes(verb) || !MODES.includes(modeId)) return reply.code(404).send(envelope(traceId, null));

    const digest = createHmac('sha256', pepper).update(key).digest();
    const values = [digest, alarmId, verb, modeId ?? null, traceId];
    const { rows } = await pool.query<Judged>({ name: 'accept', text, values });
    const judged = rows[0];
    if (!judged?.key_id) return reply.code(401).send({ message: 'Unauthorized' });
    return reply.code(judged.source_id === null ? 404 : 202).send(envelope(traceId, judged));
  },
);

function envelope(traceId: string, judged: Judged | null) {
  if (!judged?.source_id) return { error: true, message: 'ID not found', links: {}, traceId, data: {} };
  const { environment, location_id: id, location_name: name } = judged;
  return { error: false, message: null, links: {}, traceId, data: { environment, location: { id, name } } };
}

announce(await app.listen({ host: '127.0.0.1', port: 0 }));
