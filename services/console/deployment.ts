import type { ServiceImpl } from '@connectrpc/connect';
import type { DeploymentService } from '../../gen/tocsin/console/v1/deployment_pb.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { accessOf } from '../auth.ts';
import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import type { Plan } from '../domain/plan.ts';
import { run, type Statement } from '../store/statement.ts';
import { unavailable } from '../unavailable.ts';
import type { ConsoleOn } from './console.ts';

/** What a deployment is set to, as far as owners and operators ask. */
export interface DeploymentSettings {
  /** PLAN_DEFAULT: the plan of accounts that name none. */
  planDefault: Plan;
  /** CONTACT_VERIFICATION: whether an address is alerted only after its code came back, or as soon as it is stored. */
  contactVerification: 'required' | 'trusted';
  /** Under what the webhooks of an account are signed. */
  webhookSecret(accountId: string): string;
  /** Where people reach the facade, without trailing slash: PUBLIC_URL, or where it listens; null: not known here. */
  publicUrl(): string | null;
  bus: 'local' | 'nats';
}

/** The settings, and the channels that have no carrier. */
type Deployment = DeploymentSettings & { unconfigured: readonly ChannelKind[] };

const waitingStatement: Statement<{ waiting: number; overdue_s: number }> = {
  name: 'deployment_waiting',
  text: `
SELECT (SELECT count(*)::int FROM action) AS waiting,
  coalesce((SELECT greatest(0, extract(epoch FROM (SELECT tocsin_now()) - min(due_at)))::int
    FROM delivery WHERE status = 'scheduled'), 0) AS overdue_s`,
};

/** What this deployment can do, for `tocsin doctor` and for forms. Any console token opens it. */
export function createDeploymentService(on: ConsoleOn, deployment: Deployment): ServiceImpl<typeof DeploymentService> {
  return {
    async getDeployment(_request, context) {
      try {
        const { token, accountId } = await accessOf(on.store, on.pepper, context);
        const began = performance.now();
        const [row] = await run(on.pool, waitingStatement, []);
        return {
          version: packageFile.version,
          publicUrl: deployment.publicUrl() ?? '',
          channels: CHANNELS.map(channel => ({
            channel,
            state: deployment.unconfigured.includes(channel) ? 'outbox' : 'carrier',
          })),
          token,
          accountId: accountId ?? '',
          databaseMs: performance.now() - began,
          waitingCalls: row!.waiting,
          overdueS: row!.overdue_s,
          bus: busState(deployment.bus, on.bus.connected),
        };
      } catch (error) {
        return unavailable(error);
      }
    },
  };
}

function busState(bus: Deployment['bus'], connected: boolean): string {
  if (bus === 'local') return 'local';
  return connected ? 'connected' : 'disconnected';
}
