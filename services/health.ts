import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { Pool } from 'pg';
import { type Health, HealthCheckResponse_ServingStatus as Serving } from '../gen/grpc/health/v1/health_pb.ts';

/** How long the database may take to answer a health check, in milliseconds. */
const PATIENCE_MS = 1_000;

/** The gRPC health protocol: SERVING while the database answers. `services` are the full names that may be asked for. */
export function createHealthService(pool: Pool, services: readonly string[]): ServiceImpl<typeof Health> {
  return {
    async check({ service }) {
      if (service !== '' && !services.includes(service)) {
        throw new ConnectError(`This process does not serve ${service.slice(0, 100)}.`, Code.NotFound);
      }
      return { status: (await answers(pool)) ? Serving.SERVING : Serving.NOT_SERVING };
    },
  };
}

async function answers(pool: Pool): Promise<boolean> {
  const late = new Promise<false>(resolve => setTimeout(resolve, PATIENCE_MS, false).unref());
  const asked = pool.query('SELECT 1').then(
    () => true,
    () => false,
  );
  return Promise.race([asked, late]);
}
