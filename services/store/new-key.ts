import type { EntityManager } from '@mikro-orm/postgresql';
import { ApiKey, ApiKeySecret } from './entities/key.ts';
import { newId } from './id.ts';
import { newSecret, secretDigest } from './secret.ts';

/**
 * Adds an API key to the unit of work, for the whole account or for one alarm. Gives its id and the secret, which can be
 * shown this once: only its digest is stored.
 */
export function addApiKey(
  em: EntityManager,
  pepper: string,
  key: { accountId: string; label: string; alarmId?: string },
): { id: string; secret: string } {
  const id = newId();
  const secret = newSecret('toc');
  em.create(ApiKey, { ...key, id });
  em.create(ApiKeySecret, {
    digest: secretDigest(pepper, secret),
    accountId: key.accountId,
    keyId: id,
    last4: secret.slice(-4),
  });
  return { id, secret };
}
