import type { ServiceImpl } from '@connectrpc/connect';
import type { DeploymentService } from '../../gen/tocsin/console/v1/deployment_pb.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { accessOf } from '../auth.ts';
import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import type { Plan } from '../domain/plan.ts';
import { run, type Statement } from '../store/statement.ts';
import { oldestUnappliedS } from '../store/statements/unapplied.ts';
import type { SnapshotHolder } from '../store/statements/vitals.ts';
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

/** A deployment as it is set up, and as it runs. */
export interface Deployment extends DeploymentSettings {
  /** The channels that have no carrier. */
  unconfigured: readonly ChannelKind[];
  /** What has kept Postgres from cleaning up for longest; null: nothing does. */
  oldestSnapshot(): (SnapshotHolder & { heldS: number }) | null;
}

const waitingStatement: Statement<{ waiting: number; overdue_s: number }> = {
  name: 'deployment_waiting',
  text: `
SELECT (SELECT count(*)::int FROM queued_action)
    + (SELECT coalesce(sum(json_array_length(u -> 3)), 0)::int FROM waiting_group g, json_array_elements(g.calls) u) AS waiting,
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
        const databaseMs = performance.now() - began;
        const snapshot = deployment.oldestSnapshot();
        return {
          version: packageFile.version,
          publicUrl: deployment.publicUrl() ?? '',
          channels: CHANNELS.map(channel => ({
            channel,
            state: deployment.unconfigured.includes(channel) ? 'outbox' : 'carrier',
          })),
          token,
          accountId: accountId ?? '',
          databaseMs,
          waitingCalls: row!.waiting,
          unappliedS: Math.floor(await oldestUnappliedS(on.pool)),
          snapshotS: Math.floor(snapshot?.heldS ?? 0),
          snapshotKind: snapshot?.kind ?? '',
          // Whose database it is may know what else runs there.
          snapshotName: token === 'operator' ? (snapshot?.name ?? '') : '',
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
