import { MESSAGES } from '../support/door-model.ts';
import type { Invariant } from '../support/history/types.ts';
import type { Found } from './found.ts';
import { BEGIN, type Lived } from './lived.ts';
import type { House } from './world.ts';

/* What only the simulation can look at, because it knows everything. */

type Looked = ReturnType<Invariant>;

/** Where nobody sets a clock, times are exact. */
const EXACT_MS = 0.5;

/** How far the deployment's time may be from the real one where the database's clock is set, in milliseconds. */
export const KEPT_MS = { early: 4_000, late: 2_000 } as const;

/** Every call is stored with a time between its beginning and its end; and the clock is right at the end. */
export function checkTimes({ calls, clock }: Lived, { logged }: Found): Looked {
  const at = new Map(logged.map(row => [row.traceId, row.at - BEGIN]));
  const [early, late] = clock === 'keepers' ? [KEPT_MS.early, KEPT_MS.late] : [EXACT_MS, EXACT_MS];
  const accepted = calls.filter(({ answer, trace }) => answer === 'accepted' && at.has(trace));
  const violations = accepted.flatMap(({ trace, began, ended }) => {
    const stored = at.get(trace)!;
    const isRight = stored >= began.at - early && stored <= ended!.at + late;
    return isRight ? [] : [`${trace} from ${began.at} to ${ended!.at} is stored with ${stored}`];
  });
  return { looked: accepted.length, violations };
}

/** No step goes out before its time as nobody sets it: so long after the call that opened its incident. */
export function checkSteps({ calls, sends, clock }: Lived, { logged, incidents, messages }: Found): Looked {
  const slackMs = clock === 'keepers' ? KEPT_MS.early : EXACT_MS;
  const began = new Map(calls.map(({ trace, began }) => [trace, began.at]));
  const stored = new Map(logged.map(({ traceId, at }) => [traceId, at]));
  const opener = new Map(incidents.map(({ id, traceId }) => [id, traceId]));
  const first = new Map(sends.toReversed().map(({ delivery, at }) => [delivery, at]));
  const looked = messages.filter(({ id, kind, insteadOf }) => kind === 'alert' && insteadOf === null && first.has(id));
  const violations = looked.flatMap(({ id, incidentId, plannedAt }) => {
    const trace = opener.get(incidentId)!;
    const due = began.get(trace)! + plannedAt - stored.get(trace)!;
    const earlyMs = due - first.get(id)!;
    return earlyMs > slackMs ? [`${id} went out ${earlyMs} ms before its time`] : [];
  });
  return { looked: looked.length, violations };
}

/** Each step is planned for its time after the opening, unless it came sooner because nobody was reached. */
export function checkPlans({ incidents, messages }: Found): Looked {
  const known = new Map(incidents.map(one => [one.id, one]));
  const planned = messages.filter(
    ({ kind, insteadOf, movedFrom, round }) =>
      kind === 'alert' && insteadOf === null && movedFrom === null && round === 0,
  );
  const violations = planned.flatMap(({ id, incidentId, step, plannedAt }) => {
    const { mode, openedAt } = known.get(incidentId)!;
    const lateMs = plannedAt - openedAt - MESSAGES[(mode ?? 'button') as keyof typeof MESSAGES][step]!;
    return Math.abs(lateMs) > EXACT_MS ? [`${id} is planned ${lateMs} ms after the time of step ${step}`] : [];
  });
  return { looked: planned.length, violations };
}

/** No call is accepted with a key that was revoked, or for a source that was disabled, before it began; none is refused without a reason. */
export function checkAccess({ calls, settings }: Lived, { logged }: Found): Looked {
  const applied = new Set(logged.flatMap(row => (row.appliedAt === null ? [] : [row.traceId])));
  const wrongly = calls.flatMap(({ trace, key, disabled, answer, verdict, call, house, source }) => {
    const isIn = answer === 'accepted' || applied.has(trace);
    if (isIn && key === 'revoked') return [`${call} ${trace} got in with a key that was revoked before`];
    if (isIn && disabled === 'always') return [`${call} ${trace} got in at a source that was disabled before`];
    if (answer !== 'refused') return [];
    if (verdict === 'key_revoked' || (verdict === 'source_disabled' && disabled !== 'never')) return [];
    if (verdict === 'held_by_gate' && source === 'alarm' && settings[house]!.gate === 'on') return [];
    return [`${call} ${trace} was refused: ${verdict}`];
  });
  return { looked: calls.length, violations: wrongly };
}

