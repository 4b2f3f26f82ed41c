import type { ConnectError, HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { AccountService } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import { createToken, revokeToken, tokensPage } from '../access/tokens.ts';
import { updateAccount } from '../configuration/account-changes.ts';
import { accountAsked, accountView, openedAccount, readAccount } from '../configuration/account-view.ts';
import { changeAccount } from '../configuration/change.ts';
import { type ConsoleOn, changing, operatorOnly, requireField } from '../configuration/console.ts';
import { invalidFields, noSuch } from '../configuration/errors.ts';
import type { Actor } from '../domain/actor.ts';
import { accessOf, withAccess } from '../rpc/auth.ts';
import { pageAsked, pageOf } from '../rpc/pages.ts';
import { say } from '../rpc/reader.ts';
import { Account } from '../store/entities/account.ts';
import type { OperatorAct } from '../words/owner/types.ts';
import { deleteAccount } from './account-deletion.ts';
import { eraseAccount } from './account-erasure.ts';
import { deletedAccountsPage } from './deleted-accounts.ts';
import type { DeploymentSettings } from './deployment.ts';
import { createAccount } from './new-account.ts';
import { noticesPage } from './notices.ts';
import { planView } from './plan-view.ts';
import { spendView } from './spend.ts';

/** Accounts, their plans, notices and spending, and their console tokens. */
export function createAccountService(
  deps: ConsoleOn,
  { planDefault, webhookSecret }: Pick<DeploymentSettings, 'planDefault' | 'webhookSecret'>,
): ServiceImpl<typeof AccountService> {
  const { store, pepper, pool, seal } = deps;
  const asked = withAccess(store, pepper);
  const askedOfDeleted = withAccess(store, pepper, 'deleted_too');
  const change = changing(deps);

  /** Asks an owner whom a change named, and says what is wrong with the account then. */
  async function afterwards(accountId: string) {
    const invitation = await deps.askOwners(accountId);
    return { invitation, findings: await deps.findingsOfAccount(accountId) };
  }

  /** Returns a method that only the operator may call. */
  function asOperator<Request, Response>(
    act: OperatorAct,
    answer: (request: Request, actor: Actor) => Promise<Response>,
  ) {
    return async (request: Request, context: HandlerContext): Promise<Response> => {
      const { token, actor } = await accessOf(store, pepper, context);
      if (token !== 'operator') throw operatorOnly(act);
      return answer(request, actor);
    };
  }

  return {
    createAccount: asOperator('create_account', async ({ account }, actor) => {
      const wanted = accountAsked(requireField(account, 'account'), planDefault);
      const { account: made, token } = await createAccount(deps, actor, wanted);
      return { account: accountView(made), token, ...(await afterwards(made.id)) };
    }),
    getAccount: asked(async (_request, { accountId }) => ({
      account: accountView(await readAccount(deps.orm.em.fork(), accountId, seal)),
    })),
    listAccounts: asOperator('list_accounts', async request => {
      const { after, size } = pageAsked(request);
      const em = deps.orm.em.fork();
      const found = await em.find(Account, { seq: { $gt: after } }, { orderBy: { seq: 'asc' }, limit: size + 1 });
      const { page, nextPageToken } = pageOf(found, size, ({ seq }) => seq);
      return { accounts: page.map(row => accountView(openedAccount(row, seal))), nextPageToken };
    }),
    updateAccount: asked(async ({ account, updateMask }, who) => {
      const wanted = requireField(account, 'account');
      if (wanted.id !== '' && wanted.id !== who.accountId) throw anotherAccount('account.id');
      const changed = await changeAccount(deps, who, open =>
        updateAccount(open, pepper, who, wanted, updateMask?.paths ?? []),
      );
      return { account: accountView(changed), ...(await afterwards(who.accountId)) };
    }),
    deleteAccount: asked(async ({ accountId, withContents }, who) => {
      if (who.token !== 'operator') throw operatorOnly('delete_account');
      if (accountId !== who.accountId) throw anotherAccount('accountId');
      await deleteAccount(deps, who, withContents ? 'live_too' : 'unless_live');
      return {};
    }),
    listDeletedAccounts: asOperator('list_deleted', request => deletedAccountsPage(pool, request)),
    eraseAccount: askedOfDeleted(({ accountId }, who) => {
      if (who.token !== 'operator') throw operatorOnly('erase_account');
      if (accountId !== who.accountId) throw anotherAccount('accountId');
      return eraseAccount(pool, who);
    }),
    getPlan: asked((_request, { accountId }) => planView(pool, accountId)),
    getWebhookSecret: asked((_request, { accountId }) => ({ secret: webhookSecret(accountId) })),
    listNotices: asked((request, { accountId }) => noticesPage(deps.orm.em.fork(), accountId, request)),
    getSpend: asked(({ days }, { accountId }) => spendView(pool, accountId, days)),
    createToken: asked((request, who) => {
      if (who.token !== 'operator') throw operatorOnly('create_token');
      return changeAccount(deps, who, open => createToken(deps, open, request));
    }),
    listTokens: asked((request, { accountId }) => tokensPage(deps.orm.em.fork(), accountId, request)),
    revokeToken: change(async ({ tokenId }, open) => {
      const token = await revokeToken(open, tokenId);
      if (token === null) throw noSuch('token');
      return { token };
    }),
  };
}

/**
 * The metadata names the account of a call. A request that names another one is a mistake and would hit the wrong
 * account.
 */
function anotherAccount(field: string): ConnectError {
  return invalidFields([{ field, problem: say().accepts.accountOfCall }]);
}
