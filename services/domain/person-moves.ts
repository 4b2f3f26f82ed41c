import type { Action, ActionOutcome } from './action.ts';
import { type ContactCopy, HANDED_OVER_STEP, stepName } from './escalation.ts';
import type { Changes, Incident, SourceState } from './incident.ts';
import { change } from './incident-moves.ts';
import { messagesOf } from './reach.ts';
import type { NotesSoFar, SourceFacts, StepsAhead } from './source-facts.ts';

/*
 * What people do to an open incident besides acknowledging and closing it (DECISIONS.md "Next now, note, hand over").
 */

/** The most notes of an incident. */
export const NOTES_MOST = 100;

/** How often an incident may be handed over. */
export const HAND_OVERS_MOST = 20;

/** The longest note, in characters. */
export const NOTE_LENGTH = 500;

/** The same note by the same person within so many milliseconds is one: a button was touched twice. */
const SAME_NOTE_MS = 60_000;

type Applied = Pick<ActionOutcome, 'outcome'> & Partial<ActionOutcome>;

/**
 * Sends the next step at once. The action names the step that the person saw as the next one: of two who press at the
 * same time, and of a button that is touched twice, one sends it.
 */
export function sendNextStep(source: SourceFacts, state: SourceState, changes: Changes, action: Action): Applied {
  const { incident } = state;
  if (incident === null || incident.id !== action.incidentId) return gone(action);
  const { id: incidentId } = incident;
  if (incident.acknowledgedAt !== null) return { outcome: 'already_acknowledged', incidentId };
  const at = action.acceptedAt;
  const sent = new Set(changes.broughtForward.map(stepName));
  const next = aheadOf(source, changes, incidentId).find(step => step.dueAt > at && !sent.has(stepName(step)));
  if (next === undefined || stepName(next) !== action.detail) return { outcome: 'no_next_step', incidentId };
  changes.broughtForward.push({ incidentId, at, round: next.round, step: next.step });
  changes.entries.push({ incidentId, at, kind: 'next_step', detail: '', by: action.actor ?? '' });
  return { outcome: 'stepped', incidentId };
}

/** Returns the steps that are still to come: none that an acknowledgement called off a moment ago. */
function aheadOf(source: SourceFacts, changes: Changes, incidentId: string): StepsAhead['ahead'] {
  if (changes.cancellations.some(one => one.incidentId === incidentId)) return [];
  return source.stepsOf?.(incidentId).ahead ?? [];
}

/** Writes a line in the timeline of an incident, open or closed. */
export function addNote(source: SourceFacts, changes: Changes, action: Action): Applied {
  const { incidentId, acceptedAt: at } = action;
  if (incidentId === null) return gone(action);
  const [text, by] = [action.detail ?? '', action.actor ?? ''];
  const stored: NotesSoFar = source.notesOf?.(incidentId) ?? { count: 0, last: [] };
  const now = changes.entries.filter(entry => entry.kind === 'noted' && entry.incidentId === incidentId);
  const last = [...stored.last, ...now.map(entry => ({ by: entry.by ?? '', text: entry.detail, at: entry.at }))];
  const isSame = last.some(note => note.by === by && note.text === text && at - note.at < SAME_NOTE_MS);
  if (isSame) return { outcome: 'noted', incidentId };
  if (stored.count + now.length >= NOTES_MOST) return { outcome: 'too_many_notes', incidentId };
  changes.entries.push({ incidentId, at, kind: 'noted', detail: text, by });
  return { outcome: 'noted', incidentId };
}

/**
 * Tells another contact at once, over all their channels, to take over. Until they or somebody else acknowledge, nobody
 * has it: an acknowledgement ends, and the owner hears of it as of any that nobody acknowledged; steps that it called off stay off.
 * Changes nothing if no message would reach them. A drill is about one person, and nobody else's.
 */
