import { describe, expect, test } from 'vitest';
import {
  type AuditedStep,
  auditStep,
  LATE_AFTER_MS,
  lateS,
  type StepVerdict,
} from '../../services/domain/audit-step.ts';
import { START, seconds } from '../support/decide.ts';

/** A live step planned for the start, of which a message waits. */
function step(but: Partial<AuditedStep>): AuditedStep {
  return {
    environment: 'live',
    plannedAt: START,
    firstAttemptAt: null,
    untried: 'waiting',
    endedAt: null,
    ...but,
  };
}

describe('whether a step ran when it was to', () => {
  test.each<[string, Partial<AuditedStep>, now: number, StepVerdict]>([
    ['tried at once', { firstAttemptAt: START }, 60, 'in_time'],
    ['tried 5 s after its time', { firstAttemptAt: seconds(5) }, 60, 'in_time'],
    ['tried a moment later than that', { firstAttemptAt: seconds(5.001) }, 60, 'late'],
    ['tried an hour late', { firstAttemptAt: seconds(3600) }, 3601, 'late'],
    ['tried in time, and others of its messages wait', { firstAttemptAt: START, untried: 'waiting' }, 60, 'in_time'],
    ['tried late, and then the incident ended', { firstAttemptAt: seconds(9), endedAt: seconds(10) }, 60, 'late'],
    ['nothing tried, 5 s after its time', {}, 5, 'wait'],
    ['nothing tried, a moment later than that', {}, 5.001, 'overdue'],
    ['all put off on purpose, or something stands in their way', { untried: 'explained' }, 60, 'in_time'],
    ['some put off, and one that was not waits', { untried: 'waiting' }, 60, 'overdue'],
    ['ended before it was due', { untried: 'ended', endedAt: seconds(-60) }, 60, 'in_time'],
    ['ended 5 s after its time', { untried: 'ended', endedAt: seconds(5) }, 60, 'in_time'],
    ['ended later than that, and nothing had been tried', { untried: 'ended', endedAt: seconds(5.001) }, 60, 'missed'],
    ['over, and a message still waits to be dropped', { untried: 'waiting', endedAt: seconds(10) }, 60, 'missed'],
    ['cancelled although nothing ended it', { untried: 'ended' }, 60, 'missed'],
    ['in test', { environment: 'test', untried: 'ended', endedAt: seconds(600) }, 660, 'in_time'],
  ])('%s', (_case, but, now, verdict) => {
    expect(auditStep(step(but), seconds(now))).toBe(verdict);
  });

  test('the bound is five seconds', () => {
    expect(LATE_AFTER_MS).toBe(5_000);
  });

  test.each([
    [seconds(6.999), 6],
    [seconds(3600), 3600],
    [null, 0],
  ])('how late, in whole seconds: %s', (firstAttemptAt, expected) => {
    expect(lateS({ plannedAt: START, firstAttemptAt })).toBe(expected);
  });
});
