import type { ContactCopy } from '../../../domain/escalation.ts';
import { type Connection, run, type Statement } from '../../../store/statement.ts';

/** Each contact once, as they were last. */
const addStatement: Statement<never> = {
  name: 'add_handed_to',
  text: `
UPDATE incident SET copy = jsonb_set(copy, '{handedTo}',
  coalesce((SELECT jsonb_agg(one) FROM jsonb_array_elements(copy -> 'handedTo') one WHERE one ->> 'id' <> $3::jsonb ->> 'id'), '[]')
    || jsonb_build_array($3::jsonb))
WHERE account_id = $1 AND id = $2`,
};

/** Keeps a contact who takes over with what the incident copied when it opened. */
export async function addHandedTo(
  db: Connection,
  accountId: string,
  incidentId: string,
  contact: ContactCopy,
): Promise<void> {
  await run(db, addStatement, [accountId, incidentId, JSON.stringify(contact)]);
}
