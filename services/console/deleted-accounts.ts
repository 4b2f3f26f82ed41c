import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Pool } from 'pg';
import type { AccountAccess } from '../auth.ts';
import { timeAt } from '../proto-time.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';
import { pageAsked } from './console.ts';
import { pageToken } from './read.ts';

interface DeletedRow {
  id: string;
  seq: string;
  name: string;
  deletedAt: Date;
  erasedAt: Date | null;
  erasedBy: string | null;
}

/** The name is the audit's, and goes with it. */
const ROW = `d.account_id AS id, d.seq, d.deleted_at AS "deletedAt", d.erased_at AS "erasedAt", d.erased_by AS "erasedBy",
  coalesce((SELECT a.name FROM audit a WHERE a.account_id = d.account_id AND a.thing_id = d.account_id
    ORDER BY a.id DESC LIMIT 1), '') AS name`;

const pageStatement: Statement<DeletedRow> = {
  name: 'page_of_deleted_accounts',
  text: `SELECT ${ROW} FROM deleted_account d WHERE d.seq > $1 ORDER BY d.seq LIMIT $2`,
};

/** A page of what is left of deleted accounts, in the order in which they were made, erased ones too. */
export async function deletedAccountsPage(on: Connection, request: { pageSize: number; pageToken: string }) {
  const { after, size } = pageAsked(request);
  const found = await run(on, pageStatement, [after, size + 1]);
  const page = found.slice(0, size);
  return {
    accounts: page.map(view),
    nextPageToken: found.length > size ? pageToken(page.at(-1)!.seq) : '',
  };
}

/** How many lines one statement removes: a long audit is gone in many short ones. */
const AT_ONCE = 1_000;

const eraseStatement: Statement<{ removed: number }> = {
  name: 'erase_audit',
  text: 'SELECT tocsin_erase_audit($1, $2) AS removed',
};

const findStatement: Statement<{ id: string }> = {
  name: 'deleted_account',
  text: 'SELECT account_id AS id FROM deleted_account WHERE account_id = $1',
};

const markStatement: Statement<DeletedRow> = {
  name: 'mark_account_erased',
  text: `
UPDATE deleted_account d SET erased_at = coalesce(erased_at, tocsin_now()), erased_by = coalesce(erased_by, $2)
WHERE account_id = $1
RETURNING ${ROW}`,
};

/**
 * Removes the audit of a deleted account; what remains is who erased which id when (DECISIONS.md "Deleting an account").
 * One that is cut short is gone on with by the next call. Throws FAILED_PRECONDITION while the account is there.
 */
export async function eraseAccount(pool: Pool, { accountId, actor }: Pick<AccountAccess, 'accountId' | 'actor'>) {
  if ((await run(pool, findStatement, [accountId])).length === 0) {
    const message = 'This account is still there: delete it first, then erase what it left.';
    throw new ConnectError(message, Code.FailedPrecondition);
  }
  let removed: number;
  do {
    const [gone] = await run(pool, eraseStatement, [accountId, AT_ONCE]);
    removed = gone!.removed;
  } while (removed === AT_ONCE);
  const [erased] = await run(pool, markStatement, [accountId, actor.name]);
  return view(erased!);
}

function view({ id, name, deletedAt, erasedAt, erasedBy }: DeletedRow) {
  return {
    id,
    name,
    deletedAt: timestampFromDate(deletedAt),
    ...timeAt('erasedAt', erasedAt),
    erasedBy: erasedBy ?? '',
  };
}
