import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { auditStep, LATE_AFTER_MS, lateS, type StepVerdict } from '../../domain/audit-step.ts';
import { CHANNELS } from '../../domain/delivery.ts';
import { newId } from '../../store/id.ts';
import { inTransaction } from '../../store/statement.ts';
import {
  type AuditMark,
  auditOutlook,
  type LockedMessage,
  lockUnaudited,
  markAudited,
  readSteps,
  type StepEntry,
  type StepKey,
  type StepRow,
  writeStepEntries,
} from '../../store/statements/monitor.ts';
import { noWrites, writeAll } from '../../store/statements/write.ts';
import { type LookAgain, type Loop, startLoop } from '../loop.ts';
import { deliveryLateness, oldestDue, stepsLate, stepsMissed } from '../metrics.ts';

/** How many messages one transaction judges. */
const BATCH = 500;

/** How often it looks if nothing is known to be coming, in milliseconds. */
const POLL_MS = 2_000;

/** The longest rest after a batch, in milliseconds. It rests as long as the batch took, because sending goes first. */
const MAX_REST_MS = 1_000;

/**
 * How long a step must be seen without any attempt before it is called missed, in milliseconds: after a standstill the
 * workers start together with the monitor and need a chance to send it late.
 */
const CONFIRM_MS = 2_000;

/** A step just found to have run late or not at all. */
type Finding = StepRow & { kind: 'step_late' | 'step_missed' } & Pick<StepEntry, 'detail'>;

/**
 * Starts the monitor, so that no escalation silently fails to run. It reads what the workers left behind and reports
 * each step of a live escalation whose first message went out late or not at all: in the timeline, to the owner, in the
 * log and as a metric. It sends nothing itself and does not depend on the workers.
 */
export function startMonitor(engine: { pool: Pool; log: Logger; onNotice(): void }): Pick<Loop, 'drain' | 'close'> {
  const { pool, log } = engine;
  /** Since when a step has been seen without any attempt, by this process's clock. */
  let suspects = new Map<string, number>();

  async function look(): Promise<LookAgain> {
    const { inMs, oldestDueS } = await auditOutlook(pool, LATE_AFTER_MS / 1000, CHANNELS);
    oldestDue.set(oldestDueS);
    if (inMs === null || inMs > 0) {
      suspects.clear();
      return { inMs: inMs ?? Number.POSITIVE_INFINITY };
    }
    const { judged, findings } = await inTransaction(pool, auditBatch);
    for (const finding of findings) report(finding);
    if (findings.length > 0) engine.onNotice();
    return judged > 0 ? { restMs: MAX_REST_MS } : { inMs: CONFIRM_MS };
  }

  async function auditBatch(client: PoolClient): Promise<{ judged: number; findings: Finding[] }> {
    const messages = await lockUnaudited(client, LATE_AFTER_MS / 1000, BATCH);
    const byStep = Map.groupBy(messages, keyOf);
    const steps = await readSteps(
      client,
      [...byStep.values()].map(([first]) => stepKeyOf(first!)),
    );
    const verdicts = confirmed(steps.map(step => ({ step, verdict: verdictOn(step) })));
    const marks = verdicts.flatMap(({ step, verdict }) =>
      verdict === 'wait'
        ? []
        : byStep.get(keyOf(step))!.map(message => ({ ...message, mark: markOf(message, verdict) })),
    );
    await markAudited(
      client,
      marks.map(({ accountId, id, mark }) => ({ accountId, id, mark })),
    );
    const findings = await writeFindings(
      client,
      verdicts.flatMap(({ step, verdict }) => findingOf(step, verdict)),
    );
    for (const { plannedAt, firstAttemptAt } of marks) {
      if (firstAttemptAt !== null) deliveryLateness.observe(Math.max(0, firstAttemptAt - plannedAt) / 1000);
    }
    return { judged: marks.length, findings };
  }

  /** A step counts as overdue only if an earlier look, a while ago, found it overdue too. */
  function confirmed(verdicts: { step: StepRow; verdict: StepVerdict }[]) {
    const now = performance.now();
    const before = suspects;
    const overdue = verdicts.filter(({ verdict }) => verdict === 'overdue').map(({ step }) => keyOf(step));
    suspects = new Map(overdue.map(key => [key, before.get(key) ?? now]));
    return verdicts.map(({ step, verdict }) => {
      const isNew = verdict === 'overdue' && now - suspects.get(keyOf(step))! < CONFIRM_MS;
      return { step, verdict: isNew ? ('wait' as const) : verdict };
    });
  }

  function report({ incidentId: incident, round, step, kind, detail }: Finding): void {
    if (kind === 'step_late') {
      stepsLate.inc();
      log.error({ incident, round, step, lateS: Number(detail) }, 'a step of an escalation ran late');
    } else {
      stepsMissed.inc();
      log.error({ incident, round, step }, 'a step of an escalation did not run: none of its messages was tried');
    }
  }

  const loop = startLoop('monitor', look, log, POLL_MS);
  return { drain: loop.drain, close: loop.close };
}

/** Writes new findings into the timelines, notifies the owners, and returns those that are new. */
async function writeFindings(client: PoolClient, found: readonly Finding[]): Promise<Finding[]> {
  const written = await writeStepEntries(client, found.map(entryOf));
  const fresh = new Set(written.map(entry => `${entry.kind}/${keyOf(entry)}`));
  const findings = found.filter(finding => fresh.has(`${finding.kind}/${keyOf(finding)}`));
  await writeAll(client, { ...noWrites(), notices: findings.map(noticeOf) });
  return findings;
}

function verdictOn(row: StepRow): StepVerdict {
  return auditStep(row, row.now);
}

/** A message still waiting is looked at once more when it has a result; a finished one cannot change. */
function markOf({ progress }: LockedMessage, verdict: Exclude<StepVerdict, 'wait'>): AuditMark {
  if (progress === 'waiting') return verdict === 'missed' ? 'missed' : 'overdue';
  return verdict === 'overdue' ? 'missed' : verdict;
}

function findingOf(row: StepRow, verdict: StepVerdict): Finding[] {
  if (verdict === 'late') return [{ ...row, kind: 'step_late', detail: String(lateS(row)) }];
  if (verdict === 'overdue' || verdict === 'missed') return [{ ...row, kind: 'step_missed', detail: '' }];
  return [];
}

/** A late step is entered at the time it ran, a missed one at the time its wait ended or was found too long. */
function entryOf(finding: Finding): StepEntry {
  const { kind, detail, firstAttemptAt, endedAt, now } = finding;
  const at = (kind === 'step_late' ? firstAttemptAt : endedAt) ?? now;
  return { ...stepKeyOf(finding), kind, detail, at };
}

/** One notice of a kind per incident: for the first step it happened to. */
function noticeOf(finding: Finding) {
  const { accountId, incidentId, kind, detail, round, step, sourceName, openedAt, now } = finding;
  const late = kind === 'step_late' ? { lateS: Number(detail) } : {};
  const about = { sourceName, openedAt: new Date(openedAt).toISOString(), round, step, ...late };
  return { accountId, id: newId(), kind, once: incidentId, incidentId, about, at: now };
}

function stepKeyOf({ accountId, incidentId, round, step }: StepKey): StepKey {
  return { accountId, incidentId, round, step };
}

function keyOf({ accountId, incidentId, round, step }: StepKey): string {
  return `${accountId}/${incidentId}/${round}/${step}`;
}