export function handOver(source: SourceFacts, state: SourceState, changes: Changes, action: Action): Applied {
  const { incident } = state;
  if (incident === null || incident.id !== action.incidentId) return gone(action);
  const { id: incidentId } = incident;
  const at = action.acceptedAt;
  if (incident.environment === 'drill') return { outcome: 'not_reachable', incidentId };
  if (incident.handedOver >= HAND_OVERS_MOST) return { outcome: 'too_many_hand_overs', incidentId };
  const contact = source.contactOf?.(action.detail ?? '') ?? null;
  if (contact === null) return { outcome: 'not_reachable', incidentId };
  if (incident.handedTo === contact.id && incident.acknowledgedAt === null) {
    return { outcome: 'already_handed_over', incidentId };
  }
  const round = source.stepsOf?.(incidentId).round ?? 0;
  const step = HANDED_OVER_STEP + incident.handedOver;
  const told = tellNow(source, changes, incident, { contact, at, round, step });
  if (told === 'not_reachable') return { outcome: told, incidentId };
  changes.entries.push({ incidentId, at, kind: 'handed_over', detail: contact.name, by: action.actor ?? '' });
  change(state, changes, {
    ...incident,
    ...NOT_ACKNOWLEDGED,
    outcome: 'alerting',
    escalationEndsAt: Math.max(incident.escalationEndsAt, at),
    handedOver: incident.handedOver + 1,
    handedTo: contact.id,
  });
  return { outcome: 'handed_over', incidentId };
}

/**
 * A person says that they cannot. That takes no message away from anybody, theirs included: somebody may have pressed it by mistake. It only
 * makes the policy faster: once nobody is left of those told so far, the next step that tells somebody else goes at once.
 */
export function decline(source: SourceFacts, state: SourceState, changes: Changes, action: Action): Applied {
  const { incident } = state;
  if (incident === null || incident.id !== action.incidentId) return gone(action);
  const { id: incidentId } = incident;
  if (incident.acknowledgedAt !== null) return { outcome: 'already_acknowledged', incidentId };
  const by = action.contactId ?? '';
  const at = action.acceptedAt;
  const stored: StepsAhead = source.stepsOf?.(incidentId) ?? { ahead: [], round: 0, told: [], declined: [] };
  const now = changes.entries.filter(entry => entry.kind === 'declined' && entry.incidentId === incidentId);
  const declined = new Set([...stored.declined, ...now.map(({ detail }) => detail)]);
  if (!declined.has(by)) {
    changes.entries.push({ incidentId, at, kind: 'declined', detail: by, by: action.actor ?? '' });
    declined.add(by);
  }
  const sent = new Set(changes.broughtForward.map(stepName));
  const ahead = aheadOf(source, changes, incidentId);
  const going = ahead.filter(step => sent.has(stepName(step)) || step.dueAt <= at);
  const handed = changes.deliveries.filter(one => one.incidentId === incidentId && one.planned.dueAt <= at);
  const told = [
    ...stored.told,
    ...going.flatMap(({ contactIds }) => contactIds),
    ...handed.map(({ planned }) => planned.contactId),
  ];
  // What goes on after somebody who had it was asked again is not known yet here.
  const goesOn = changes.resumed.some(one => one.incidentId === incidentId);
  if (goesOn || told.some(contact => !declined.has(contact))) return { outcome: 'declined', incidentId };
  const next = ahead.find(({ contactIds }) => contactIds.some(id => !declined.has(id)));
  if (next === undefined) return { outcome: 'declined_last', incidentId };
  changes.broughtForward.push({ incidentId, at, round: next.round, step: next.step });
  return { outcome: 'declined_next', incidentId };
}

/** That nobody has an incident any more who had it. */
export const NOT_ACKNOWLEDGED = {
  acknowledgedAt: null,
  acknowledgedBy: null,
  acknowledgedVia: null,
  acknowledgedContactId: null,
  asksAgainAt: null,
} as const;

/** Plans messages to a contact at once, over all channels that reach them now. */
export function tellNow(
  source: Pick<SourceFacts, 'means'>,
  changes: Changes,
  { id: incidentId, environment }: Incident,
  { contact, at, round, step }: { contact: ContactCopy; at: number; round: number; step: number },
): 'told' | 'not_reachable' {
  const messages = messagesOf(contact, source.means, at);
  const going = messages.filter(({ reach, insteadOf }) => reach === 'goes' && insteadOf === null);
  if (going.length === 0) return 'not_reachable';
  const status = environment === 'test' ? 'suppressed' : 'scheduled';
  const of = { round, step, contactId: contact.id, dueAt: at, status, reason: null, insteadOf: null } as const;
  const channels = going.map(({ channel }) => channel);
  for (const channel of channels) changes.deliveries.push({ incidentId, planned: { ...of, channel } });
  changes.handedTo.push({ incidentId, contact: { ...contact, channels } });
  return 'told';
}

function gone({ incidentId }: Action): Applied {
  return { outcome: 'already_closed', incidentId };
}
