import { Code, ConnectError } from '@connectrpc/connect';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
import { type AuditRow, writeAudit } from '../configuration/audit-rows.ts';
import { memberActor, tokenActor } from '../domain/actor.ts';
import { qrCodeOf } from '../process/qr-code.ts';
import { badToken } from '../rpc/auth.ts';
import { invalidField } from '../rpc/fields.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import { isId } from '../store/id.ts';
import { isSecret, newSecret, type Pepper, secretDigest, underEach } from '../store/secret.ts';
import type { Connection } from '../store/statement.ts';
import { type Holder, shownAgent } from '../store/statements/access.ts';
import { endPhoneLink, findPhoneLink, keepPhoneLink, type PhoneLink } from '../store/statements/phone-link.ts';
import { managerWithin } from '../store/store.ts';

/** How long the URL may be that a second device opens, in characters: a QR code of more is read by few cameras. */
const URL_MOST = 500;

/**
 * Makes the link with which a session signs in a second device as itself (DECISIONS.md "Signing in by a QR code"). `consoleUrl`: where
 * that device reaches the console. Throws PERMISSION_DENIED for a console token itself, INVALID_ARGUMENT, UNAUTHENTICATED.
 */
export async function makePhoneLink(
  on: { pool: Pool; pepper: Pepper },
  { session }: Holder,
  asked: { consoleUrl: string; accountId: string },
) {
  if (session === null) throw new ConnectError(say().refusals.phoneLinkNeedsSession, Code.PermissionDenied);
  const secret = `${newSecret('tcp')}.${session.id}`;
  const url = `${signInAt(asked.consoleUrl)}#${secret}`;
  const { accountId } = asked;
  const expiresAt = await keepPhoneLink(on.pool, secretDigest(on.pepper, secret), { sessionId: session.id, accountId });
  if (expiresAt === null) throw badToken('tcs_');
  const { size: qrSize, path: qrPath } = qrCodeOf(url);
  return { url, expiresAt: protoTime(expiresAt), qrSize, qrPath };
}

function signInAt(consoleUrl: string): string {
  const read = URL.canParse(consoleUrl) ? new URL(consoleUrl) : null;
  const isGood =
    read !== null && /^https?:$/.test(read.protocol) && read.username + read.password + read.search + read.hash === '';
  if (!isGood || consoleUrl.length > URL_MOST) throw invalidField('consoleUrl', say().accepts.publicUrl, consoleUrl);
  return new URL('sign-in', read.href.replace(/\/*$/, '/')).href;
}

/** Returns whom a link signs in. Changes nothing. Throws UNAUTHENTICATED. */
export async function lookAtPhoneLink(on: { pool: Pool; pepper: Pepper }, secret: string) {
  const found = await linkOf(on.pool, on.pepper, secret);
  if (found === null) throw new ConnectError(say().refusals.signIn.phoneLink, Code.Unauthenticated);
  const { member, token, accountNames } = found.link;
  return {
    kind: token?.kind ?? 'member',
    name: member?.name ?? (token?.kind === 'account' ? token.label : ''),
    accountNames,
  };
}

/**
 * Uses a link, once: returns whom the new session belongs to, and leaves a line in the audit of the account; null if it is no good.
 * Call it in the transaction that makes the session.
 */
export async function takePhoneLink(
  on: { client: PoolClient; orm: MikroORM; pepper: Pepper },
  secret: string,
  agent: string,
): Promise<Pick<PhoneLink, 'person' | 'tokenDigest'> | null> {
  const found = await linkOf(on.client, on.pepper, secret);
  if (found === null || (await endPhoneLink(on.client, found.digest)) === 'gone') return null;
  const { member, token, person, tokenDigest } = found.link;
  const signedInOn = shownAgent(agent);
  const audit = (accountId: string) => ({ client: on.client, em: managerWithin(on.orm, on.client), accountId });
  if (member !== null) {
    const { accountId, memberId, name, email, role } = member;
    const before = { email, name, role };
    await writeAudit(audit(accountId), memberActor(member), [lineOf('member', memberId, name, before, signedInOn)]);
  } else if (token !== null && token.accountId !== null) {
    const { id, label } = token;
    await writeAudit(audit(token.accountId), tokenActor(token), [lineOf('token', id, label, { label }, signedInOn)]);
  }
  return { person, tokenDigest };
}

function lineOf(kind: 'member' | 'token', thingId: string, name: string, before: object, signedInOn: string): AuditRow {
  return { kind, thingId, name, action: 'update', before, after: { ...before, signedInOn } };
}

/** The session is part of what is digested, so a link leads to none but the one that made it. */
async function linkOf(
  db: Connection,
  pepper: Pepper,
  secret: string,
): Promise<{ link: PhoneLink; digest: Buffer } | null> {
  const [own = '', sessionId = '', ...more] = secret.split('.');
  if (more.length > 0 || !isSecret('tcp', own) || !isId(sessionId)) return null;
  for (const digest of underEach(pepper, secret)) {
    const link = await findPhoneLink(db, digest, sessionId);
    if (link !== null) return { link, digest };
  }
  return null;
}