/** An incident knows whose triggers it counts: the first key, then the last three others, each by its last trigger. */
export function checkTripped({ logged, incidents }: Found): Looked {
  const counted = logged.filter(
    ({ verb, outcome, incidentId }) =>
      verb === 'trigger' && incidentId !== null && (outcome === 'opened' || outcome === 'folded'),
  );
  const violations = incidents.flatMap(({ id, trippedKeys }) => {
    const triggers = counted.filter(({ incidentId }) => incidentId === id).toSorted((a, b) => Number(a.id - b.id));
    const keys = triggers.map(({ key }) => key);
    const others = [...new Set(keys.toReversed())].filter(key => key !== keys[0]).slice(0, 3);
    const must = [...keys.slice(0, 1), ...others.reverse()].join();
    return must === trippedKeys.join() ? [] : [`${id} was tripped by ${must}, and says ${trippedKeys.join()}`];
  });
  return { looked: incidents.length, violations };
}

/** A message is what its last attempt came to, and who could be reached in another way was. */
export function checkOutcome({ sends, reports }: Lived, { messages, now }: Found): Looked {
  const attempts = Map.groupBy(sends, ({ delivery }) => delivery);
  const reported = new Set(reports.map(({ delivery }) => delivery));
  const violations = messages.flatMap(({ id, status, dueAt, attempt }) => {
    const last = (attempts.get(id) ?? []).toSorted((a, b) => a.attempt - b.attempt).at(-1);
    const since = Math.max(dueAt, BEGIN + (last?.at ?? 0));
    if (['scheduled', 'sending'].includes(status) && since < now - LONG_DUE_MS)
      return [`${id} is ${status} long after its time`];
    // What a carrier said later counts; a lease that led to no attempt says nothing.
    if (last === undefined || reported.has(id) || last.attempt !== attempt) return [];
    const may = MAY_BE[last.taken];
    return may.includes(status) ? [] : [`${id} is ${status}, its last attempt came to ${last.taken}`];
  });
  return { looked: messages.length, violations };
}

/** Retries wait a quarter of an hour at most. */
const LONG_DUE_MS = 60_000;

/**
 * What a message may be after an attempt: `sending` if it was not recorded and its lease has not run out, `cancelled` if its
 * incident was over by then.
 */
const MAY_BE: Record<Lived['sends'][number]['taken'], readonly string[]> = {
  sent: ['sent', 'sending', 'cancelled'],
  delivered: ['delivered', 'sending', 'cancelled'],
  permanent: ['failed', 'sending', 'cancelled'],
  temporary: ['scheduled', 'failed', 'sending', 'cancelled'],
  lost: ['scheduled', 'failed', 'sending', 'cancelled'],
};

/** What ends the alerts of an incident. */
const ENDS: readonly (string | null)[] = ['closed', 'disarmed', 'disabled', 'went_live', 'acknowledged'];

/** Nobody is alerted of an incident once everybody could see that it is over, or that somebody acknowledged it. */
export function checkOver({ sends, committed }: Lived, { logged }: Found): Looked {
  const over = new Map<string, number>();
  for (const { incidentId, outcome, traceId } of logged) {
    const step = committed.get(traceId);
    if (incidentId !== null && step !== undefined && ENDS.includes(outcome)) over.set(incidentId, step);
  }
  const alerts = sends.filter(({ kind }) => kind === 'alert');
  const late = alerts.filter(({ incident, leased }) => leased !== null && leased > (over.get(incident) ?? Infinity));
  return {
    looked: alerts.length,
    violations: late.map(({ delivery }) => `${delivery} was leased after its incident was over`),
  };
}

/** Who could not be reached in one way is tried in the next, as long as somebody waits for it. */
export function checkFailover({ sends }: Lived, { messages, incidents }: Found, houses: readonly House[]): Looked {
  const waited = new Set(
    incidents.filter(({ status, acknowledgedAt }) => status === 'open' && acknowledgedAt === null).map(({ id }) => id),
  );
  const refused = new Set(sends.filter(({ taken }) => taken === 'permanent').map(({ delivery }) => delivery));
  const failed = messages.filter(
    ({ id, status, kind, incidentId }) =>
      status === 'failed' && kind === 'alert' && refused.has(id) && waited.has(incidentId),
  );
  const violations = failed.flatMap(one => {
    const step = messages.filter(
      other =>
        other.incidentId === one.incidentId &&
        other.kind === 'alert' &&
        other.round === one.round &&
        other.step === one.step,
    );
    const { channels } = houses.find(({ accountId }) => accountId === one.accountId)!;
    const isFollowed =
      step.some(({ insteadOf }) => insteadOf === one.channel) ||
      channels.every(channel => step.some(other => other.channel === channel));
    return isFollowed ? [] : [`${one.id} failed by ${one.channel}, and nothing went in its place`];
  });
  return { looked: failed.length, violations };
}

/** No process met a fault that no harm explains, and the life came to rest. */
export function checkWorkers({ surprises, lines }: Lived): Looked {
  return { looked: lines.length, violations: surprises };
}
