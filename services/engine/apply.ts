import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { Action } from '../domain/action.ts';
import { shownState } from '../domain/arming.ts';
import { type Decision, decide } from '../domain/decide.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { autoCloseAt, type FollowUp, type SourceState } from '../domain/incident.ts';
import type { ModeId } from '../domain/mode.ts';
import { planFacts } from '../domain/plan.ts';
import {
  type LockedSource,
  lockDue,
  lockOne,
  nextTimerInMs,
  readActions,
  readSources,
  type SourceRow,
} from '../store/apply-statements.ts';
import { newId } from '../store/id.ts';
import { type FoundPolicy, readPolicies, type WantedPolicy } from '../store/policy-statement.ts';
import { inTransaction } from '../store/statement.ts';
import { noWrites, writeAll, writeDeliveries } from '../store/write-statements.ts';
import { planFollowUps } from './follow-ups.ts';
import { actionOf, stateOf } from './load.ts';
import type { LookAgain } from './loop.ts';
import { addWrites } from './writes.ts';

/** How many waiting actions, window ends and auto-closes one transaction looks at. */
const BATCH = 1_000;

/** From how many sources on a batch is large: then it is load, and the next one is worth waiting for. */
const MANY = 16;

/** How many actions of one source one transaction applies. */
const PER_SOURCE = 500;

/** A source of which state answers something else than before. */
export interface StateChange {
  accountId: string;
  sourceId: string;
}

/** What a transaction changed that others wait for. */
export interface Applied {
  changed: StateChange[];
  /** The channels that have new messages to send, now or later. */
  channels: Set<ChannelKind>;
  /** Whether owners have to be told something. */
  notices: 'some' | 'none';
  /** Whether a source has more waiting actions than were read. */
  left: 'some' | 'none';
}

export interface Apply {
  /** Applies what waits or is due, one transaction's worth, and says when to look again. */
  applyDue(): Promise<LookAgain>;
  /** Applies what waits for one source, however long another worker holds it. */
  settle(accountId: string, sourceId: string): Promise<void>;
}

/**
 * Applies accepted actions and due timers: lock, load, decide (services/domain), write, commit, and only then tell what
 * changed (`onApplied`). Whatever dies in between is rolled back and done again from the same rows.
 */
export function createApply(engine: { pool: Pool; log: Logger; onApplied(applied: Applied): void }): Apply {
  async function applyBatch(lock: (client: PoolClient) => Promise<LockedSource[]>) {
    let applied: Applied = { changed: [], channels: new Set(), notices: 'none', left: 'none' };
    const locked = await inTransaction(engine.pool, async client => {
      const sources = await lock(client);
      if (sources.length > 0) applied = await applyLocked(client, sources);
      return sources;
    });
    if (locked.length > 0) engine.onApplied(applied);
    return { locked: locked.length, left: applied.left };
  }

  /** One source that cannot be applied must not hold up the others: each goes alone, and the bad one is named. */
  async function applyOneByOne(sources: readonly LockedSource[]): Promise<void> {
    for (const source of sources) {
      try {
        await applyBatch(client => lockOne(client, source));
      } catch (error) {
        engine.log.error(
          { err: error, ...source },
          'the actions of a source could not be applied; they stay in its queue',
        );
      }
    }
  }

  return {
    async applyDue() {
      let tried: LockedSource[] = [];
      try {
        const { locked, left } = await applyBatch(async client => {
          tried = await lockDue(client, BATCH);
          return tried;
        });
        if (locked >= MANY) return 'after_rest';
        if (left === 'some') return 'now';
      } catch (error) {
        if (tried.length === 0) throw error;
        engine.log.warn(
          { err: error, sources: tried.length },
          'a batch could not be applied; its sources go one by one',
        );
        await applyOneByOne(tried);
      }
      return { inMs: (await nextTimerInMs(engine.pool)) ?? Number.POSITIVE_INFINITY };
    },
    async settle(accountId, sourceId) {
      await applyBatch(client => lockOne(client, { account_id: accountId, source_id: sourceId }));
    },
  };
}

