import type { IncidentCopy } from '../../domain/alert.ts';
import type { PolicyNow } from '../../domain/duty-told.ts';
import { type PolicyCopy, policyCopy } from '../../domain/escalation.ts';
import { autoCloseAt, type Incident, looksAt } from '../../domain/incident.ts';
import { newId, newReplyCode } from '../../store/id.ts';
import type { Folds, SourceRow } from '../../store/statements/apply.ts';
import type { FoundPolicy } from '../../store/statements/policy.ts';
import type { IncidentWrite, Writes } from '../../store/statements/write.ts';
import type { Decided, PolicyOf } from './decided.ts';

/** How many folds may wait to be written to the rows that readers see. */
const MOST = 300;

/** What a fold says of an incident. */
const FOLDED: ReadonlySet<keyof Incident> = new Set(['triggerCount', 'lastTriggerAt', 'trippedKeys']);

/** The shortest and longest wait of the first one, in milliseconds. */
const WAITS_MS = { least: 1_000, most: 5_000 };

/**
 * Adds what was decided about one source to what the transaction writes. Mere counts go to `folds`, to be written
 * together with others. `policyOf` returns the policy that an incident copies.
 */
export function addWrites(writes: Writes, folds: Folds, decided: Decided, policyOf: PolicyOf): void {
  const { row, decision } = decided;
  const { accountId, id: sourceId } = row;
  addState(writes, folds, row, decision.state);
  for (const changed of decision.incidents.values()) {
    const { incident, isNew } = changed;
    const key = `i${row.incidentSeq}`;
    if (isFolded(changed, row, decision)) {
      const { triggerCount, lastTriggerAt, trippedKeys, openedAt } = incident;
      folds[key] = [triggerCount, lastTriggerAt, writeAt(folds[key], row.now - openedAt), trippedKeys];
      continue;
    }
    if (!isNew) delete folds[key];
    const write = writeOf(accountId, incident);
    if (!isNew) writes.closedOrChanged.push(write);
    else {
      writes.opened.push({
        ...write,
        sourceId,
        locationId: row.locationId,
        replyCode: newReplyCode(),
        firstCallId: firstCallOf(incident, decision),
        copy: copyOf(decided, policyOf(row.id, incident.mode), incident),
      });
    }
  }
  for (const entry of decision.entries) writes.entries.push({ accountId, ...entry });
  for (const { incidentId, planned } of decision.deliveries) {
    writes.deliveries.push({ accountId, id: newId(), incidentId, kind: 'alert', ...planned });
  }
  for (const cancellation of decision.cancellations) writes.cancellations.push({ accountId, ...cancellation });
  for (const { incidentId, at, kind, tried } of decision.notices) {
    const { openedAt, handedOver, askedAgain } = decision.incidents.get(incidentId)!.incident;
    const counts = tried === undefined ? {} : { ...tried, channels: tried.channels.join() };
    const about = { sourceName: row.name, openedAt: new Date(openedAt).toISOString(), ...counts };
    writes.notices.push({
      accountId,
      id: newId(),
      kind,
      once: onceOf(incidentId, handedOver + askedAgain),
      incidentId,
      about,
      at,
    });
  }
  for (const ended of decision.windowsEnded) {
    writes.windowsEnded.push({ accountId, accountSeq: row.accountSeq, ...ended });
  }
}

function addState(writes: Writes, folds: Folds, row: SourceRow, state: Decided['decision']['state']): void {
  const { armedMode, pending } = state;
  const key = `p${row.seq}`;
  if (isSameState(row, state)) {
    if (pending !== null && row.pending?.triggerCount !== pending.triggerCount) {
      const { triggerCount, lastTriggerAt, trippedKeys } = pending;
      folds[key] = [triggerCount, lastTriggerAt, writeAt(folds[key], 0), trippedKeys, pending.id];
    }
    return;
  }
  delete folds[key];
  writes.states.push({
    accountId: row.accountId,
    sourceId: row.id,
    armedMode,
    pendingId: pending?.id ?? null,
    pendingDueAt: pending?.dueAt ?? null,
    pendingMode: pending?.mode ?? null,
    pendingEnvironment: pending?.environment ?? null,
    pendingTraceId: pending?.traceId ?? null,
    pendingCount: pending?.triggerCount ?? null,
    pendingLastAt: pending?.lastTriggerAt ?? null,
    pendingTrippedKeys: pending?.trippedKeys ?? null,
    pendingSilentSince: pending?.silentSince ?? null,
  });
}

/** Whoever took it over, or was asked again, may leave it as before: owners are told again. */
function onceOf(incidentId: string, begunAnew: number): string {
  return begunAnew === 0 ? incidentId : `${incidentId} ${begunAnew}`;
}

