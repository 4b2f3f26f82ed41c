import type { FastifyInstance } from 'fastify';
import { createHealthPages, type HealthPages, type MetricsPlace } from '../services/process/health-pages.ts';
import { send } from './answer.ts';
import type { Services } from './client.ts';

/**
 * Serves operators: GET /livez (the process answers), GET /readyz (503 unless the services can take calls, and while the facade
 * closes) and GET /metrics (Prometheus; not here if it has a port of its own). Returns the pages for that port.
 */
export function registerHealth(
  app: FastifyInstance,
  { services, metrics }: { services: Services; metrics: MetricsPlace },
): HealthPages {
  const pages = createHealthPages(async () => (await services.health()) === 'serving');
  app.addHook('preClose', async () => pages.close());
  app.get('/livez', { exposeHeadRoute: true }, async (_request, reply) => send(reply, await pages.at('/livez')!));
  app.get('/readyz', { exposeHeadRoute: true }, async (_request, reply) => send(reply, await pages.at('/readyz')!));
  if (metrics === 'here') {
    app.get('/metrics', { exposeHeadRoute: true }, async (_request, reply) => send(reply, await pages.at('/metrics')!));
  }
  return pages;
}
