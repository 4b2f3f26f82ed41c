import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { ReadinessService } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import { createReadinessService } from '../../services/console/readiness.ts';
import { implementation } from '../../services/direct.ts';
import { serveRpc } from '../../services/rpc.ts';
import { PEPPER, type World } from '../support/world.ts';

/** The readiness service on a world's store, on a port of its own, with these carriers. */
export async function rigged(world: World, carriers: string[] = ['email']) {
  const unconfigured = (['text', 'call', 'email', 'push', 'webhook'] as const).filter(k => !carriers.includes(k));
  const rpc = await serveRpc({
    host: '127.0.0.1',
    port: 0,
    log: pino({ level: 'silent' }),
    implementations: [
      implementation(
        ReadinessService,
        createReadinessService({ store: world.store, pepper: PEPPER, channels: { unconfigured } }),
      ),
    ],
  });
  onTestFinished(() => rpc.close());
  return { rpcUrl: rpc.url };
}