/** Tells whether nothing of a source is written but counts. */
export function onlyCounted({ row, decision }: Decided): boolean {
  const incidents = [...decision.incidents.values()];
  return (
    isSameState(row, decision.state) &&
    decision.exhaustions.length === 0 &&
    incidents.every(changed => isFolded(changed, row, decision))
  );
}

/** Tells whether a change of an incident need not be written yet. */
function isFolded(
  { incident, isNew }: { incident: Incident; isNew: boolean },
  row: SourceRow,
  decision: Decided['decision'],
): boolean {
  return !isNew && onlyCounts(row.incident!, incident) && !isTold(decision, incident);
}

function isSameState(row: SourceRow, { armedMode, pending }: Decided['decision']['state']): boolean {
  const was = row.pending;
  return (
    row.armedMode === armedMode &&
    was?.id === pending?.id &&
    was?.dueAt === pending?.dueAt &&
    was?.environment === pending?.environment &&
    was?.silentSince === pending?.silentSince
  );
}

/** Returns the call that opened an incident, or that started the window it opened from. */
function firstCallOf({ id }: Incident, { outcomes, windowsEnded }: Decided['decision']): string {
  const opener = outcomes.find(({ incidentId, outcome }) => incidentId === id && outcome === 'opened');
  return opener?.actionId ?? windowsEnded.find(({ incidentId }) => incidentId === id)!.pendingId;
}

/** Tells whether a message goes out now that says how often and by what an incident was triggered: it reads what is written. */
function isTold({ followUps }: Decided['decision'], { id }: Incident): boolean {
  return followUps.some(({ incidentId }) => incidentId === id);
}

/** Tells whether an incident differs only in how often, when and by what it was triggered. */
function onlyCounts(before: Incident, after: Incident): boolean {
  return (Object.keys(after) as (keyof Incident)[]).every(field => FOLDED.has(field) || after[field] === before[field]);
}

function writeOf(accountId: string, incident: Incident): IncidentWrite {
  return {
    ...incident,
    accountId,
    status: incident.closedAt === null ? 'open' : 'closed',
    looksAt: looksAt(incident),
    autoCloseAt: autoCloseAt(incident),
  };
}

function copyOf(decided: Decided, found: FoundPolicy | undefined, incident: Incident): IncidentCopy {
  const { row } = decided;
  const policy = found?.policy ?? null;
  return {
    sourceKind: row.kind,
    sourceName: row.name,
    responseKind: row.responseKind,
    ...(row.responseText === '' ? {} : { responseText: row.responseText }),
    modeName: found?.modeName ?? null,
    locationName: found?.locationName ?? '',
    locationAddress: found?.locationAddress ?? '',
    policy: policy === null ? null : copiedPolicy(policy, decided, incident),
  };
}

/**
 * Returns a policy as an incident keeps it. Leaves those out that nothing is planned for, where the incident plans less than its policy asks for: an account that has
 * planned very many messages would otherwise make the database keep all its people with each further incident.
 */
function copiedPolicy(
  named: PolicyNow,
  { decision, aheadMs }: Decided,
  { id: incidentId, openedAt }: Incident,
): PolicyCopy {
  const policy = policyCopy(named, openedAt, { aheadMs });
  if (!decision.entries.some(entry => entry.incidentId === incidentId && entry.kind === 'escalation_capped'))
    return policy;
  const ofIncident = decision.deliveries.filter(one => one.incidentId === incidentId);
  const planned = new Set(ofIncident.map(({ planned: { step, contactId } }) => `${step}/${contactId}`));
  const steps = policy.steps.map((step, index) => ({
    ...step,
    contacts: step.contacts.filter(({ id }) => planned.has(`${index}/${id}`)),
  }));
  return { ...policy, steps };
}

/**
 * Returns when a fold is to be written, by this process's clock: after a twentieth of how long its incident has been
 * going on (`age`, milliseconds). Long-running incidents are written rarely, because old row versions slow down
 * readers.
 */
function writeAt(waiting: Folds[string] | undefined, age: number): number {
  return waiting?.[2] ?? Date.now() + Math.min(WAITS_MS.most, Math.max(WAITS_MS.least, age / 20));
}

/** Returns those to be written now. `hurry`: all of them. */
export function dueFolds(folds: Folds, hurry: 'in_time' | 'now'): Folds {
  const waiting = Object.entries(folds);
  if (hurry === 'now' || waiting.length > MOST) return { ...folds };
  return Object.fromEntries(waiting.filter(([, [, , at]]) => dueInMs(at) <= 0));
}

/** Returns in how many milliseconds the next one is due; infinite if none waits. */
export function nextFoldMs(folds: Folds): number {
  return Math.min(...Object.values(folds).map(([, , at]) => dueInMs(at)));
}

/** Another process may have set it, by another clock. */
function dueInMs(at: number): number {
  const inMs = at - Date.now();
  return inMs > WAITS_MS.most ? 0 : inMs;
}
