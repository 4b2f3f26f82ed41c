import { type EntityManager, type InferEntity, raw } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { CreateTokenRequest } from '../../gen/tocsin/console/v1/tokens_pb.ts';
import type { OpenAccount } from '../configuration/change.ts';
import type { ConsoleOn } from '../configuration/console.ts';
import { faultsOf, invalidField, invalidFields, thingsFull } from '../configuration/errors.ts';
import { name, timeOrNever } from '../configuration/fields.ts';
import { chosenTime } from '../process/wall-clock.ts';
import { pageAsked, pageOf } from '../rpc/pages.ts';
import { protoTime, timeAt, timeText } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import { ConsoleToken } from '../store/entities/key.ts';
import { newId } from '../store/id.ts';
import { newRowsOf, saveRows } from '../store/save-rows.ts';
import { newSecret, type Pepper, pepperId, secretDigest } from '../store/secret.ts';

const schema = z.strictObject({ label: name, expiresAt: timeOrNever });

/** What is asked of a new token; `expiresAt` as ISO text, empty for never. */
type TokenDoc = z.infer<typeof schema>;

type TokenRow = InferEntity<typeof ConsoleToken>;

/** Creates a console token for one account. The secret can be shown only now: only its digest is stored. */
export async function mintToken(
  { client, em, accountId }: Pick<OpenAccount, 'client' | 'em' | 'accountId'>,
  pepper: Pepper,
  { label, expiresAt }: TokenDoc,
) {
  const secret = newSecret('tcn');
  const id = newId();
  const ends = expiresAt === '' ? null : chosenTime(expiresAt);
  const row = { id, accountId, digest: secretDigest(pepper, secret), pepper: pepperId(pepper), label, expiresAt: ends };
  await saveRows(client, em, [newRowsOf(ConsoleToken, [row])]);
  return { row: (await readToken(em, accountId, id))!, secret };
}

function readToken(em: EntityManager, accountId: string, id: string): Promise<TokenRow | null> {
  return em.findOne(ConsoleToken, { accountId, id }, { disableIdentityMap: true });
}

/** Creates a further token for the account. Throws INVALID_ARGUMENT for an invalid label or a past expiry. */
export async function createToken(deps: ConsoleOn, open: OpenAccount, asked: CreateTokenRequest) {
  const result = schema.safeParse({ label: asked.label, expiresAt: timeText(asked.expiresAt) });
  if (!result.success) throw invalidFields(faultsOf(result.error));
  const { label, expiresAt } = result.data;
  const { row, secret } = await mintToken(open, deps.pepper, result.data);
  const most = deps.kept.thingsMost('token');
  if ((await open.em.count(ConsoleToken, { accountId: open.accountId, status: 'active' })) > most) {
    throw thingsFull('token', most);
  }
  if (row.status === 'expired') {
    throw invalidField('expiresAt', say().accepts.timeToCome, expiresAt);
  }
  await open.record({
    kind: 'token',
    thingId: row.id,
    name: label,
    action: 'create',
    before: null,
    after: { label, expiresAt },
  });
  return { token: tokenView(row), secret };
}

/**
 * Returns a page of the account's own tokens in the order of creation, including expired and revoked ones; never the
 * operator's.
 */
export async function tokensPage(
  em: EntityManager,
  accountId: string,
  request: { pageSize: number; pageToken: string },
) {
  const { after, size } = pageAsked(request);
  const within = { accountId, seq: { $gt: after } };
  const found = await em.find(ConsoleToken, within, { orderBy: { seq: 'asc' }, limit: size + 1 });
  const { page, nextPageToken } = pageOf(found, size, ({ seq }) => seq);
  return {
    tokens: page.map(tokenView),
    nextPageToken,
  };
}

/** Ends a token at once. Returns null if the account has none with this id. */
export async function revokeToken(open: OpenAccount, id: string) {
  const { em, accountId } = open;
  await em.nativeUpdate(ConsoleToken, { accountId, id, revokedAt: null }, { revokedAt: raw('tocsin_now()') });
  const row = await readToken(em, accountId, id);
  if (row === null) return null;
  await open.record({
    kind: 'token',
    thingId: id,
    name: row.label,
    action: 'revoke',
    before: { label: row.label },
    after: { label: row.label },
  });
  return tokenView(row);
}

/** A token of an account; the operator's belongs to none. */
function tokenView({ id, label, status, createdAt, expiresAt, revokedAt }: TokenRow) {
  return {
    id,
    kind: 'account',
    label,
    status,
    createdAt: protoTime(createdAt),
    ...timeAt('expiresAt', expiresAt),
    ...timeAt('revokedAt', revokedAt),
  };
}
