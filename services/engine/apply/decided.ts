import type { Pool } from 'pg';
import { type Decision, decide, mayOpen, type SourceFacts } from '../../domain/decide.ts';
import type { ChannelKind } from '../../domain/delivery.ts';
import { DELIVERIES_MOST } from '../../domain/escalation.ts';
import { autoCloseAt, foldsInto, type Incident } from '../../domain/incident.ts';
import type { ModeId } from '../../domain/mode.ts';
import { meansOf } from '../../domain/reach.ts';
import type { AskedFacts } from '../../domain/source-facts.ts';
import { KEEP_ALL, type Kept } from '../../limits/kept.ts';
import { MESSAGES_LEAST } from '../../limits/table.ts';
import { aheadByMs } from '../../process/wall-clock.ts';
import { newId } from '../../store/id.ts';
import type { Connection } from '../../store/statement.ts';
import { type Folds, readSources, type SourceRow } from '../../store/statements/apply.ts';
import { actionsOf, type WaitingAction } from '../../store/statements/journal.ts';
import { type FoundPolicy, readPolicies, type WantedPolicy } from '../../store/statements/policy.ts';
import { readQueued } from '../../store/statements/queue.ts';
import { readWaitingGroups } from '../../store/statements/waiting-calls.ts';
import { QUEUED_MOST } from './ready.ts';

/** A source with what is to be applied to it. */
export interface Work {
  row: SourceRow;
  /** In this order. */
  ready: readonly WaitingAction[];
  /** The order to use if not all of it can be applied at once, so that people need not wait; absent: the same order. */
  peopleFirst?: readonly WaitingAction[];
  /** Timers fire up to this time, in milliseconds since 1970: nothing that still waits was accepted before it. */
  upTo: number;
}

/** What was decided about one source. */
export interface Decided extends Work {
  decision: Decision;
  /** By how many milliseconds the deployment's time was ahead of clocks when it was decided. */
  aheadMs: number;
  /** The actions applied, in the order of `decision.outcomes`, and those that have to wait. */
  applied: readonly WaitingAction[];
  left: readonly WaitingAction[];
}

/** Finds the policy that an incident in a mode copies. */
export type PolicyOf = (sourceId: string, mode: ModeId | null) => FoundPolicy | undefined;

/** `unplannable`: without any plan, for what could not be scheduled for too long. */
export type Planning = 'planned' | 'unplannable';

/**
 * Returns a source with the folds that are not written to it yet. Counts only grow, so where both exist the higher one
 * is newer. Folds of a pending trigger that is over may still wait here while the queue has started the next one.
 */
export function withFolds(row: SourceRow, folds: Folds): SourceRow {
  const incident = row.incidentSeq === null ? undefined : folds[`i${row.incidentSeq}`];
  const pending = folds[`p${row.seq}`];
  return {
    ...row,
    incident: row.incident && incident ? withFold(row.incident, incident) : row.incident,
    pending: row.pending && pending?.[4] === row.pending.id ? withFold(row.pending, pending) : row.pending,
  };
}

function withFold<Of extends { triggerCount: number }>(of: Of, fold: Folds[string]): Of {
  const [triggerCount, lastTriggerAt, , trippedKeys] = fold;
  return triggerCount > of.triggerCount ? { ...of, triggerCount, lastTriggerAt, trippedKeys } : of;
}

/** What planning needs besides the source. */
export interface PlanOn {
  policyOf: PolicyOf;
  /** The channels that have a carrier here: a test says what would have become of its messages. */
  carriers: readonly ChannelKind[];
  /** What accounts may make the database keep. */
  kept: Kept;
  /** What people ask, by account; absent: nobody asks. */
  askedOf?(accountId: string): AskedFacts;
}

/**
 * Decides one source by the rules. Opens no further incident once `mostMessages` are planned. Throws what the rules
 * throw.
 */
export function decideWork(work: Work, on: PlanOn, mostMessages: number, planning: Planning = 'planned'): Decided {
  const { row, ready, upTo } = work;
  const aheadMs = aheadByMs();
  const decision = decide(factsOf(row, on, planning, aheadMs), row, ready, upTo, mostMessages);
  const done = decision.outcomes.length;
  return { ...work, decision, aheadMs, applied: ready.slice(0, done), left: ready.slice(done) };
}

