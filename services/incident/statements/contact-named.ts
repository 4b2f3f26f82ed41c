import { type Connection, run, type Statement } from '../../store/statement.ts';

/** An id takes precedence over an equal key. */
const namedStatement: Statement<{ id: string }> = {
  name: 'contact_named',
  text: `
SELECT id FROM contact WHERE account_id = $1 AND (id = $2 OR key = $2) ORDER BY id = $2 DESC LIMIT 1`,
};

/** Returns the id of a contact of an account by its id or key; null if there is none. */
export async function contactNamed(db: Connection, accountId: string, named: string): Promise<string | null> {
  const [row] = await run(db, namedStatement, [accountId, named]);
  return row?.id ?? null;
}
