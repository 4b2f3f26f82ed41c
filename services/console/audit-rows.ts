import type { Actor } from '../domain/actor.ts';
import type { ChangeAction, Kind } from '../store/entities/audit.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';

/** One line of the audit. `before` and `after` hold no secrets, and addresses only sealed. */
export interface AuditRow {
  kind: Kind;
  thing_id: string;
  name: string;
  action: ChangeAction;
  before: unknown;
  after: unknown;
}

const writeStatement: Statement<never> = {
  name: 'write_audit',
  text: `
INSERT INTO audit (account_id, at, actor, actor_kind, actor_token_id, kind, thing_id, name, action, before, after)
SELECT $1, tocsin_now(), $2, $3, $4, kind, thing_id, name, action, before, after
FROM json_to_recordset($5::json) AS r (kind text, thing_id text, name text, action text, before jsonb, after jsonb)`,
};

/** Bounds the size of one statement. */
const CHUNK = 1_000;

/** Writes who changed what, in the transaction of the change. */
export async function writeAudit(
  on: Connection,
  accountId: string,
  { name, kind, tokenId }: Actor,
  rows: readonly AuditRow[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += CHUNK) {
    await run(on, writeStatement, [accountId, name, kind, tokenId, JSON.stringify(rows.slice(at, at + CHUNK))]);
  }
}