async function applyLocked(client: PoolClient, locked: readonly LockedSource[]): Promise<Applied> {
  const rows = await readSources(client, locked);
  const actions = Map.groupBy(await readActions(client, locked, PER_SOURCE), row => row.source_id);
  const loaded = rows.map(row => ({
    row,
    state: stateOf(row),
    actions: (actions.get(row.source_id) ?? []).map(actionOf),
  }));
  const policies = await loadPolicies(client, loaded);
  const writes = noWrites();
  const changed: StateChange[] = [];
  const followUps: { accountId: string; followUp: FollowUp }[] = [];
  for (const { row, state, actions } of loaded) {
    const policyOf = (mode: ModeId | null) => policies.get(policyKey(row.source_id, mode));
    const decision = decideFor(row, state, actions, policyOf);
    addWrites(writes, row, decision, policyOf);
    for (const followUp of decision.followUps) followUps.push({ accountId: row.account_id, followUp });
    if (shown(state) !== shown(decision.state)) changed.push({ accountId: row.account_id, sourceId: row.source_id });
  }
  await writeAll(client, writes);
  const told = await planFollowUps(client, followUps);
  await writeDeliveries(client, told);
  const scheduled = [...writes.deliveries, ...told].filter(delivery => delivery.status === 'scheduled');
  return {
    changed,
    channels: new Set(scheduled.map(delivery => delivery.channel)),
    notices: writes.notices.length > 0 ? 'some' : 'none',
    left: [...actions.values()].some(waiting => waiting.length === PER_SOURCE) ? 'some' : 'none',
  };
}

function decideFor(
  row: SourceRow,
  state: SourceState,
  actions: readonly Action[],
  policyOf: (mode: ModeId | null) => FoundPolicy | undefined,
): Decision {
  const facts = {
    kind: row.kind,
    disabled: row.disabled,
    clearOnDisarm: row.clear_on_disarm,
    stillHappeningS: row.still_happening_s,
    account: planFacts(row.plan, row.account_created_at.getTime()),
    policyFor: (mode: ModeId | null) => policyOf(mode)?.policy ?? null,
    newId,
  };
  // More may wait than was read: then no timer may run past the last action that was.
  const upTo = actions.length < PER_SOURCE ? row.now.getTime() : actions.at(-1)!.acceptedAt;
  return decide(facts, state, actions, upTo);
}

/** Reads the policies of all modes in which an incident may open. Most batches only fold, and then read none. */
async function loadPolicies(
  client: PoolClient,
  loaded: readonly { row: SourceRow; state: SourceState; actions: readonly Action[] }[],
): Promise<Map<string, FoundPolicy>> {
  const wanted = new Map<string, WantedPolicy>();
  for (const { row, state, actions } of loaded) {
    const modes = actions.filter(action => action.verb === 'trigger').map(action => action.mode);
    if (state.pending !== null) modes.push(state.pending.mode);
    if (staysOpen(row, state, actions)) continue;
    for (const mode of modes) {
      wanted.set(policyKey(row.source_id, mode), { account_id: row.account_id, source_id: row.source_id, mode });
    }
  }
  if (wanted.size === 0) return new Map();
  const found = await readPolicies(client, [...wanted.values()]);
  return new Map(found.map(policy => [policyKey(policy.source_id, policy.mode), policy]));
}

/** A live incident is open and nothing here can close it: every trigger folds, so that no policy need be read. */
function staysOpen(row: SourceRow, { incident }: SourceState, actions: readonly Action[]): boolean {
  if (incident?.environment !== 'live' || autoCloseAt(incident) <= row.now.getTime()) return false;
  const disarmCloses = row.clear_on_disarm || incident.windowEndedAt !== null;
  return actions.every(({ verb }) => verb === 'trigger' || verb === 'arm' || (verb === 'disarm' && !disarmCloses));
}

function policyKey(sourceId: string, mode: ModeId | null): string {
  return `${sourceId}/${mode ?? ''}`;
}

function shown(state: SourceState): string {
  return shownState(state.armedMode, state.incident !== null);
}
