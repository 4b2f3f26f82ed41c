import type { ConnectError, HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { AccountService } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import { accessOf } from '../auth.ts';
import { CHANNELS } from '../domain/delivery.ts';
import { channelInPlan, type Plan, trialEndsAt } from '../domain/plan.ts';
import { timeAt } from '../proto-time.ts';
import { Account } from '../store/account.ts';
import { run, type Statement } from '../store/statement.ts';
import { unavailable } from '../unavailable.ts';
import { createAccount, deleteAccount } from './account-changes.ts';
import { accountAsked, accountFields, accountView, readAccount } from './account-view.ts';
import { changeAccount } from './change.ts';
import { type ConsoleOn, changing, given, operatorOnly, pageAsked, reading } from './console.ts';
import { changedMeanwhile, invalidFields, noSuch } from './errors.ts';
import { pageToken } from './read.ts';
import { createToken, listTokens, revokeToken } from './tokens.ts';

const nowStatement: Statement<{ now: Date }> = { name: 'now', text: 'SELECT tocsin_now() AS now' };

/** Accounts, their plans and their console tokens. `planDefault`: of accounts that name none (PLAN_DEFAULT). */
export function createAccountService(on: ConsoleOn, planDefault: Plan): ServiceImpl<typeof AccountService> {
  /** Answers a call that only the operator may make. */
  async function asOperator<T>(context: HandlerContext, what: string, work: (actor: string) => Promise<T>): Promise<T> {
    try {
      const access = await accessOf(on.store, on.pepper, context);
      if (access.token !== 'operator') throw operatorOnly(what);
      return await work(access.actor);
    } catch (error) {
      return unavailable(error);
    }
  }

  return {
    createAccount: ({ account }, context) =>
      asOperator(context, 'Making an account', async actor => {
        const asked = accountAsked(given(account, 'account'), planDefault);
        const { row, token } = await createAccount(on, actor, asked);
        return { account: accountView(row), token };
      }),
    getAccount: (_request, context) =>
      reading(on, context, async ({ accountId }) => ({ account: accountView(await readAccount(on.pool, accountId)) })),
    listAccounts: (request, context) =>
      asOperator(context, 'Listing accounts', async () => {
        const { after, size } = pageAsked(request);
        const em = on.store.orm.em.fork();
        const found = await em.find(Account, { seq: { $gt: after } }, { orderBy: { seq: 'asc' }, limit: size + 1 });
        const page = found.slice(0, size);
        return {
          accounts: page.map(accountView),
          nextPageToken: found.length > size ? pageToken(page.at(-1)!.seq) : '',
        };
      }),
    updateAccount: ({ account, updateMask }, context) =>
      reading(on, context, async access => {
        const asked = given(account, 'account');
        if (asked.id !== '' && asked.id !== access.accountId) throw anotherAccount('account.id');
        const row = await changeAccount(on, access, async open => {
          // Read and answered on the one connection of the change: a second one may be held by who waits for its lock.
          const before = await readAccount(open.client, open.accountId);
          if (asked.version !== before.version) throw changedMeanwhile('account', asked.version, before.version);
          const after = accountFields(asked, updateMask?.paths ?? [], before);
          if (after.plan !== before.plan && access.token !== 'operator') throw operatorOnly('Changing the plan');
          if (after.name === before.name && after.plan === before.plan) return before;
          const sql = 'UPDATE account SET name = $2, plan = $3, version = version + 1 WHERE id = $1';
          await open.client.query(sql, [open.accountId, after.name, after.plan]);
          await open.record({
            kind: 'account',
            thing_id: open.accountId,
            name: after.name,
            action: 'update',
            before: { name: before.name, plan: before.plan },
            after,
          });
          return readAccount(open.client, open.accountId);
        });
        return { account: accountView(row) };
      }),
    deleteAccount: ({ accountId }, context) =>
      reading(on, context, async access => {
        if (access.token !== 'operator') throw operatorOnly('Deleting an account');
        if (accountId !== access.accountId) throw anotherAccount('accountId');
        await deleteAccount(on, access);
        return {};
      }),
    getPlan: (_request, context) =>
      reading(on, context, async ({ accountId }) => {
        const { plan, createdAt } = await readAccount(on.pool, accountId);
        const endsAt = trialEndsAt(createdAt.getTime());
        const [clock] = await run(on.pool, nowStatement, []);
        const allowedAt = (at: number) =>
          CHANNELS.filter(channel => channelInPlan({ plan, trialEndsAt: endsAt }, channel, at) === 'in_plan');
        const channels = allowedAt(clock!.now.getTime());
        const later = allowedAt(endsAt);
        return {
          plan,
          ...timeAt('trialEndsAt', new Date(endsAt)),
          channels,
          channelsUntilTrialEnds: channels.filter(channel => !later.includes(channel)),
        };
      }),
    createToken: ({ label }, context) => changing(on, context, open => createToken(on, open, label)),
    listTokens: (_request, context) =>
      reading(on, context, async ({ accountId }) => ({ tokens: await listTokens(on, accountId) })),
    revokeToken: ({ tokenId }, context) =>
      changing(on, context, async open => {
        const token = await revokeToken(open, tokenId);
        if (token === null) throw noSuch('token');
        return { token };
      }),
  };
}

/** The account of a call is the one of its metadata: what names another one is a mistake, and the wrong account would suffer. */
function anotherAccount(field: string): ConnectError {
  const problem = 'takes the id of the account of the call, the one that the token or x-tocsin-account names.';
  return invalidFields([{ field, problem }]);
}
