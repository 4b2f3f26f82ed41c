import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { z } from 'zod';
import type { CreateTokenRequest } from '../../gen/tocsin/console/v1/tokens_pb.ts';
import type { TokenKind } from '../domain/actor.ts';
import { pageAsked, pageOf } from '../rpc/pages.ts';
import { timeAt, timeText } from '../rpc/proto-time.ts';
import { newId } from '../store/id.ts';
import { newSecret, secretDigest } from '../store/secret.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';
import type { OpenAccount } from './change.ts';
import type { ConsoleOn } from './console.ts';
import { faultsOf, invalidField, invalidFields } from './errors.ts';
import { name, timeOrNever } from './fields.ts';

const schema = z.strictObject({ label: name, expiresAt: timeOrNever });

/** What is asked of a new token; `expiresAt` as ISO text, empty: never. */
type TokenDoc = z.infer<typeof schema>;

interface TokenRow {
  id: string;
  seq: string;
  kind: TokenKind;
  label: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  status: 'active' | 'expired' | 'revoked';
}

const ROW = `id, seq, kind, label, created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt",
  CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= tocsin_now() THEN 'expired' ELSE 'active' END AS status`;

const mintStatement: Statement<TokenRow> = {
  name: 'mint_console_token',
  text: `
INSERT INTO console_token (id, account_id, digest, label, expires_at, created_at) VALUES ($1, $2, $3, $4, $5, tocsin_now())
RETURNING ${ROW}`,
};

const pageStatement: Statement<TokenRow> = {
  name: 'page_of_console_tokens',
  text: `SELECT ${ROW} FROM console_token WHERE account_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
};

const revokeStatement: Statement<TokenRow> = {
  name: 'revoke_console_token',
  text: `
UPDATE console_token SET revoked_at = coalesce(revoked_at, tocsin_now()) WHERE account_id = $1 AND id = $2
RETURNING ${ROW}`,
};

/** Makes a console token for one account. The secret can be shown this once: only its digest is stored. */
export async function mintToken(on: Connection, pepper: string, accountId: string, { label, expiresAt }: TokenDoc) {
  const secret = newSecret('tcn');
  const values = [newId(), accountId, secretDigest(pepper, secret), label, expiresAt || null];
  const [row] = await run(on, mintStatement, values);
  return { row: row!, secret };
}

/** A further token for the account. Throws INVALID_ARGUMENT for a label that is none, and an end that is past. */
export async function createToken(on: ConsoleOn, open: OpenAccount, asked: CreateTokenRequest) {
  const result = schema.safeParse({ label: asked.label, expiresAt: timeText(asked.expiresAt) });
  if (!result.success) throw invalidFields(faultsOf(result.error));
  const { label, expiresAt } = result.data;
  const { row, secret } = await mintToken(open.client, on.pepper, open.accountId, result.data);
  if (row.status === 'expired') {
    throw invalidField('expiresAt', 'a time to come, or nothing for never', expiresAt);
  }
  await open.record({
    kind: 'token',
    thing_id: row.id,
    name: label,
    action: 'create',
    before: null,
    after: { label, expiresAt },
  });
  return { token: tokenView(row), secret };
}

/** A page of the account's own tokens in the order of creation, expired and revoked ones too; never the operator's. */
export async function tokensPage(on: Connection, accountId: string, request: { pageSize: number; pageToken: string }) {
  const { after, size } = pageAsked(request);
  const found = await run(on, pageStatement, [accountId, after, size + 1]);
  const { page, nextPageToken } = pageOf(found, size, ({ seq }) => seq);
  return {
    tokens: page.map(tokenView),
    nextPageToken,
  };
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

function tokenView({ id, kind, label, status, createdAt, expiresAt, revokedAt }: TokenRow) {
  return {
    id,
    kind,
    label,
    status,
    createdAt: timestampFromDate(createdAt),
    ...timeAt('expiresAt', expiresAt),
    ...timeAt('revokedAt', revokedAt),
  };
}
