import type { JsonObject } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import type { InferEntity } from '@mikro-orm/postgresql';
import type { AuditService } from '../../gen/tocsin/console/v1/audit_pb.ts';
import { withAccess } from '../rpc/auth.ts';
import { idFilter } from '../rpc/fields.ts';
import { pageAsked, pageOf } from '../rpc/pages.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { Audit } from '../store/entities/audit.ts';
import type { Seal } from '../store/seal.ts';
import { openedInAudit } from './account-view.ts';
import type { ConsoleOn } from './console.ts';
import { type ContactDoc, openedContact } from './resources/contact.ts';

/** Who changed what, newest first; the operator also sees deleted accounts. */
export function createAuditService(deps: ConsoleOn): ServiceImpl<typeof AuditService> {
  const asked = withAccess(deps.store, deps.pepper, 'deleted_too');
  return {
    listChanges: asked(async ({ thingId, ...request }, { accountId }) => {
      const { after, size } = pageAsked(request);
      const rows = await deps.store.orm.em.fork().find(
        Audit,
        {
          accountId,
          ...idFilter('thingId', 'thingId', thingId),
          ...(after === '0' ? {} : { id: { $lt: after } }),
        },
        { orderBy: { id: 'desc' }, limit: size + 1 },
      );
      const { page, nextPageToken } = pageOf(rows, size, ({ id }) => id);
      return { changes: page.map(row => view(row, deps.seal)), nextPageToken };
    }),
  };
}

function view(row: InferEntity<typeof Audit>, seal: Seal) {
  const { at, actor, actorKind, actorTokenId, actorMemberId, kind, thingId, name, action } = row;
  const opened = (doc: Record<string, unknown>) => {
    if (kind === 'account') return openedInAudit(doc, seal) as JsonObject;
    if (kind === 'member') return { ...doc, email: seal.open(String(doc.email)) } as JsonObject;
    const readable = kind === 'contact' ? openedContact(doc as unknown as ContactDoc, seal) : doc;
    return readable as unknown as JsonObject;
  };
  return {
    at: protoTime(at),
    actor,
    actorKind,
    actorTokenId: actorTokenId ?? '',
    actorMemberId: actorMemberId ?? '',
    kind,
    thingId,
    name,
    action,
    ...(row.before ? { before: opened({ ...row.before }) } : {}),
    ...(row.after ? { after: opened({ ...row.after }) } : {}),
  };
}
