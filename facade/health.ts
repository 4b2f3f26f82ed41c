import type { FastifyInstance } from 'fastify';
import { register as registry } from 'prom-client';
import { JSON_HEADERS, send } from './answer.ts';
import type { Services } from './client.ts';

type Readiness = 'ready' | 'closing' | 'services_not_ready';

/**
 * Serves operators: GET /livez (the process answers), GET /readyz (503 unless the services can take calls, and while the facade
 * closes) and GET /metrics (Prometheus).
 */
export function registerHealth(app: FastifyInstance, services: Services): void {
  let phase: 'open' | 'closing' = 'open';
  app.addHook('preClose', async () => {
    phase = 'closing';
  });

  // Concurrent requests share the answer, so that nobody can load the services through here.
  let asked: Promise<Readiness> | undefined;
  async function ask(): Promise<Readiness> {
    try {
      return (await services.health()) === 'serving' ? 'ready' : 'services_not_ready';
    } catch {
      return 'services_not_ready';
    } finally {
      asked = undefined;
    }
  }
  async function readiness(): Promise<Readiness> {
    if (phase === 'closing') return 'closing';
    asked ??= ask();
    return asked;
  }

  app.get('/livez', { exposeHeadRoute: true }, (_request, reply) => send(reply, status(200, 'alive')));
  app.get('/readyz', { exposeHeadRoute: true }, async (_request, reply) => {
    const state = await readiness();
    return send(reply, status(state === 'ready' ? 200 : 503, state));
  });
  app.get('/metrics', async (_request, reply) => {
    const headers = { ...JSON_HEADERS, 'content-type': registry.contentType };
    return send(reply, { status: 200, headers, body: await registry.metrics() });
  });
}

const status = (code: 200 | 503, word: string) => ({
  status: code,
  headers: JSON_HEADERS,
  body: JSON.stringify({ status: word }),
});
