import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { Pool } from 'pg';
import { type Health, HealthCheckResponse_ServingStatus as Serving } from '../gen/grpc/health/v1/health_pb.ts';
import { applyingInTime } from './store/statements/unapplied.ts';

/** How long the database may take to answer a health check, in milliseconds. */
const PATIENCE_MS = 1_000;

/** After how many seconds a call that could be applied has to be. */
const LATE_AFTER_S = 30;

/** How long it is remembered whether calls are applied in time, in milliseconds. */
const REMEMBER_MS = 1_000;

/**
 * The gRPC health protocol: SERVING while the database answers and what was accepted is applied in time. `services` are the
 * full names that may be asked for.
 */
export function createHealthService(pool: Pool, services: readonly string[]): ServiceImpl<typeof Health> {
  const applying = rememberApplying(pool);

  async function look(): Promise<'in_time' | 'late'> {
    const [inTime] = await Promise.all([applying(), pool.query('SELECT 1')]);
    return inTime;
  }

  return {
    async check({ service }) {
      if (service !== '' && !services.includes(service)) {
        throw new ConnectError(`This process does not serve ${service.slice(0, 100)}.`, Code.NotFound);
      }
      return { status: (await soon(look())) === 'in_time' ? Serving.SERVING : Serving.NOT_SERVING };
    },
  };
}

/** Asks at most once a second, however often it is wanted; what could not be asked is asked again. */
function rememberApplying(pool: Pool): () => Promise<'in_time' | 'late'> {
  let asked: { at: number; answer: Promise<'in_time' | 'late'> } | null = null;
  return () => {
    if (asked !== null && performance.now() - asked.at < REMEMBER_MS) return asked.answer;
    const answer = applyingInTime(pool, LATE_AFTER_S);
    asked = { at: performance.now(), answer };
    answer.catch(() => {
      asked = null;
    });
    return answer;
  };
}

/** What is asked, unless the database fails or takes too long. */
async function soon<Answer>(answer: Promise<Answer>): Promise<Answer | 'no_answer'> {
  const late = new Promise<'no_answer'>(resolve => setTimeout(resolve, PATIENCE_MS, 'no_answer').unref());
  return Promise.race([answer.catch(() => 'no_answer' as const), late]);
}
