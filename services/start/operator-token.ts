import type { EntityManager } from '@mikro-orm/postgresql';
import { ConsoleToken } from '../store/entities/key.ts';
import { newSecret, secretDigest } from '../store/secret.ts';

/** The operator's token has one row, whatever its secret. */
const ID = 'operator';

/**
 * Sees to it that the operator has a console token (CONSOLE_TOKEN): the one that was set, which replaces any
 * earlier one, or a fresh one at first start. Gives the fresh secret to be shown this once, else null.
 */
export async function ensureOperatorToken(
  em: EntityManager,
  pepper: string,
  set: string | null,
): Promise<string | null> {
  if (set === null && (await em.count(ConsoleToken, { id: ID })) > 0) return null;
  const secret = set ?? newSecret('tcn');
  const digest = secretDigest(pepper, secret);
  await em.upsert(ConsoleToken, { id: ID, accountId: null, digest, label: 'Operator', revokedAt: null });
  return set === null ? secret : null;
}
