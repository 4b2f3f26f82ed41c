import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { Pool } from 'pg';
import { type Health, HealthCheckResponse_ServingStatus as Serving } from '../../gen/grpc/health/v1/health_pb.ts';
import type { Commits } from '../engine/accept/commits.ts';
import { applyingInTime } from '../store/statements/unapplied.ts';
import { endOfStream, pause } from './stream.ts';

/** How long the database may take to answer a health check, in milliseconds. */
const PATIENCE_MS = 1_000;

/** Within how many seconds an accepted call must be applied. */
const LATE_AFTER_S = 30;

/** How long a status is cached, in milliseconds. */
const REMEMBER_MS = 1_000;

/**
/**
 * Creates the gRPC health service: SERVING while calls can be committed (DECISIONS.md "Ready"), accepted ones are applied
 * in time and the deployment's clock is kept. `services` are the full names that may be asked for.
 */
export function createHealthService(
  { pool, commits, clock }: { pool: Pool; commits: Commits; clock: { state(): 'kept' | 'lost' } },
  services: readonly string[],
): ServiceImpl<typeof Health> {
  const look = remember(async () => {
    const writable = await readWritable(pool);
    if (writable !== 'writable') return writable;
    const committing = await commits.look();
    return committing === 'committing' ? await applyingInTime(pool, LATE_AFTER_S) : committing;
  });

  async function statusOf(service: string): Promise<Serving> {
    if (service !== '' && !services.includes(service)) return Serving.SERVICE_UNKNOWN;
    // Where nobody keeps the time, nothing is ever due.
    if (clock.state() === 'lost') return Serving.NOT_SERVING;
    return (await soon(look())) === 'in_time' ? Serving.SERVING : Serving.NOT_SERVING;
  }

  return {
    async check({ service }) {
      const status = await statusOf(service);
      if (status !== Serving.SERVICE_UNKNOWN) return { status };
      throw new ConnectError(`This process does not serve ${service.slice(0, 100)}.`, Code.NotFound);
    },
    async *watch({ service }, { signal }) {
      let told: Serving | null = null;
      while (!signal.aborted) {
        const status = await statusOf(service);
        if (status !== told) yield { status };
        told = status;
        await pause(REMEMBER_MS, signal);
      }
      endOfStream(signal);
    },
  };
}

/** Caches an answer, or a failure, for REMEMBER_MS: a database in trouble is asked no more often than one that is well. */
function remember<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: { at: number; answer: Promise<Answer> } | null = null;
  return () => {
    if (asked !== null && performance.now() - asked.at < REMEMBER_MS) return asked.answer;
    const answer = ask();
    asked = { at: performance.now(), answer };
    answer.catch(() => {});
    return answer;
  };
}

/** Tells whether writes work. A standby, a read-only server or one without our rights answers too, but takes no call. */
async function readWritable(pool: Pool): Promise<'writable' | 'read_only'> {
  const { rows } = await pool.query<{ state: 'writable' | 'read_only' }>(
    `SELECT CASE WHEN current_setting('transaction_read_only') = 'off' AND has_table_privilege('journal', 'INSERT')
       THEN 'writable' ELSE 'read_only' END AS state`,
  );
  return rows[0]!.state;
}

/** Resolves to `no_answer` if the database fails or takes too long. */
async function soon<Answer>(answer: Promise<Answer>): Promise<Answer | 'no_answer'> {
  const late = new Promise<'no_answer'>(resolve => setTimeout(resolve, PATIENCE_MS, 'no_answer').unref());
  return Promise.race([answer.catch(() => 'no_answer' as const), late]);
}
