import type { ConnectError, HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { AccountService } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import type { Actor } from '../domain/actor.ts';
import { accessOf } from '../rpc/auth.ts';
import { pageAsked, pageOf } from '../rpc/pages.ts';
import { Account } from '../store/entities/account.ts';
import { createAccount, updateAccount } from './account-changes.ts';
import { deleteAccount } from './account-deletion.ts';
import { eraseAccount } from './account-erasure.ts';
import { accountAsked, accountView, openedAccount, readAccount } from './account-view.ts';
import { changeAccount } from './change.ts';
import { type ConsoleOn, changing, given, operatorOnly, reading } from './console.ts';
import { deletedAccountsPage } from './deleted-accounts.ts';
import type { DeploymentSettings } from './deployment.ts';
import { invalidFields, noSuch } from './errors.ts';
import { noticesPage } from './notices.ts';
import { planView } from './plan-view.ts';
import { spendView } from './spend.ts';
import { createToken, revokeToken, tokensPage } from './tokens.ts';

/** Accounts, their plans, notices and spending, and their console tokens. */
export function createAccountService(
  on: ConsoleOn,
  { planDefault, webhookSecret }: Pick<DeploymentSettings, 'planDefault' | 'webhookSecret'>,
): ServiceImpl<typeof AccountService> {
  /** Answers a call that only the operator may make. */
  async function asOperator<T>(context: HandlerContext, what: string, work: (actor: Actor) => Promise<T>): Promise<T> {
    const access = await accessOf(on.store, on.pepper, context);
    if (access.token !== 'operator') throw operatorOnly(what);
    return work(access.actor);
  }

  return {
    createAccount: ({ account }, context) =>
      asOperator(context, 'Making an account', async actor => {
        const asked = accountAsked(given(account, 'account'), planDefault);
        const { account: made, token } = await createAccount(on, actor, asked);
        return { account: accountView(made), token };
      }),
    getAccount: (_request, context) =>
      reading(on, context, async ({ accountId }) => ({
        account: accountView(await readAccount(on.orm.em.fork(), accountId, on.seal)),
      })),
    listAccounts: (request, context) =>
      asOperator(context, 'Listing accounts', async () => {
        const { after, size } = pageAsked(request);
        const em = on.orm.em.fork();
        const found = await em.find(Account, { seq: { $gt: after } }, { orderBy: { seq: 'asc' }, limit: size + 1 });
        const { page, nextPageToken } = pageOf(found, size, ({ seq }) => seq);
        return {
          accounts: page.map(row => accountView(openedAccount(row, on.seal))),
          nextPageToken,
        };
      }),
    updateAccount: ({ account, updateMask }, context) =>
      reading(on, context, async access => {
        const asked = given(account, 'account');
        if (asked.id !== '' && asked.id !== access.accountId) throw anotherAccount('account.id');
        const changed = await changeAccount(on, access, open =>
          updateAccount(open, on.pepper, access, asked, updateMask?.paths ?? []),
        );
        return { account: accountView(changed) };
      }),
    deleteAccount: ({ accountId }, context) =>
      reading(on, context, async access => {
        if (access.token !== 'operator') throw operatorOnly('Deleting an account');
        if (accountId !== access.accountId) throw anotherAccount('accountId');
        await deleteAccount(on, access);
        return {};
      }),
    listDeletedAccounts: (request, context) =>
      asOperator(context, 'Listing deleted accounts', () => deletedAccountsPage(on.pool, request)),
    eraseAccount: ({ accountId }, context) =>
      reading(
        on,
        context,
        async access => {
          if (access.token !== 'operator') throw operatorOnly('Erasing an account');
          if (accountId !== access.accountId) throw anotherAccount('accountId');
          return eraseAccount(on.pool, access);
        },
        'deleted_too',
      ),
    getPlan: (_request, context) => reading(on, context, ({ accountId }) => planView(on.pool, accountId)),
    getWebhookSecret: (_request, context) =>
      reading(on, context, async ({ accountId }) => ({ secret: webhookSecret(accountId) })),
    listNotices: (request, context) =>
      reading(on, context, ({ accountId }) => noticesPage(on.orm.em.fork(), accountId, request)),
    getSpend: ({ days }, context) => reading(on, context, ({ accountId }) => spendView(on.pool, accountId, days)),
    createToken: (request, context) =>
      reading(on, context, access => {
        if (access.token !== 'operator') throw operatorOnly('Making a console token');
        return changeAccount(on, access, open => createToken(on, open, request));
      }),
    listTokens: (request, context) =>
      reading(on, context, ({ accountId }) => tokensPage(on.orm.em.fork(), accountId, request)),
    revokeToken: ({ tokenId }, context) =>
      changing(on, context, async open => {
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
  const problem = 'takes the id of the account of the call, the one that the token or x-tocsin-account names.';
  return invalidFields([{ field, problem }]);
}
