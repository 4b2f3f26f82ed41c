import type { ServiceImpl } from '@connectrpc/connect';
import type { ReadinessService } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import { firstDaysEndNow } from '../accounts/plan-view.ts';
import { sourceNamed } from '../configuration/no-such.ts';
import { readMeans } from '../configuration/plan-coverage.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { type Preview, preview } from '../domain/preview.ts';
import { carriersOf, type FailingCarrier } from '../domain/reach.ts';
import { createHeldTurns } from '../limits/fair.ts';
import { withAccess } from '../rpc/auth.ts';
import { onDutyView, protoTime } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import type { Seal } from '../store/seal.ts';
import type { Pepper } from '../store/secret.ts';
import type { Store } from '../store/store.ts';
import { findingsOfAccount, findingView, type LookedAt, lookAt, type Surroundings } from './readiness-load.ts';
import { readPoliciesById } from './statements.ts';
import { triggerNow } from './trigger-now.ts';

/** How many sources an answer holds. */
const MOST_SOURCES = 1_000;

/** What the readiness service needs. */
export interface ReadinessOn {
  store: Store;
  /** KEY_PEPPER, under which console tokens are digested. */
  pepper: Pepper;
  channels: {
    unconfigured: readonly ChannelKind[];
    respondFrom: Surroundings['respondFrom'];
    /** Returns the carriers that fail now; `ask`: asks them first. */
    failing(how: 'ask'): Promise<ReadonlyMap<ChannelKind, FailingCarrier>>;
  };
  /** Where links in messages lead; null if there are none. */
  publicUrl(): string | null;
  /** Opens addresses. */
  seal: Seal;
}

/**
 * Would it work, and who would be alerted when: asked before it matters. Reads only (DECISIONS.md "Mode (or panic
 * button) with no policy, or a policy that names nobody", "Bare arm, disarmed"). For console tokens.
 */
export function createReadinessService(deps: ReadinessOn): ServiceImpl<typeof ReadinessService> {
  const { pool, orm } = deps.store;
  const asked = withAccess(deps.store, deps.pepper);
  const carriers = carriersOf(deps.channels);
  const { respondFrom } = deps.channels;
  const { seal } = deps;
  const inTurn = createHeldTurns(1);
  return {
    getReadiness: asked(async ({ sourceId, whenLive }, { accountId }, { signal }) => {
      const id = sourceId === '' ? null : await sourceNamed({ em: orm.em.fork(), accountId }, sourceId);
      const concerned = id === null ? 'all' : ({ by: 'source', id } as const);
      const failing = await deps.channels.failing('ask');
      const judge = whenLive ? 'live' : 'as_they_are';
      const [{ at, sources }, ending, findings] = await inTurn(accountId, async () => {
        signal.throwIfAborted();
        return Promise.all([
          lookAt(pool, {
            accountId,
            concerned,
            carriers,
            publicUrl: deps.publicUrl(),
            respondFrom,
            failing,
            judge,
            seal,
          }),
          firstDaysEndNow(pool, accountId),
          findingsOfAccount(pool, accountId, carriers),
        ]);
      });
      return {
        sources: sources.slice(0, MOST_SOURCES).map(sourceView),
        total: sources.length,
        ready: sources.filter(({ findings }) => findings.every(({ severity }) => severity !== 'blocks')).length,
        at: protoTime(at),
        ...(ending === null ? {} : { firstDaysEnd: ending }),
        findings,
      };
    }),

    preview: asked(async (request, { accountId }) => {
      const failing = await deps.channels.failing('ask');
      const trigger = await triggerNow(deps.store, accountId, request);
      const { verdict, environment, windowS, policyId } = trigger;
      const [{ means, at }, policies] = await Promise.all([
        readMeans(pool, accountId, carriers),
        readPoliciesById(pool, accountId, new Set(policyId === null ? [] : [policyId])),
      ]);
      const policy = policies.get(policyId ?? '') ?? null;
      const told = preview({ policy, at: at.getTime(), windowS, environment }, means);
      return {
        verdict,
        mode: trigger.mode ?? '',
        environment,
        windowS,
        policyName: policy?.name ?? '',
        // For a trigger that the gate holds now, show what happens once the alarm is armed: that is what its owner
        // asks about.
        ...(verdict === 'fires' || verdict === 'held_by_gate' ? previewView(told, failing) : {}),
      };
    }),
  };
}

function previewView({ deliveries, ...rest }: Preview, failing: ReadonlyMap<ChannelKind, FailingCarrier>) {
  const used = new Set(deliveries.map(({ channel, outcome }) => (outcome === 'sent' ? channel : null)));
  return {
    ...rest,
    failing: [...failing].flatMap(([channel, { since, problem }]) =>
      used.has(channel) ? [{ channel, since: protoTime(since), problem: say().faults(problem) }] : [],
    ),
    deliveries: deliveries.map(({ onDuty, ...one }) => ({
      ...one,
      insteadOf: one.insteadOf ?? '',
      ...onDutyView(onDuty),
    })),
  };
}

function sourceView({ source, findings }: LookedAt) {
  const { id, key, name, kind } = source;
  return {
    sourceId: id,
    key,
    name,
    kind,
    verdict: findings[0]?.severity ?? 'ready',
    findings: findings.map(finding => findingView(source, finding)),
  };
}
