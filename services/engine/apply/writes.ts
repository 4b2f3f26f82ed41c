import type { IncidentCopy } from '../../domain/alert.ts';
import type { PolicyCopy } from '../../domain/escalation.ts';
import { autoCloseAt, exhaustsAt, type Incident } from '../../domain/incident.ts';
import { newId, newReplyCode } from '../../store/id.ts';
import type { Folds, SourceRow } from '../../store/statements/apply.ts';
import type { FoundPolicy } from '../../store/statements/policy.ts';
import type { IncidentWrite, Writes } from '../../store/statements/write.ts';
import type { Decided, PolicyOf } from './decided.ts';

/** How many folds may wait to be written to the rows that readers see. */
const MOST = 300;

/** The shortest and longest wait of the first one, in milliseconds. */
const WAITS_MS = { least: 1_000, most: 5_000 };

/**
 * Adds what was decided about one source to what the transaction writes. Mere counts go to `folds`, to be written
 * together with others. `policyOf` returns the policy that an incident copies.
 */
export function addWrites(writes: Writes, folds: Folds, { row, decision }: Decided, policyOf: PolicyOf): void {
  const { accountId, id: sourceId } = row;
  addState(writes, folds, row, decision.state);
  for (const { incident, isNew } of decision.incidents.values()) {
    const key = `i${row.incidentSeq}`;
    if (!isNew && onlyCounts(row.incident!, incident)) {
      folds[key] = [incident.triggerCount, incident.lastTriggerAt, writeAt(folds[key], row.now - incident.openedAt)];
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
        copy: copyOf(row, policyOf(row.id, incident.mode), decision, incident.id),
      });
    }
  }
  for (const entry of decision.entries) writes.entries.push({ accountId, ...entry });
  for (const { incidentId, planned } of decision.deliveries) {
    writes.deliveries.push({ accountId, id: newId(), incidentId, kind: 'alert', ...planned });
  }
  for (const cancellation of decision.cancellations) writes.cancellations.push({ accountId, ...cancellation });
  for (const { incidentId, at, kind, tried } of decision.notices) {
    const { openedAt } = decision.incidents.get(incidentId)!.incident;
    const counts = tried === undefined ? {} : { ...tried, channels: tried.channels.join() };
    const about = { sourceName: row.name, openedAt: new Date(openedAt).toISOString(), ...counts };
    writes.notices.push({ accountId, id: newId(), kind, once: incidentId, incidentId, about, at });
  }
  for (const ended of decision.windowsEnded) {
    writes.windowsEnded.push({ accountId, accountSeq: row.accountSeq, ...ended });
  }
}

function addState(
  writes: Writes,
  folds: Folds,
  row: SourceRow,
  { armedMode, pending }: Decided['decision']['state'],
): void {
  const was = row.pending;
  const samePending =
    was?.id === pending?.id && was?.dueAt === pending?.dueAt && was?.environment === pending?.environment;
  const key = `p${row.seq}`;
  if (row.armedMode === armedMode && samePending) {
    if (pending !== null && was?.triggerCount !== pending.triggerCount) {
      folds[key] = [pending.triggerCount, pending.lastTriggerAt, writeAt(folds[key], 0), pending.id];
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
  });
}

/** Returns the call that opened an incident, or that started the window it opened from. */
function firstCallOf({ id }: Incident, { outcomes, windowsEnded }: Decided['decision']): string {
  const opener = outcomes.find(({ incidentId, outcome }) => incidentId === id && outcome === 'opened');
  return opener?.actionId ?? windowsEnded.find(({ incidentId }) => incidentId === id)!.pendingId;
}

/** Tells whether an incident differs only in how often and when it was triggered. */
function onlyCounts(before: Incident, after: Incident): boolean {
  return (Object.keys(after) as (keyof Incident)[]).every(
    field => field === 'triggerCount' || field === 'lastTriggerAt' || after[field] === before[field],
  );
}

function writeOf(accountId: string, incident: Incident): IncidentWrite {
  return {
    ...incident,
    accountId,
    status: incident.closedAt === null ? 'open' : 'closed',
    exhaustsAt: exhaustsAt(incident),
    autoCloseAt: autoCloseAt(incident),
  };
}

function copyOf(
  row: SourceRow,
  found: FoundPolicy | undefined,
  decision: Decided['decision'],
  incidentId: string,
): IncidentCopy {
  const policy = found?.policy ?? null;
  return {
    sourceKind: row.kind,
    sourceName: row.name,
    responseKind: row.responseKind,
    ...(row.responseText === '' ? {} : { responseText: row.responseText }),
    modeName: found?.modeName ?? null,
    locationName: found?.locationName ?? '',
    locationAddress: found?.locationAddress ?? '',
    policy: policy === null ? null : copiedPolicy(policy, decision, incidentId),
  };
}

/**
 * Leaves those out of a copy that nothing is planned for, where the incident plans less than its policy asks for: an account that has
 * planned very many messages would otherwise make the database keep all its people with each further incident.
 */
function copiedPolicy(policy: PolicyCopy, decision: Decided['decision'], incidentId: string): PolicyCopy {
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
