import type { EntityManager } from '@mikro-orm/postgresql';
import type { PoolClient } from 'pg';
import type { ReadFile } from '../configuration/file/apply.ts';
import type { NewSecret } from '../configuration/file/write.ts';
import type { Plan } from '../domain/plan.ts';
import { ConsoleToken } from '../store/entities/key.ts';
import { Unshown } from '../store/entities/unshown.ts';
import { newId } from '../store/id.ts';
import type { Seal } from '../store/seal.ts';
import { newSecret, type Pepper, pepperId, secretDigest, underEach } from '../store/secret.ts';
import { inTransaction } from '../store/statement.ts';
import { adoptToken } from '../store/statements/adopt.ts';
import type { Store } from '../store/store.ts';
import { type Demo, seedDemo } from './demo.ts';

/** What a start makes and shows once; null or empty if there is nothing to show. */
export interface FirstSecrets {
  demo: Demo | null;
  consoleToken: string | null;
  /** API keys of CONFIG_FILE. */
  keys: NewSecret[];
}

/**
 * Makes what a new deployment needs: the operator's token and, without CONFIG_FILE, the demo. The secrets are stored, sealed, in
 * the same transaction until `shown` is called: if the start is killed in between, the next one shows them.
 */
export async function prepareFirstStart(
  store: Store,
  on: {
    pepper: Pepper;
    seal: Seal;
    plan: Plan;
    demo: 'wanted' | 'unwanted';
    demoEmail: string | null;
    consoleToken: string | null;
    read: ReadFile;
  },
): Promise<FirstSecrets & { shown(): Promise<void> }> {
  const { seal } = on;
  if (on.consoleToken !== null) await adoptConsoleToken(store, on.pepper, on.consoleToken);
  await store.orm.em.fork().transactional(async em => {
    const consoleToken = await ensureOperatorToken(em, on.pepper, on.consoleToken);
    if (consoleToken === null) return;
    await em.upsert(Unshown, { id: 'console token', sealed: seal.seal(JSON.stringify({ consoleToken })) });
  });
  if (on.demo === 'wanted') {
    await inTransaction(store.pool, async client => {
      const demo = await seedDemo(client, on);
      if (demo !== null) await keepUnshown(client, seal, { demo });
    });
  }
  const kept = await store.orm.em.fork().find(Unshown, {});
  const parts = kept.map(({ sealed }) => JSON.parse(seal.open(sealed)) as Partial<FirstSecrets>);
  return {
    demo: parts.find(({ demo }) => demo)?.demo ?? null,
    consoleToken: parts.find(({ consoleToken }) => consoleToken)?.consoleToken ?? null,
    keys: parts.flatMap(({ keys = [] }) => keys),
    async shown() {
      await store.orm.em.fork().nativeDelete(Unshown, { id: { $in: kept.map(({ id }) => id) } });
    },
  };
}

/** Stores secrets that are to be shown once, in the transaction that made them. */
export async function keepUnshown(client: PoolClient, seal: Seal, secrets: Partial<FirstSecrets>): Promise<void> {
  const sealed = seal.seal(JSON.stringify(secrets));
  await client.query('INSERT INTO unshown (id, sealed) VALUES ($1, $2)', [newId(), sealed]);
}

/** While KEY_PEPPER is being changed the token that is set may be stored under the other one: sessions made with it stay. */
async function adoptConsoleToken(store: Store, pepper: Pepper, token: string): Promise<void> {
  const [digest, other] = underEach(pepper, token);
  if (other !== undefined) await adoptToken(store.pool, { other, digest: digest!, pepper: pepperId(pepper) });
}

/** The operator's token has one row, whatever its secret. */
export const OPERATOR_ID = 'operator';

/**
 * Ensures that the operator has a console token: CONSOLE_TOKEN, which replaces any earlier one, or a fresh one at the first start.
 * Returns the fresh secret, to be shown once, else null.
 */
export async function ensureOperatorToken(
  em: EntityManager,
  pepper: Pepper,
  set: string | null,
): Promise<string | null> {
  if (set === null && (await em.count(ConsoleToken, { id: OPERATOR_ID })) > 0) return null;
  const secret = set ?? newSecret('tcn');
  const digest = secretDigest(pepper, secret);
  const now = { digest, pepper: pepperId(pepper) };
  await em.upsert(ConsoleToken, { id: OPERATOR_ID, accountId: null, ...now, label: 'Operator', revokedAt: null });
  return set === null ? secret : null;
}
