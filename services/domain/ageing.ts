import { ASKED_AGAIN_STEP, DELIVERIES_MOST } from './escalation.ts';
import { ANSWER_WITHIN_MS, type Changes, type Incident, type SourceState } from './incident.ts';
import { change } from './incident-moves.ts';
import { NOT_ACKNOWLEDGED, tellNow } from './person-moves.ts';
import type { AgeingFacts, SourceFacts } from './source-facts.ts';

/*
 * An acknowledgement ages (DECISIONS.md "An acknowledgement ages"): whoever said that they have it may have fallen asleep.
 */

/** Returns when the open incident asks again; infinite if it does not, or if that is to be decided another time. */
export function ageingAt({ ageingOf }: Pick<SourceFacts, 'ageingOf'>, incident: Incident | null): number {
  if (incident === null || incident.asksAgainAt === null) return Number.POSITIVE_INFINITY;
  return (ageingOf?.(incident) ?? null) === null ? Number.POSITIVE_INFINITY : incident.asksAgainAt;
}

/**
 * Asks whoever acknowledged an incident once more. The acknowledgement ends, so that their answer is an acknowledgement as any other; the
 * steps that it called off begin when they had their time to answer, or at once where nothing reaches them. Where none was
 * called off, the policy begins anew.
 */
export function askAgain(source: SourceFacts, state: SourceState, changes: Changes, incident: Incident): void {
  const { id: incidentId, asksAgainAt } = incident;
  const at = asksAgainAt!;
  const known = source.ageingOf!(incident)!;
  const { contact, calledOff, round } = known;
  const step = { round, step: ASKED_AGAIN_STEP + incident.askedAgain };
  const isAsked = contact !== null && tellNow(source, changes, incident, { contact, at, ...step }) !== 'not_reachable';
  const nextAt = isAsked ? at + ANSWER_WITHIN_MS : at;
  const ends =
    calledOff.length > 0
      ? resume(changes, incidentId, calledOff, nextAt)
      : again(source, changes, incident, known, nextAt);
  changes.entries.push({ incidentId, at, kind: 'asked_again', detail: incident.acknowledgedBy ?? '' });
  change(state, changes, {
    ...incident,
    ...NOT_ACKNOWLEDGED,
    outcome: 'alerting',
    escalationEndsAt: Math.max(ends, at),
    askedAgain: incident.askedAgain + 1,
  });
}

/** Returns when the last of them is due. */
function resume(changes: Changes, incidentId: string, calledOff: AgeingFacts['calledOff'], at: number): number {
  const [first] = calledOff;
  changes.resumed.push({ incidentId, at });
  return at + (calledOff.at(-1)!.dueAt - first!.dueAt);
}

/** As many messages as its account may plan now, the earliest. Returns when the last of them is due. */
function again(
  source: SourceFacts,
  changes: Changes,
  { id: incidentId, environment }: Incident,
  { firstRound, lastRound }: AgeingFacts,
  at: number,
): number {
  const messages = firstRound.slice(0, source.messagesMost?.(environment) ?? DELIVERIES_MOST);
  const first = Math.min(...messages.map(({ dueAt }) => dueAt));
  const moved = messages.map(message => ({ ...message, dueAt: at + (message.dueAt - first) }));
  for (const message of moved) {
    const planned = { ...message, round: lastRound + 1, status: 'scheduled', reason: null, insteadOf: null } as const;
    changes.deliveries.push({ incidentId, planned });
  }
  return Math.max(at, ...moved.map(({ dueAt }) => dueAt));
}
