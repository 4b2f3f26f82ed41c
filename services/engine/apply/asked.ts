import type { AskedFacts } from '../../domain/source-facts.ts';
import type { Connection } from '../../store/statement.ts';
import type { Work } from './decided.ts';
import { readContacts, readNotes, readStepsAhead } from './statements/asked.ts';

/** Reads it for all works in which somebody does so; most transactions read nothing. Contacts are those of the account alone. */
export async function loadAsked(on: Connection, works: readonly Work[]): Promise<(accountId: string) => AskedFacts> {
  const asked = works.flatMap(({ row: { accountId }, ready }) => ready.map(action => ({ accountId, ...action })));
  const ofIncidents = (...verbs: string[]) =>
    asked.flatMap(({ accountId, verb, incidentId }) =>
      incidentId !== null && verbs.includes(verb) ? [{ accountId, id: incidentId }] : [],
    );
  const wanted = {
    steps: ofIncidents('next_step', 'hand_over', 'decline'),
    notes: ofIncidents('note'),
    contacts: asked.flatMap(({ accountId, verb, detail }) =>
      verb === 'hand_over' && detail ? [{ accountId, id: detail }] : [],
    ),
  };
  const none = new Map<string, never>();
  // One after the other: they are few.
  const steps = wanted.steps.length === 0 ? none : await readStepsAhead(on, wanted.steps);
  const notes = wanted.notes.length === 0 ? none : await readNotes(on, wanted.notes);
  const contacts = wanted.contacts.length === 0 ? none : await readContacts(on, wanted.contacts);
  const owned = new Set(wanted.contacts.map(({ accountId, id }) => `${accountId}/${id}`));
  return accountId => ({
    stepsOf: incidentId => steps.get(incidentId) ?? { ahead: [], round: 0, told: [], declined: [] },
    notesOf: incidentId => notes.get(incidentId) ?? { count: 0, last: [] },
    contactOf: contactId => (owned.has(`${accountId}/${contactId}`) ? (contacts.get(contactId) ?? null) : null),
  });
}
