import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import {
  type Account,
  AccountSchema,
  CreateAccountResponseSchema,
  GetAccountResponseSchema,
  UpdateAccountResponseSchema,
} from '../../../gen/tocsin/console/v1/accounts_pb.ts';
import { clean, dollars } from '../../../services/process/text.ts';
import { changed, onVersionRead } from '../change.ts';
import { formatDuration } from '../duration.ts';
import { examples } from '../flags.ts';
import { listenerLines } from '../listeners.ts';
import { collect, type PageOptions, pageFlags } from '../pages.ts';
import type { Act } from '../session.ts';
import { facts } from '../table.ts';
import { time } from '../text.ts';
import { addAccountEnds } from './account-ends.ts';
import { ACCOUNT_FLAGS, type AccountOptions, accountFlags, accountGiven } from './account-flags.ts';
import { addAccountLimits } from './account-limits.ts';

const PLAN = 'free or paid';

/** `tocsin accounts`: who owns everything else. The operator names the account by --account or TOCSIN_ACCOUNT. */
export function addAccounts(program: Command, act: Act): void {
  const accounts = program.command('accounts');

  const create = accounts
    .command('create')
    .description("makes an account (operator's token) and its first console token");
  create.requiredOption('--name <name>', 'display name');
  accountFlags(create, `${PLAN} (the deployment's PLAN_DEFAULT)`);
  examples(create, 'accounts create --name "The Elms" --owner-email owner@example.com').action(
    act(async (session, options: AccountOptions) => {
      const { values } = changed(accountGiven(options), ACCOUNT_FLAGS);
      const answer = await session.rpc.accounts.createAccount({ account: values });
      session.answer(CreateAccountResponseSchema, answer, () => [
        session.paint('green', `Created the account ${clean(answer.account!.name)}.`),
        '',
        `export TOCSIN_ACCOUNT=${answer.account!.id}`,
        `export TOCSIN_TOKEN=${answer.token}`,
        '',
        'The token opens this account alone. It is shown only now.',
        '',
        ...listenerLines(session, { ...answer, ownerEmail: answer.account!.ownerEmail }),
      ]);
    }),
  );

  const show = accounts.command('show').description('shows the account of the token, or the one of --account');
  examples(show, 'accounts show').action(
    act(async session => {
      const answer = await session.rpc.accounts.getAccount({});
      session.answer(GetAccountResponseSchema, answer, () => lines(answer.account!));
    }),
  );

  const list = pageFlags(
    accounts.command('list').description("lists the accounts of this deployment (operator's token)"),
  );
  examples(list, 'accounts list').action(
    act(async (session, options: PageOptions) => {
      const page = await collect(options, async (pageSize, pageToken) => {
        const answer = await session.rpc.accounts.listAccounts({ pageSize, pageToken });
        return { items: answer.accounts, nextPageToken: answer.nextPageToken };
      });
      session.list(
        AccountSchema,
        page,
        COLUMNS,
        'There are no accounts yet. Create one: tocsin accounts create --name Home',
      );
    }),
  );

  const update = accounts
    .command('update')
    .description(
      "changes what the account is set to; its plan, its ceiling and a higher cap take the operator's token",
    );
  accountFlags(update.option('--name <name>', 'display name'), PLAN);
  examples(
    update,
    'accounts update --owner-email owner@example.com --daily-spend-cap-cents 500',
    'accounts update --still-happening 15m',
    'accounts update --plan paid',
  ).action(
    act(async (session, options: AccountOptions) => {
      const { values, paths } = changed(accountGiven(options), ACCOUNT_FLAGS);
      const { account } = await session.rpc.accounts.getAccount({});
      const answer = await onVersionRead(session, { what: 'account', thing: { ...account!, key: account!.name } }, () =>
        session.rpc.accounts.updateAccount({
          account: { ...values, id: account!.id, version: account!.version },
          updateMask: { paths },
        }),
      );
      session.answer(UpdateAccountResponseSchema, answer, () => [
        ...lines(answer.account!),
        ...listenerLines(session, { ...answer, ownerEmail: answer.account!.ownerEmail }),
      ]);
    }),
  );

  addAccountLimits(accounts, act);
  addAccountEnds(accounts, act);
}

const COLUMNS = [
  ['id', ({ id }: Account) => id],
  ['name', ({ name }: Account) => name],
  ['plan', ({ plan }: Account) => plan],
  ['created', ({ createdAt }: Account) => (createdAt === undefined ? '' : time(timestampDate(createdAt)))],
] as const;

function lines(account: Account): string[] {
  const { id, name, plan, createdAt, version, ownerEmail, ownerLocale, ownerTimeZone, stillHappeningS } = account;
  const { dailySpendCapCents: cap = 0, dailySpendCeilingCents: ceiling = 0 } = account;
  return facts([
    ['Name', name],
    ['Id', id],
    ['Plan', plan],
    ["Owner's email", ownerEmail || 'none (tocsin members list shows the owners)'],
    ["Owner's language", ownerLocale],
    ["Owner's time zone", ownerTimeZone],
    [
      'Still happening',
      stillHappeningS === 0 ? 'never notified' : `notified again after ${formatDuration(stillHappeningS)}`,
    ],
    ['Drills', account.drills],
    ['Daily spend cap', cap === 0 ? 'none' : dollars(cap)],
    ['Daily spend ceiling', ceiling === 0 ? 'none' : `${dollars(ceiling)}, a fifth of it for each source`],
    ['Made', createdAt === undefined ? '' : time(timestampDate(createdAt))],
    ['Version', String(version)],
  ]);
}
