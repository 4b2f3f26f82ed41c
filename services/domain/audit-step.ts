import type { Environment } from './source.ts';

/** How late the first message of a step may go out, in milliseconds. */
export const LATE_AFTER_MS = 5_000;

/** A step of an escalation, that is (incident, round, step), with its messages. Times are milliseconds since 1970. */
export interface AuditedStep {
  environment: Environment;
  /** When the first of its messages was to go out. */
  plannedAt: number;
  /** When the first one was tried, of those that were not put off on purpose; null: none was. */
  firstAttemptAt: number | null;
  /**
   * Its other messages: `waiting`: one still has to go out; `explained`: each was put off on purpose, or something stood
   * in its way that it says itself; `ended`: the rest was cancelled.
   */
  untried: 'waiting' | 'explained' | 'ended';
  /** When somebody took the incident, or it closed; null: neither. */
  endedAt: number | null;
}

/**
 * `in_time`: there is nothing to report. `late`: its first message was tried too late. `overdue`: nothing was tried so far.
 * `missed`: nothing was tried, and nothing will be. `wait`: it cannot be said yet.
 */
export type StepVerdict = 'in_time' | 'late' | 'overdue' | 'missed' | 'wait';

/**
 * Whether a step ran when it was to: none may silently fail to run. Only the first try counts: what a
 * carrier makes of it, and how long it takes, is told message by message.
 */
export function auditStep(step: AuditedStep, now: number): StepVerdict {
  const { plannedAt, firstAttemptAt, untried, endedAt } = step;
  if (step.environment === 'test') return 'in_time';
  if (firstAttemptAt !== null) return firstAttemptAt - plannedAt > LATE_AFTER_MS ? 'late' : 'in_time';
  if (untried === 'explained') return 'in_time';
  if (endedAt !== null) return endedAt - plannedAt > LATE_AFTER_MS ? 'missed' : 'in_time';
  if (now - plannedAt <= LATE_AFTER_MS) return 'wait';
  return untried === 'waiting' ? 'overdue' : 'missed';
}

/** How late a step ran, in whole seconds. */
export function lateS({ plannedAt, firstAttemptAt }: Pick<AuditedStep, 'plannedAt' | 'firstAttemptAt'>): number {
  return firstAttemptAt === null ? 0 : Math.floor((firstAttemptAt - plannedAt) / 1000);
}
