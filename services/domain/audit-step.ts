import type { Environment } from './source.ts';

/** How late the first message of a step may go out, in milliseconds. */
export const LATE_AFTER_MS = 5_000;

/** One step of an escalation (incident, round, step) with its messages. Times are milliseconds since 1970. */
export interface AuditedStep {
  environment: Environment;
  /** When its first message was due. */
  plannedAt: number;
  /** When the first message was tried, not counting messages delayed on purpose; null if none was. */
  firstAttemptAt: number | null;
  /**
   * Its other messages. `waiting`: at least one has yet to go out; `explained`: each was delayed on purpose or blocked
   * for a reason it records itself; `ended`: the rest was cancelled.
   */
  untried: 'waiting' | 'explained' | 'ended';
  /** When the incident was acknowledged or closed; null if neither. */
  endedAt: number | null;
}

/**
 * `in_time`: nothing to report. `late`: its first message was tried too late. `overdue`: nothing was tried so far.
 * `missed`: nothing was tried, and nothing will be. `wait`: too early to tell.
 */
export type StepVerdict = 'in_time' | 'late' | 'overdue' | 'missed' | 'wait';

/**
 * Judges whether a step ran on time: no step may silently fail to run. Only the first try counts; how long a carrier
 * takes, and with what result, is recorded per message.
 */
export function auditStep(step: AuditedStep, now: number): StepVerdict {
  const { plannedAt, firstAttemptAt, untried, endedAt } = step;
  if (step.environment !== 'live') return 'in_time';
  if (firstAttemptAt !== null) return firstAttemptAt - plannedAt > LATE_AFTER_MS ? 'late' : 'in_time';
  if (untried === 'explained') return 'in_time';
  if (endedAt !== null) return endedAt - plannedAt > LATE_AFTER_MS ? 'missed' : 'in_time';
  if (now - plannedAt <= LATE_AFTER_MS) return 'wait';
  return untried === 'waiting' ? 'overdue' : 'missed';
}

/** Returns how late a step ran, in whole seconds. */
export function lateS({ plannedAt, firstAttemptAt }: Pick<AuditedStep, 'plannedAt' | 'firstAttemptAt'>): number {
  return firstAttemptAt === null ? 0 : Math.floor((firstAttemptAt - plannedAt) / 1000);
}
