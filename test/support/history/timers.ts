import { ABOUT_MS } from './calls.ts';
import type { Call, Fault, History, Incident, Invariant, Logged, Message } from './types.ts';

/* Windows, steps and first attempts, against when they were due. */

/** How late something may be while nothing is broken, in milliseconds. */
export const LATE_MS = 5_000;

/** Times of rows are compared as rows hold them: to the microsecond. */
const EXACT_MS = 0.002;

/** When something that is due must be done, given what was broken meanwhile. */
export function deadline(due: number, faults: readonly Fault[]): number {
  return faults
    .toSorted((a, b) => a.from - b.from)
    .reduce((by, { from, until }) => (from <= by ? Math.max(by, until + LATE_MS) : by), due + LATE_MS);
}

/** The incidents that opened at the end of a window that is known, and when that was. */
function windowsOf({ incidents, logged, sources }: History): { incident: Incident; due: number }[] {
  const calledAt = new Map(logged.map(({ traceId, at }) => [traceId, at]));
  const known = new Map(sources.map(source => [source.id, source]));
  return incidents.flatMap(incident => {
    const windowMs = known.get(incident.sourceId)?.windowsMs?.[incident.mode ?? ''];
    const at = calledAt.get(incident.traceId);
    return windowMs === undefined || at === undefined ? [] : [{ incident, due: at + windowMs }];
  });
}

/** Messages that go at a time of their step. */
const timedOf = ({ messages }: History) =>
  messages.filter(
    ({ kind, insteadOf, firstAttemptAt }) => kind === 'alert' && insteadOf === null && firstAttemptAt !== null,
  );

/** No window ends and no step goes out before its time, by the clock that the rows were written with. */
export const early: Invariant = history => {
  const windows = windowsOf(history);
  const opened = windows.filter(
    ({ incident, due }) => Math.min(incident.openedAt, incident.appliedAt) < due - EXACT_MS,
  );
  const messages = timedOf(history);
  const incidents = new Map(history.incidents.map(incident => [incident.id, incident]));
  const known = new Map(history.sources.map(source => [source.id, source]));
  const dueOf = (message: Message) => {
    const incident = incidents.get(message.incidentId);
    const steps = known.get(incident?.sourceId ?? '')?.stepsMs?.[incident?.mode ?? ''];
    const after = message.round === 0 && message.movedFrom === null ? steps?.[message.step] : undefined;
    return after === undefined || incident === undefined
      ? message.plannedAt
      : Math.max(message.plannedAt, incident.openedAt + after);
  };
  const sent = messages.filter(message => message.firstAttemptAt! < dueOf(message) - EXACT_MS);
  return {
    looked: windows.length + messages.length,
    violations: [
      ...opened.map(({ incident, due }) => `the window of ${incident.id} ended ${due - incident.openedAt} ms early`),
      ...sent.map(one => `step ${one.step} of ${one.incidentId} went ${dueOf(one) - one.firstAttemptAt!} ms early`),
    ],
  };
};

/** No window ends and no step goes out long after its time, unless something was broken. */
export const late: Invariant = history => {
  if (history.clock === 'moved') return { looked: 0, violations: [] };
  const windows = windowsOf(history);
  const { faults } = history;
  const opened = windows.filter(({ incident, due }) => incident.appliedAt > deadline(due, faults));
  const messages = timedOf(history).filter(
    ({ dueAt, plannedAt, firstAttemptAt }) => !isHeld(dueAt, plannedAt, firstAttemptAt),
  );
  const sent = messages.filter(({ plannedAt, firstAttemptAt }) => firstAttemptAt! > deadline(plannedAt, faults));
  return {
    looked: windows.length + messages.length,
    violations: [
      ...opened.map(({ incident, due }) => `the window of ${incident.id} ended ${incident.appliedAt - due} ms late`),
      ...sent.map(one => `step ${one.step} of ${one.incidentId} went ${one.firstAttemptAt! - one.plannedAt} ms late`),
    ],
  };
};

/** Somebody put it off before it was tried at all, as throttling does. */
function isHeld(dueAt: number, plannedAt: number, firstAttemptAt: number | null): boolean {
  return dueAt > plannedAt && (firstAttemptAt === null || firstAttemptAt >= dueAt);
}

/** An accepted live trigger that opened an incident, and the messages of it that carriers were to get. */
interface Opening {
  call: Call;
  row: Logged;
  incident: Incident;
  alerts: readonly Message[];
  /** When a carrier took the first; infinite: none did. */
  firstAt: number;
}

function openingsIn({ calls, logged, incidents, messages, received, heard }: History): Opening[] {
  const opened = logged.filter(({ outcome, environment }) => outcome === 'opened' && environment === 'live');
  const rows = new Map(opened.map(row => [row.traceId, row]));
  const incidentOf = new Map(incidents.map(incident => [incident.id, incident]));
  const free = messages.filter(one => one.kind === 'alert' && heard.includes(one.channel) && isFree(one));
  const alertsOf = Map.groupBy(free, ({ incidentId }) => incidentId);
  const takenOf = Map.groupBy(received, ({ messageId }) => messageId);
  return calls.flatMap(call => {
    const row = call.status === 202 ? rows.get(call.traceId ?? '') : undefined;
    const incident = incidentOf.get(row?.incidentId ?? '');
    const alerts = alertsOf.get(incident?.id ?? '') ?? [];
    if (row === undefined || incident === undefined || alerts.length === 0) return [];
    const firstAt = Math.min(...alerts.flatMap(({ id }) => (takenOf.get(id) ?? []).map(({ at }) => at)));
    return [{ call, row, incident, alerts, firstAt }];
  });
}

/** By when the first must have been taken, by the clock of the caller; null: it need not be. */
function firstDue({ call, row, incident, alerts, firstAt }: Opening, { clock, faults }: History): number | null {
  const waitMs = Math.min(...alerts.map(({ plannedAt }) => plannedAt)) - row.at;
  if (clock === 'moved' && waitMs > EXACT_MS) return null;
  const by = deadline(call.answered + waitMs, faults);
  const ended = [incident.acknowledgedAt, incident.closedAt].filter(time => time !== null);
  // Where nobody can tell whether that was in time, it counts if anything was taken at all.
  const endedInTime = clock === 'moved' ? ended.length > 0 && !Number.isFinite(firstAt) : ended.some(time => time < by);
  return endedInTime ? null : by;
}

/**
 * A trigger that was accepted live and opened an incident makes a carrier take a message within five seconds of real time,
 * while one works: whatever the clocks of the database say.
 */
export const firstAttempt: Invariant = history => {
  const looked = openingsIn(history).flatMap(opening => {
    const by = firstDue(opening, history);
    return by === null ? [] : [{ ...opening, by }];
  });
  const slow = looked.filter(({ firstAt, by }) => firstAt > by + ABOUT_MS);
  const violations = slow.map(({ call, firstAt }) => {
    const when = Number.isFinite(firstAt) ? `${Math.round(firstAt - call.answered)} ms after its answer` : 'never';
    return `${call.action} of ${call.sourceId} (${call.traceId}): the first attempt was made ${when}`;
  });
  return { looked: looked.length, violations };
};

/** Neither throttled nor kept back: it is to go at the time of its step. */
function isFree({ status, dueAt, plannedAt, firstAttemptAt }: Message): boolean {
  return !['suppressed', 'no_carrier'].includes(status) && !isHeld(dueAt, plannedAt, firstAttemptAt);
}
