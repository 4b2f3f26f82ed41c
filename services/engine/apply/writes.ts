import type { IncidentCopy } from '../../domain/alert.ts';
import { autoCloseAt, exhaustsAt, type Incident } from '../../domain/incident.ts';
import { newId, newReplyCode } from '../../store/id.ts';
import type { Folds, SourceRow } from '../../store/statements/apply.ts';
import type { FoundPolicy } from '../../store/statements/policy.ts';
import type { IncidentChange, Writes } from '../../store/statements/write.ts';
import type { Decided, PolicyOf } from './decided.ts';
import { writeAt } from './folds.ts';

/**
 * Adds what the rules decided about one source to what the transaction writes. What only counts goes to `folds`, to be
 * written together with others. `policyOf` gives what an incident copies.
 */
export function addWrites(writes: Writes, folds: Folds, { row, decision }: Decided, policyOf: PolicyOf): void {
  const { accountId: account_id, id: source_id } = row;
  addState(writes, folds, row, decision.state);
  for (const { incident, isNew } of decision.incidents.values()) {
    const key = `i${row.incidentSeq}`;
    if (!isNew && onlyCounts(row.incident!, incident)) {
      folds[key] = [incident.triggerCount, incident.lastTriggerAt, writeAt(folds[key], row.now - incident.openedAt)];
      continue;
    }
    if (!isNew) delete folds[key];
    const change = incidentChange(account_id, incident);
    if (!isNew) writes.closedOrChanged.push(change);
    else {
      writes.opened.push({
        ...change,
        source_id,
        location_id: row.locationId,
        mode: incident.mode,
        environment: incident.environment,
        reply_code: newReplyCode(),
        first_call_id: firstCallOf(incident, decision),
        opened_at: iso(incident.openedAt),
        window_ended_at: isoOrNull(incident.windowEndedAt),
        trace_id: incident.traceId,
        copy: copyOf(row, policyOf(row.id, incident.mode)),
      });
    }
  }
  for (const { incidentId, at, kind, detail } of decision.entries) {
    writes.entries.push({ account_id, incident_id: incidentId, at: iso(at), kind, detail });
  }
  for (const { incidentId, planned } of decision.deliveries) {
    const { round, step, contactId, channel, status, reason, dueAt } = planned;
    writes.deliveries.push({
      account_id,
      id: newId(),
      incident_id: incidentId,
      kind: 'alert',
      round,
      step,
      contact_id: contactId,
      channel,
      status,
      reason,
      due_at: iso(dueAt),
    });
  }
  for (const { incidentId, at, what } of decision.cancellations) {
    writes.cancellations.push({ account_id, incident_id: incidentId, at: iso(at), what });
  }
  for (const { incidentId, at, kind } of decision.notices) {
    const { openedAt } = decision.incidents.get(incidentId)!.incident;
    const about = { sourceName: row.name, openedAt: iso(openedAt) };
    const notice = { account_id, id: newId(), kind, once: incidentId, incident_id: incidentId, about, at: iso(at) };
    writes.notices.push(notice);
  }
  for (const { pendingId, incidentId, traceId } of decision.settled) {
    const ended = { account_id, account_seq: row.accountSeq, pending_id: pendingId };
    writes.settled.push({ ...ended, incident_id: incidentId, trace_id: traceId });
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
      folds[key] = [pending.triggerCount, pending.lastTriggerAt, writeAt(folds[key], 0)];
    }
    return;
  }
  delete folds[key];
  writes.states.push({
    account_id: row.accountId,
    source_id: row.id,
    armed_mode: armedMode,
    pending_id: pending?.id ?? null,
    pending_due_at: isoOrNull(pending?.dueAt),
    pending_mode: pending?.mode ?? null,
    pending_environment: pending?.environment ?? null,
    pending_trace_id: pending?.traceId ?? null,
    pending_count: pending?.triggerCount ?? null,
    pending_last_at: isoOrNull(pending?.lastTriggerAt),
  });
}

/** The call that opened an incident, or that began the window which it opened from. */
function firstCallOf({ id }: Incident, { outcomes, settled }: Decided['decision']): string {
  const opener = outcomes.find(({ incidentId, outcome }) => incidentId === id && outcome === 'opened');
  return opener?.actionId ?? settled.find(({ incidentId }) => incidentId === id)!.pendingId;
}

/** Whether nothing of an incident differs but how often and when it was triggered. */
function onlyCounts(before: Incident, after: Incident): boolean {
  return (Object.keys(after) as (keyof Incident)[]).every(
    field => field === 'triggerCount' || field === 'lastTriggerAt' || after[field] === before[field],
  );
}

function incidentChange(account_id: string, incident: Incident): IncidentChange {
  return {
    account_id,
    id: incident.id,
    status: incident.closedAt === null ? 'open' : 'closed',
    outcome: incident.outcome,
    exhausts_at: isoOrNull(exhaustsAt(incident)),
    escalation_ends_at: iso(incident.escalationEndsAt),
    auto_close_at: iso(autoCloseAt(incident)),
    acknowledged_at: isoOrNull(incident.acknowledgedAt),
    acknowledged_by: incident.acknowledgedBy,
    acknowledged_via: incident.acknowledgedVia,
    acknowledged_contact_id: incident.acknowledgedContactId,
    closed_at: isoOrNull(incident.closedAt),
    close_reason: incident.closeReason,
    trigger_count: incident.triggerCount,
    last_trigger_at: iso(incident.lastTriggerAt),
  };
}

function copyOf(row: SourceRow, found: FoundPolicy | undefined): IncidentCopy {
  return {
    sourceKind: row.kind,
    sourceName: row.name,
    responseKind: row.responseKind,
    ...(row.responseText === '' ? {} : { responseText: row.responseText }),
    modeName: found?.modeName ?? null,
    locationName: found?.locationName ?? '',
    locationAddress: found?.locationAddress ?? '',
    policy: found?.policy ?? null,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function isoOrNull(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : iso(ms);
}
