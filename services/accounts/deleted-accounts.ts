import { pageAsked, pageOf } from '../rpc/pages.ts';
import { protoTime, timeAt } from '../rpc/proto-time.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';

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

/** Returns a page of deleted accounts in the order in which they were created, including erased ones. */
export async function deletedAccountsPage(db: Connection, request: { pageSize: number; pageToken: string }) {
  const { after, size } = pageAsked(request);
  const found = await run(db, pageStatement, [after, size + 1]);
  const { page, nextPageToken } = pageOf(found, size, ({ seq }) => seq);
  return {
    accounts: page.map(view),
    nextPageToken,
  };
}

const findStatement: Statement<DeletedRow> = {
  name: 'deleted_account',
  text: `SELECT ${ROW} FROM deleted_account d WHERE d.account_id = $1`,
};

/** Returns the remaining row of a deleted account; null if the account was not deleted. */
export async function readDeleted(db: Connection, accountId: string) {
  const [row] = await run(db, findStatement, [accountId]);
  return row === undefined ? null : view(row);
}

const markStatement: Statement<DeletedRow> = {
  name: 'mark_account_erased',
  text: `
UPDATE deleted_account d SET erased_at = coalesce(erased_at, tocsin_now()), erased_by = coalesce(erased_by, $2)
WHERE account_id = $1
RETURNING ${ROW}`,
};

/** Records who erased the remains of a deleted account, and when, and returns that row. The first record stays. */
export async function markErased(db: Connection, accountId: string, by: string) {
  const [row] = await run(db, markStatement, [accountId, by]);
  return view(row!);
}

function view({ id, name, deletedAt, erasedAt, erasedBy }: DeletedRow) {
  return {
    id,
    name,
    deletedAt: protoTime(deletedAt),
    ...timeAt('erasedAt', erasedAt),
    erasedBy: erasedBy ?? '',
  };
}
