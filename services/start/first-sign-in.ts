import { signInUrl } from '../access/member-mail.ts';
import { makeLink } from '../access/sign-in.ts';
import { changeAccount } from '../configuration/change.ts';
import { addOwnerNamed } from '../configuration/new-member.ts';
import { DEMO } from '../domain/actor.ts';
import { ConsoleToken } from '../store/entities/key.ts';
import type { Foundations } from './app.ts';
import { OPERATOR_ID } from './first-start.ts';

/**
 * Sets up who can sign in to a starting deployment: its owners, and once whoever reads its banner (DECISIONS.md
 * "Sign-in").
 */
export function prepareSignIn(deps: Pick<Foundations, 'store' | 'seal' | 'pepper' | 'bus' | 'deployment' | 'kept'>) {
  const { store, pepper } = deps;
  const { contactVerification } = deps.deployment;
  const changeOn = { ...deps, pool: store.pool, orm: store.orm, nudge() {}, contactVerification };
  return {
    /** Makes the demo's contact a member of its account; does nothing if `email` is null. */
    addOwnerOfDemo: (accountId: string, email: string | null) =>
      changeAccount(changeOn, { accountId, actor: DEMO }, open => addOwnerNamed(open, pepper, email ?? '')),
    /** Returns a link that signs in once as the operator. `url`: the console's address, without trailing slash. */
    async operatorLink(url: string): Promise<string> {
      const { digest } = await store.orm.em.fork().findOneOrFail(ConsoleToken, { id: OPERATOR_ID });
      const { secret } = await makeLink(deps, Buffer.from(digest));
      return `${signInUrl(url)}#${secret}`;
    },
  };
}