function factsOf(
  row: SourceRow,
  { policyOf, carriers, kept, askedOf }: PlanOn,
  planning: Planning,
  aheadMs: number,
): SourceFacts {
  return {
    kind: row.kind,
    disabled: row.disabled,
    clearOnDisarm: row.clearOnDisarm,
    stillHappeningS: row.stillHappeningS,
    means: { ...meansOf(row, carriers), aheadMs },
    policyFor(mode) {
      if (planning === 'unplannable') return 'unplannable';
      const found = policyOf(row.id, mode);
      if (found?.fault !== undefined) throw found.fault;
      return found?.policy ?? null;
    },
    messagesMost: environment =>
      Math.min(
        DELIVERIES_MOST,
        Math.max(MESSAGES_LEAST[environment], Math.floor(kept.left(row.accountId, 'messages'))),
      ),
    newId,
    ...askedOf?.(row.accountId),
    ageingOf: incident => (isAsRead(incident, row) ? row.ageing : null),
    chancesOf: incident => (isAsRead(incident, row) ? (row.chances ?? 'not_known') : 'not_known'),
  };
}

/** Tells whether what was read of the messages of an incident still says how it stands: nobody took it, or lost it, since. */
function isAsRead({ id, askedAgain, handedOver, acknowledgedAt }: Incident, { incident }: SourceRow): boolean {
  return (
    incident?.id === id &&
    incident.askedAgain === askedAgain &&
    incident.handedOver === handedOver &&
    incident.acknowledgedAt === acknowledgedAt
  );
}

/** Reads the policies of all modes in which an incident may open. Most transactions only fold and read none. */
export async function loadPolicies(on: Connection, works: readonly Work[]): Promise<PolicyOf> {
  const wanted = new Map<string, WantedPolicy>();
  for (const { row, ready } of works) {
    if (staysOpen(row, ready)) continue;
    const modes = ready.filter(action => action.verb === 'trigger').map(action => action.mode);
    if (row.pending !== null) modes.push(row.pending.mode);
    for (const mode of modes) {
      wanted.set(policyKey(row.id, mode), { accountId: row.accountId, sourceId: row.id, mode });
    }
  }
  if (wanted.size === 0) return () => undefined;
  const found = await readPolicies(on, [...wanted.values()]);
  const byKey = new Map(found.map(policy => [policyKey(policy.sourceId, policy.mode), policy]));
  return (sourceId, mode) => byKey.get(policyKey(sourceId, mode));
}

/** Tells whether an open incident absorbs everything here and nothing can close it, so that no policy need be read. */
function staysOpen(row: SourceRow, actions: readonly WaitingAction[]): boolean {
  const { incident, pending } = row;
  if (incident === null || pending !== null || autoCloseAt(incident) <= row.now) return false;
  const disarmCloses = row.clearOnDisarm || incident.windowEndedAt !== null;
  return actions.every(
    action =>
      (action.verb === 'trigger' && foldsInto(incident, action) && !mayOpen(row, action)) ||
      action.verb === 'arm' ||
      action.verb === 'acknowledge' ||
      (action.verb === 'disarm' && !disarmCloses),
  );
}

function policyKey(sourceId: string, mode: ModeId | null): string {
  return `${sourceId}/${mode ?? ''}`;
}

/**
 * Returns the sources that have an open incident or a pending trigger once everything that waits for them is applied.
 * Decides by the rules without writing. For the gate of a disarmed alarm (DECISIONS.md "Trigger held back by the
 * gate").
 */
export async function engagedSources(pool: Pool, seqs: readonly number[]): Promise<ReadonlySet<number>> {
  const wanted = new Set(seqs);
  // Read waiting calls first: a call applied in between counts twice, which leads to the same state.
  const groups = await readWaitingGroups(pool, [...wanted]);
  const calls = groups.flatMap(actionsOf).filter(({ sourceSeq }) => wanted.has(sourceSeq));
  const queued = await readQueued(pool, [...wanted], QUEUED_MOST);
  const rows = await readSources(pool, [...wanted]);
  const works = rows.map((row): Work => {
    const waiting = [...queued, ...calls].filter(({ sourceSeq }) => sourceSeq === row.seq);
    return { row, ready: waiting.sort((a, b) => Number(a.id) - Number(b.id)), upTo: row.now };
  });
  // When an incident closes by itself depends on its policy.
  const policyOf = await loadPolicies(pool, works);
  const engaged = works.filter(work => {
    const { incident, pending } = decideWork(work, { policyOf, carriers: [], kept: KEEP_ALL }, Number.POSITIVE_INFINITY)
      .decision.state;
    return incident !== null || pending !== null;
  });
  return new Set(engaged.map(({ row }) => row.seq));
}
