import type { EntityManager } from '@mikro-orm/postgresql';
import type { PoolClient } from 'pg';
import type { Actor } from '../domain/actor.ts';
import { Audit, type AuditKind, type ChangeAction } from '../store/entities/audit.ts';
import { newRowsOf, saveRows } from '../store/save-rows.ts';

/** One entry of the audit. `before` and `after` contain no secrets, and addresses only sealed. */
export interface AuditRow {
  kind: AuditKind;
  thingId: string;
  name: string;
  action: ChangeAction;
  before: object | null;
  after: object | null;
}

/** Writes who changed what, in the transaction of the change. */
export async function writeAudit(
  { client, em, accountId }: { client: PoolClient; em: EntityManager; accountId: string },
  { name: actor, kind: actorKind, tokenId: actorTokenId, memberId: actorMemberId }: Actor,
  rows: readonly AuditRow[],
): Promise<void> {
  const by = { accountId, actor, actorKind, actorTokenId, actorMemberId: actorMemberId ?? null };
  await saveRows(client, em, [
    newRowsOf(
      Audit,
      rows.map(row => ({ ...by, ...row })),
    ),
  ]);
}
