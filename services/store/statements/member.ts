import type { Role } from '../../domain/role.ts';
import { type Connection, run, type Statement } from '../statement.ts';

const updateStatement: Statement<never> = {
  name: 'update_member',
  text: 'UPDATE member SET name = $3, role = $4, version = version + 1 WHERE account_id = $1 AND id = $2',
};

/** Updates what an owner may change about a member. */
export async function updateMemberRow(
  on: Connection,
  { accountId, id }: { accountId: string; id: string },
  { name, role }: { name: string; role: Role },
): Promise<void> {
  await run(on, updateStatement, [accountId, id, name, role]);
}

const endHomelessStatement: Statement<never> = {
  name: 'end_homeless_sessions',
  text: 'DELETE FROM console_session WHERE person = $1 AND NOT EXISTS (SELECT FROM member WHERE email_digest = $1)',
};

/**
 * Ends the sessions of a person who is no longer a member anywhere, so that a later invitation does not revive them.
 */
export async function endHomelessSessions(on: Connection, person: Buffer): Promise<void> {
  await run(on, endHomelessStatement, [person]);
}
