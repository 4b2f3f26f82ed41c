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
  for (const path of ['/livez', '/readyz', ...(metrics === 'here' ? ['/metrics'] : [])]) {
    app.get(path, { exposeHeadRoute: true }, async ({ raw: { url = '' } }, reply) => {
      // The router takes other spellings for it too, such as /metrics/ and //metrics, which a proxy does not keep to itself.
      const page = pages.at(url.split('?', 1)[0]!);
      return page === null ? reply.callNotFound() : send(reply, await page);
    });
  }
  return pages;
}
