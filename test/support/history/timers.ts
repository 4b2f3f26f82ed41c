import { ABOUT_MS } from './calls.ts';
import type { Call, Fault, History, Incident, Invariant, Logged, Message } from './types.ts';

/* Windows, steps and first attempts, against when they were due. */

/** How late something may be while nothing is broken, in milliseconds. */
export const LATE_MS = 5_000;

/** Whole milliseconds, once they were shifted to another clock. */
const EXACT_MS = 0.01;

/** When something that is due must be done, given what was broken meanwhile. */
export function deadline(due: number, faults: readonly Fault[]): number {
  return faults
    .toSorted((a, b) => a.from - b.from)
    .reduce((by, { from, until }) => (from <= by ? Math.max(by, until + LATE_MS) : by), due + LATE_MS);
}

/** A window that is known, of no length too, and the incident that opened at its end. */
interface Window {
  incident: Incident;
  windowMs: number;
  due: number;
}

/** When a window ended. An alert at once is applied by a clock that may have stood still since it was called. */
function endedAt({ incident: { openedAt, appliedAt }, windowMs }: Window): number {
  return windowMs === 0 ? openedAt : Math.min(openedAt, appliedAt);
}

function windowsOf({ incidents, logged, sources }: History): Window[] {
  const calledAt = new Map(logged.map(({ traceId, at }) => [traceId, at]));
  const known = new Map(sources.map(source => [source.id, source]));
  return incidents.flatMap(incident => {
    const windowMs = known.get(incident.sourceId)?.windowsMs?.[incident.mode ?? ''];
    const at = calledAt.get(incident.traceId);
    return windowMs === undefined || at === undefined ? [] : [{ incident, windowMs, due: at + windowMs }];
  });
}

/** Messages that go at a time of their step. */
const timedOf = ({ messages }: History) =>
  messages.filter(
    ({ kind, insteadOf, firstAttemptAt }) => kind === 'alert' && insteadOf === null && firstAttemptAt !== null,
  );

/** Windows whose people were told before its time had passed for whoever called. */
function toldEarly(history: History): string[] {
  if (history.clock === 'moved') return [];
  const calls = new Map(history.calls.map(call => [call.traceId, call]));
  const firstAt = firstsOf(history);
  return windowsOf(history).flatMap(({ incident, windowMs }) => {
    const began = calls.get(incident.traceId)?.began;
    const earlyMs = began === undefined ? 0 : began + windowMs - (firstAt.get(incident.id) ?? Number.POSITIVE_INFINITY);
    return earlyMs > EXACT_MS
      ? [`people were told of ${incident.id} ${Math.round(earlyMs)} ms before its window was over`]
      : [];
  });
}

/** When the first message of each incident was taken. */
function firstsOf({ messages, received }: History): Map<string, number> {
  const incidentOf = new Map(messages.filter(({ kind }) => kind === 'alert').map(one => [one.id, one.incidentId]));
  const firsts = new Map<string, number>();
  for (const { messageId, at } of received) {
    const id = incidentOf.get(messageId);
    if (id !== undefined) firsts.set(id, Math.min(at, firsts.get(id) ?? at));
  }
  return firsts;
}

/** No window ends and no step goes out before its time, by the clock of the rows; by that of callers, no window does. */
export const early: Invariant = history => {
  const windows = windowsOf(history);
  const opened = windows.filter(window => endedAt(window) < window.due - EXACT_MS);
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
      ...toldEarly(history),
      ...opened.map(window => `the window of ${window.incident.id} ended ${window.due - endedAt(window)} ms early`),
      ...sent.map(one => `step ${one.step} of ${one.incidentId} went ${dueOf(one) - one.firstAttemptAt!} ms early`),
    ],
  };
};

/** No window ends and no step goes out long after its time, unless something was broken. */
export const late: Invariant = history => {
  if (history.clock !== 'steady') return { looked: 0, violations: [] };
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

function openingsIn(history: History): Opening[] {
  const opened = history.logged.filter(({ outcome, environment }) => outcome === 'opened' && environment === 'live');
  const rows = new Map(opened.map(row => [row.traceId, row]));
  const incidentOf = new Map(history.incidents.map(incident => [incident.id, incident]));
  const isToGo = (one: Message) => one.kind === 'alert' && history.heard.includes(one.channel) && isFree(one);
  const alertsOf = Map.groupBy(history.messages.filter(isToGo), ({ incidentId }) => incidentId);
  const firsts = firstsOf(history);
  return history.calls.flatMap(call => {
    const row = call.status === 202 ? rows.get(call.traceId ?? '') : undefined;
    const incident = incidentOf.get(row?.incidentId ?? '');
    const alerts = alertsOf.get(incident?.id ?? '') ?? [];
    if (row === undefined || incident === undefined || alerts.length === 0) return [];
    return [{ call, row, incident, alerts, firstAt: firsts.get(incident.id) ?? Number.POSITIVE_INFINITY }];
  });
}

/** By when the first must have been taken, by the clock of the caller; null: it need not be. */
function firstDue({ call, row, incident, alerts, firstAt }: Opening, { clock, faults }: History): number | null {
  const waitMs = Math.min(...alerts.map(({ plannedAt }) => plannedAt)) - row.at;
  if (clock !== 'steady' && waitMs > EXACT_MS) return null;
  const by = deadline(call.answered + waitMs, faults);
  const ended = [incident.acknowledgedAt, incident.closedAt].filter(time => time !== null);
  // Where nobody can tell whether that was in time, it counts if anything was taken at all.
  const isUntold = ended.length > 0 && !Number.isFinite(firstAt);
  const endedInTime = clock === 'steady' ? ended.some(time => time < by) : isUntold;
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
