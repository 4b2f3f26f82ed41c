import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import {
  type Account,
  AccountSchema,
  CreateAccountResponseSchema,
  DeleteAccountResponseSchema,
  GetAccountResponseSchema,
  GetPlanResponseSchema,
  UpdateAccountResponseSchema,
} from '../../../gen/tocsin/console/v1/accounts_pb.ts';
import { agree } from '../ask.ts';
import { changed, onVersionRead } from '../change.ts';
import { examples } from '../flags.ts';
import { collect, type PageOptions, pageFlags } from '../pages.ts';
import type { Act } from '../session.ts';
import { facts } from '../table.ts';
import { clean, time } from '../text.ts';

interface Options {
  name?: string;
  plan?: string;
}

const PLAN = 'free or paid';

/** `tocsin accounts`: who owns everything else. The operator names the account by --account or TOCSIN_ACCOUNT. */
export function addAccounts(program: Command, act: Act): void {
  const accounts = program.command('accounts').description('who owns everything else');

  const create = accounts
    .command('create')
    .description("makes an account (operator's token) and its first console token");
  create
    .requiredOption('--name <name>', 'display name')
    .option('--plan <plan>', `${PLAN} (the deployment's PLAN_DEFAULT)`);
  examples(create, 'accounts create --name "The Elms"').action(
    act(async (session, { name, plan }: Options) => {
      const answer = await session.rpc.accounts.createAccount({ account: { name: name!, plan: plan ?? '' } });
      session.answer(CreateAccountResponseSchema, answer, () => [
        session.paint('green', `Made the account ${clean(answer.account!.name)}.`),
        '',
        `export TOCSIN_ACCOUNT=${answer.account!.id}`,
        `export TOCSIN_TOKEN=${answer.token}`,
        '',
        'The token opens this account alone. It is shown only now.',
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
        'There are no accounts yet. Make one: tocsin accounts create --name Home',
      );
    }),
  );

  const update = accounts
    .command('update')
    .description("changes the account's name; with the operator's token its plan too");
  update.option('--name <name>', 'display name').option('--plan <plan>', PLAN);
  examples(update, 'accounts update --plan paid').action(
    act(async (session, { name, plan }: Options) => {
      const { values, paths } = changed({ name, plan }, '--name, --plan');
      const { account } = await session.rpc.accounts.getAccount({});
      const answer = await onVersionRead(session, { what: 'account', thing: { ...account!, key: account!.name } }, () =>
        session.rpc.accounts.updateAccount({
          account: { ...values, id: account!.id, version: account!.version },
          updateMask: { paths },
        }),
      );
      session.answer(UpdateAccountResponseSchema, answer, () => lines(answer.account!));
    }),
  );

  const remove = accounts.command('delete').description("deletes an empty account (operator's token)");
  remove.argument('<id>', 'its id, 32 characters').option('--yes', 'does not ask (at a terminal it would)');
  examples(remove, 'accounts delete <id>').action(
    act(async (session, { yes }: { yes?: true }, accountId: string) => {
      const headers = { 'x-tocsin-account': accountId };
      const { account } = await session.rpc.accounts.getAccount({}, { headers });
      await agree(session, `Delete the account ${clean(account!.name)} (${account!.id})?`, { yes, unasked: 'go on' });
      const answer = await session.rpc.accounts.deleteAccount({ accountId: account!.id }, { headers });
      session.answer(DeleteAccountResponseSchema, answer, () => [`Deleted the account ${clean(account!.name)}.`]);
    }),
  );

  examples(accounts.command('plan').description('tells what the plan allows now'), 'accounts plan').action(
    act(async session => {
      const answer = await session.rpc.accounts.getPlan({});
      const { plan, trialEndsAt, channels, channelsUntilTrialEnds } = answer;
      session.answer(GetPlanResponseSchema, answer, () =>
        facts([
          ['Plan', plan],
          ['Channels', channels.join(', ')],
          ['First days', trialEndsAt === undefined ? '' : `end ${time(timestampDate(trialEndsAt))}`],
          ['Then ends', channelsUntilTrialEnds.join(', ')],
        ]),
      );
    }),
  );
}

const COLUMNS = [
  ['id', ({ id }: Account) => id],
  ['name', ({ name }: Account) => name],
  ['plan', ({ plan }: Account) => plan],
  ['made', ({ createdAt }: Account) => (createdAt === undefined ? '' : time(timestampDate(createdAt)))],
] as const;

function lines({ id, name, plan, createdAt, version }: Account): string[] {
  return facts([
    ['Name', name],
    ['Id', id],
    ['Plan', plan],
    ['Made', createdAt === undefined ? '' : time(timestampDate(createdAt))],
    ['Version', String(version)],
  ]);
}
