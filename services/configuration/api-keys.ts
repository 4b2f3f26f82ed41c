import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { raw } from '@mikro-orm/postgresql';
import type { ApiKey, ApiKeyService } from '../../gen/tocsin/console/v1/api_keys_pb.ts';
import { chosenAt, timeAt, timeText } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import { ApiKey as ApiKeyRow } from '../store/entities/key.ts';
import { newId } from '../store/id.ts';
import type { OpenAccount } from './change.ts';
import { type ConsoleOn, changing, requireField } from './console.ts';
import { createCrud, newDocument } from './crud.ts';
import { editOf } from './edit.ts';
import { invalidField, invalidFields } from './errors.ts';
import { orAbsent } from './messages.ts';
import { thingNamed } from './no-such.ts';
import type { Stored } from './resource.ts';
import { type ApiKeyDoc, apiKey as resource } from './resources/api-key.ts';
import { addSecret, endOtherSecrets } from './secrets.ts';

/** How long previous secrets remain valid after a rotation, in seconds: a day by default. */
const OVERLAP_S = { usual: 86_400, most: 30 * 86_400 } as const;

/** The keys that give access to /v1 (SPEC.md 5, DECISIONS.md "Key format"). */
export function createApiKeyService(deps: ConsoleOn): ServiceImpl<typeof ApiKeyService> {
  const keys = createCrud(deps, { resource, kept: [], givenBy, viewer: async () => view, mayChange: refuseChange });

  const change = changing(deps);

  /**
   * Changes one key. Returns the key afterwards, read in the same transaction: if a later read failed, a secret that is
   * shown only once would be lost.
   */
  async function changeKey(open: OpenAccount, named: string, work: (key: Stored<ApiKeyDoc>) => Promise<string>) {
    const key = await thingNamed(open, resource, named);
    const secret = await work(key);
    return { apiKey: view(await thingNamed(open, resource, key.id)), secret };
  }

  return {
    createApiKey: change(async ({ apiKey }, open) => {
      const after = await newDocument(open, resource, givenBy(requireField(apiKey, 'apiKey')));
      const id = newId();
      await open.write([editOf(resource, id, null, after)]);
      const secret = await addSecret({ ...open, keyId: id, pepper: deps.pepper });
      return { apiKey: view(await thingNamed(open, resource, id)), secret };
    }),
    getApiKey: async ({ apiKeyId }, context) => ({ apiKey: await keys.get(apiKeyId, context) }),
    async listApiKeys(request, context) {
      const { things, nextPageToken } = await keys.list(request, context);
      return { apiKeys: things, nextPageToken };
    },
    async updateApiKey({ apiKey, updateMask }, context) {
      return { apiKey: (await keys.update({ message: apiKey, mask: updateMask }, context)).thing };
    },
    rotateApiKey: change(({ apiKeyId, overlapS = OVERLAP_S.usual }, open) =>
      changeKey(open, apiKeyId, async key => {
        refuseRevoked(key);
        if (overlapS < 0 || overlapS > OVERLAP_S.most) {
          throw invalidField('overlapS', say().accepts.seconds(0, OVERLAP_S.most), overlapS);
        }
        const of = { ...open, keyId: key.id, pepper: deps.pepper };
        const secret = await addSecret(of);
        await endOtherSecrets(of, secret, overlapS);
        await open.record(auditOf('rotate', key, { overlapS }));
        return secret;
      }),
    ),
    revokeApiKey: change(async ({ apiKeyId }, open) => {
      const { apiKey } = await changeKey(open, apiKeyId, async key => {
        await revokeKey(open, key);
        return '';
      });
      return { apiKey };
    }),
  };
}

/**
 * Ends a key at once (DECISIONS.md "Key format"): the next call gets a 401, its sockets are closed. Repeating it
 * changes nothing.
 */
export async function revokeKey(open: OpenAccount, key: Stored<ApiKeyDoc>): Promise<void> {
  if (key.facts.status === 'revoked') return;
  const { em, accountId } = open;
  await em.nativeUpdate(ApiKeyRow, { accountId, id: key.id, revokedAt: null }, { revokedAt: raw('tocsin_now()') });
  await open.record(auditOf('revoke', key, {}));
}

function auditOf(action: 'rotate' | 'revoke', key: Stored<ApiKeyDoc>, more: Record<string, unknown>) {
  return {
    kind: 'api_key' as const,
    thingId: key.id,
    name: key.doc.label,
    action,
    before: key.doc,
    after: { ...key.doc, ...more },
  };
}

async function refuseChange(_open: OpenAccount, before: Stored<ApiKeyDoc>, after: ApiKeyDoc): Promise<void> {
  refuseRevoked(before);
  if (before.doc.alarmId === after.alarmId) return;
  throw invalidFields([{ field: 'alarmId', problem: say().accepts.reachIsFixed }]);
}

function refuseRevoked({ doc, facts }: Stored<ApiKeyDoc>): void {
  if (facts.status !== 'revoked') return;
  throw new ConnectError(say().refusals.keyRevoked(doc.label), Code.FailedPrecondition);
}

function givenBy({ key, label, alarmId, expiresAt, lookUrl, supervisionS, onSilence }: ApiKey) {
  const expires = timeText(expiresAt);
  return {
    key: orAbsent(key),
    label,
    alarmId,
    expiresAt: expires,
    lookUrl,
    supervisionS,
    onSilence: orAbsent(onSilence),
  };
}

/** What the product knows about a key. */
interface KeyFacts {
  createdAt: Date;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  lastUsedAddress: string;
  lastUsedAgent: string;
  status: string;
  aliveAt: Date | null;
  silentSince: Date | null;
  proposedSupervisionS: number;
  secrets: { last4: string; createdAt: Date; endsAt: Date | null }[];
}

function view({ id, version, doc, facts }: Stored<ApiKeyDoc>) {
  const known = facts as unknown as KeyFacts;
  return {
    id,
    version,
    key: doc.key,
    label: doc.label,
    alarmId: doc.alarmId,
    ...chosenAt('expiresAt', doc.expiresAt),
    lookUrl: doc.lookUrl,
    ...timeAt('createdAt', known.createdAt),
    ...timeAt('revokedAt', known.revokedAt),
    ...timeAt('lastUsedAt', known.lastUsedAt),
    lastUsedAddress: known.lastUsedAddress,
    lastUsedAgent: known.lastUsedAgent,
    status: known.status,
    supervisionS: doc.supervisionS,
    onSilence: doc.onSilence,
    ...timeAt('aliveAt', known.aliveAt),
    ...timeAt('silentSince', known.silentSince),
    proposedSupervisionS: known.proposedSupervisionS,
    secrets: known.secrets.map(({ last4, createdAt, endsAt }) => ({
      last4,
      ...timeAt('createdAt', createdAt),
      ...timeAt('endsAt', endsAt),
    })),
  };
}
