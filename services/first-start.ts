import { type Demo, seedDemo } from './demo.ts';
import type { Plan } from './domain/plan.ts';
import { ensureOperatorToken } from './operator-token.ts';
import type { Seal } from './store/seal.ts';
import type { Store } from './store/store.ts';
import { Unshown } from './store/unshown.ts';

/** What a first start makes and shows once; null where there is nothing to show. */
export interface FirstSecrets {
  demo: Demo | null;
  consoleToken: string | null;
}

const ID = 'first start';

/**
 * Makes what a new deployment needs: the operator's token and the demo. What it made is kept, sealed, in the same
 * transaction, until `shown` says that it was seen: a start that is killed in between leaves it for the next one.
 */
export async function prepareFirstStart(
  store: Store,
  on: { pepper: string; seal: Seal; plan: Plan; demoEmail: string | null; consoleToken: string | null },
): Promise<FirstSecrets & { shown(): Promise<void> }> {
  const secrets = await store.orm.em.fork().transactional(async em => {
    const made: FirstSecrets = {
      demo: await seedDemo(em, on),
      consoleToken: await ensureOperatorToken(em, on.pepper, on.consoleToken),
    };
    const kept = await em.findOne(Unshown, { id: ID });
    const before: FirstSecrets =
      kept === null ? { demo: null, consoleToken: null } : JSON.parse(on.seal.open(kept.sealed));
    const unshown = { demo: made.demo ?? before.demo, consoleToken: made.consoleToken ?? before.consoleToken };
    if (unshown.demo !== null || unshown.consoleToken !== null) {
      await em.upsert(Unshown, { id: ID, sealed: on.seal.seal(JSON.stringify(unshown)) });
    }
    return unshown;
  });
  return {
    ...secrets,
    async shown() {
      await store.orm.em.fork().nativeDelete(Unshown, { id: ID });
    },
  };
}
