import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { InferEntity } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { timeAt } from '../proto-time.ts';
import { newId } from '../store/id.ts';
import { ConsoleToken } from '../store/key.ts';
import { newSecret, secretDigest } from '../store/secret.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';
import type { OpenAccount } from './change.ts';
import type { ConsoleOn } from './console.ts';
import { faultsOf, invalidFields } from './errors.ts';
import { name } from './fields.ts';

const schema = z.strictObject({ label: name });

type TokenRow = Pick<InferEntity<typeof ConsoleToken>, 'id' | 'label' | 'createdAt' | 'revokedAt'>;

const mintStatement: Statement<{ id: string; label: string; createdAt: Date; revokedAt: null }> = {
  name: 'mint_console_token',
  text: `
INSERT INTO console_token (id, account_id, digest, label, created_at) VALUES ($1, $2, $3, $4, tocsin_now())
RETURNING id, label, created_at AS "createdAt", revoked_at AS "revokedAt"`,
};

const revokeStatement: Statement<TokenRow> = {
  name: 'revoke_console_token',
  text: `
UPDATE console_token SET revoked_at = coalesce(revoked_at, tocsin_now()) WHERE account_id = $1 AND id = $2
RETURNING id, label, created_at AS "createdAt", revoked_at AS "revokedAt"`,
};

/** Makes a console token for one account. The secret can be shown this once: only its digest is stored. */
export async function mintToken(on: Connection, pepper: string, accountId: string, label: string) {
  const secret = newSecret('tcn');
  const [row] = await run(on, mintStatement, [newId(), accountId, secretDigest(pepper, secret), label]);
  return { row: row!, secret };
}

/** A further token for the account. Throws INVALID_ARGUMENT for a label that is none. */
export async function createToken(on: ConsoleOn, open: OpenAccount, asked: string) {
  const result = schema.safeParse({ label: asked });
  if (!result.success) throw invalidFields(faultsOf(result.error));
  const { label } = result.data;
  const { row, secret } = await mintToken(open.client, on.pepper, open.accountId, label);
  await open.record({ kind: 'token', thing_id: row.id, name: label, action: 'create', before: null, after: { label } });
  return { token: tokenView(row), secret };
}

/** The account's own tokens in the order of creation, revoked ones too; never the operator's. */
export async function listTokens(on: ConsoleOn, accountId: string) {
  const em = on.store.orm.em.fork();
  const rows = await em.find(ConsoleToken, { accountId }, { orderBy: { createdAt: 'asc', id: 'asc' }, limit: 1_000 });
  return rows.map(tokenView);
}

/** Ends a token at once. Null: the account has none with this id. */
export async function revokeToken(open: OpenAccount, id: string) {
  const [row] = await run(open.client, revokeStatement, [open.accountId, id]);
  if (row === undefined) return null;
  await open.record({
    kind: 'token',
    thing_id: id,
    name: row.label,
    action: 'revoke',
    before: { label: row.label },
    after: { label: row.label },
  });
  return tokenView(row);
}

function tokenView({ id, label, createdAt, revokedAt }: TokenRow) {
  return { id, label, createdAt: timestampFromDate(createdAt), ...timeAt('revokedAt', revokedAt) };
}
