import type { ContactCopy } from '../../../domain/escalation.ts';
import { channelsOf } from '../../../domain/reach.ts';
import type { NotesSoFar, StepsAhead } from '../../../domain/source-facts.ts';
import { ms } from '../../../store/columns.ts';
import { type Connection, run, type Statement } from '../../../store/statement.ts';
import { CONTACT } from '../../../store/statements/policy.ts';

/** Something of an account, by its id. */
interface Of {
  accountId: string;
  id: string;
}

const stepsStatement: Statement<StepsAhead & { id: string }> = {
  name: 'asked_steps',
  text: `
SELECT wanted.id,
  coalesce((SELECT max(d.round) FROM delivery d
    WHERE d.account_id = wanted.account_id AND d.incident_id = wanted.id AND d.kind = 'alert' AND d.planned_at <= t.now), 0) AS round,
  coalesce((SELECT json_agg(json_build_object('round', s.round, 'step', s.step, 'dueAt', s.at, 'contactIds', s.contacts) ORDER BY s.at, s.round, s.step) FROM (
    SELECT d.round, d.step, ${ms('min(d.planned_at)')} AS at, array_agg(DISTINCT d.contact_id) AS contacts FROM delivery d
    WHERE d.account_id = wanted.account_id AND d.incident_id = wanted.id AND d.kind = 'alert' AND d.status = 'scheduled'
      AND d.planned_at > t.now
    GROUP BY d.round, d.step) s), '[]') AS ahead,
  (SELECT coalesce(array_agg(DISTINCT d.contact_id), '{}') FROM delivery d
    WHERE d.account_id = wanted.account_id AND d.incident_id = wanted.id AND d.kind = 'alert' AND d.planned_at <= t.now
      AND d.status IN ('scheduled', 'sending', 'sent', 'delivered')) AS told,
  (SELECT coalesce(array_agg(e.detail), '{}') FROM incident_entry e
    WHERE e.account_id = wanted.account_id AND e.incident_id = wanted.id AND e.kind = 'declined') AS declined
FROM unnest($1::text[], $2::text[]) AS wanted (account_id, id)
CROSS JOIN (SELECT tocsin_now() AS now) t`,
};

/** Returns the steps of incidents that are still to come, by incident. */
export async function readStepsAhead(db: Connection, incidents: readonly Of[]): Promise<Map<string, StepsAhead>> {
  const rows = await run(db, stepsStatement, valuesOf(incidents));
  return new Map(rows.map(({ id, ...steps }) => [id, steps]));
}

/** Of the last notes so many are looked at for the same one. */
const LAST = 10;

const notesStatement: Statement<NotesSoFar & { id: string }> = {
  name: 'asked_notes',
  text: `
SELECT wanted.id,
  (SELECT count(*)::int FROM incident_entry e
    WHERE e.account_id = wanted.account_id AND e.incident_id = wanted.id AND e.kind = 'noted') AS count,
  coalesce((SELECT json_agg(json_build_object('by', n.by, 'text', n.detail, 'at', ${ms('n.at')})) FROM (
    SELECT * FROM incident_entry e
    WHERE e.account_id = wanted.account_id AND e.incident_id = wanted.id AND e.kind = 'noted'
    ORDER BY e.id DESC LIMIT ${LAST}) n), '[]') AS last
FROM unnest($1::text[], $2::text[]) AS wanted (account_id, id)`,
};

/** Returns the notes of incidents, by incident. */
export async function readNotes(db: Connection, incidents: readonly Of[]): Promise<Map<string, NotesSoFar>> {
  const rows = await run(db, notesStatement, valuesOf(incidents));
  return new Map(rows.map(({ id, count, last }) => [id, { count, last }]));
}

const contactsStatement: Statement<{ contact: Omit<ContactCopy, 'channels'> }> = {
  name: 'asked_contacts',
  text: `
SELECT ${CONTACT} AS contact
FROM unnest($1::text[], $2::text[]) AS wanted (account_id, id)
JOIN contact c ON c.account_id = wanted.account_id AND c.id = wanted.id`,
};

/** Returns contacts with all channels that they have, by id. */
export async function readContacts(db: Connection, contacts: readonly Of[]): Promise<Map<string, ContactCopy>> {
  const rows = await run(db, contactsStatement, valuesOf(contacts));
  return new Map(rows.map(({ contact }) => [contact.id, { ...contact, channels: channelsOf(contact) }]));
}

function valuesOf(all: readonly Of[]): [string[], string[]] {
  return [all.map(({ accountId }) => accountId), all.map(({ id }) => id)];
}
