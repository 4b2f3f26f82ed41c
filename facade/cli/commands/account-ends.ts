import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import { DeleteAccountResponseSchema } from '../../../gen/tocsin/console/v1/accounts_pb.ts';
import {
  type DeletedAccount,
  DeletedAccountSchema,
  EraseAccountResponseSchema,
} from '../../../gen/tocsin/console/v1/deleted_accounts_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { agree } from '../ask.ts';
import { examples } from '../flags.ts';
import { collect, type PageOptions, pageFlags } from '../pages.ts';
import { createCounter } from '../progress.ts';
import type { Act, Session } from '../session.ts';
import { time } from '../text.ts';

/** `tocsin accounts delete`, `deleted` and `erase`: the end of an account, and of its remains (operator's token). */
export function addAccountEnds(accounts: Command, act: Act): void {
  const remove = accounts
    .command('delete')
    .description("deletes an account without live alarms, with all it has (operator's token); history and audit stay");
  remove.argument('<id>', ID).option('--yes', YES);
  examples(remove, 'accounts delete <id>').action(
    act(async (session, { yes }: { yes?: true }, accountId: string) => {
      const headers = { 'x-tocsin-account': accountId };
      const { account } = await session.rpc.accounts.getAccount({}, { headers });
      await agree(session, `Delete the account ${clean(account!.name)} (${account!.id})?`, { yes, unasked: 'go on' });
      const answer = await session.rpc.accounts.deleteAccount({ accountId: account!.id }, { headers });
      session.answer(DeleteAccountResponseSchema, answer, () => [`Deleted the account ${clean(account!.name)}.`]);
    }),
  );

  const deleted = pageFlags(
    accounts.command('deleted').description("lists what is left of deleted accounts (operator's token)"),
  );
  examples(deleted, 'accounts deleted', 'audit list --account <id>').action(
    act(async (session, options: PageOptions) => {
      const page = await collect(options, async (pageSize, pageToken) => {
        const answer = await session.rpc.accounts.listDeletedAccounts({ pageSize, pageToken });
        return { items: answer.accounts, nextPageToken: answer.nextPageToken };
      });
      session.list(DeletedAccountSchema, page, COLUMNS, 'No deleted accounts.');
    }),
  );

  const erase = accounts
    .command('erase')
    .description("removes all that a deleted account left, history and audit too, for good (operator's token)");
  erase
    .argument('<id>', ID)
    .option('--with-contents', 'also an account that is still there, with its live alarms and all else')
    .option('--yes', YES);
  examples(erase, 'accounts erase <id>', 'accounts erase <id> --with-contents').action(
    act(async (session, { yes, withContents }: { yes?: true; withContents?: true }, accountId: string) => {
      const headers = { 'x-tocsin-account': accountId };
      const what =
        withContents === undefined ? `what the account ${clean(accountId)} left` : await namedOf(session, accountId);
      await agree(session, `Erase for good ${what}?`, { yes, unasked: 'refuse' });
      if (withContents) await session.rpc.accounts.deleteAccount({ accountId, withContents }, { headers });
      const progress = createCounter(session.io);
      let removed = 0;
      for (;;) {
        const answer = await session.rpc.accounts.eraseAccount({ accountId }, { headers });
        removed += answer.removed;
        if (answer.account!.erasedAt === undefined) {
          progress.show(`${removed} rows removed`);
          continue;
        }
        progress.end();
        session.answer(EraseAccountResponseSchema, { ...answer, removed }, () => [
          `Erased what the account ${answer.account!.id} left: ${removed} rows.`,
        ]);
        return;
      }
    }),
  );
}

/** Returns how an account that is still there is named in a question. */
async function namedOf({ rpc }: Session, accountId: string): Promise<string> {
  const { account } = await rpc.accounts.getAccount({}, { headers: { 'x-tocsin-account': accountId } });
  return `the account ${clean(account!.name)} (${account!.id}), with all its alarms, people, keys and history`;
}

const ID = 'its id, 32 characters';
const YES = 'skips the confirmation';

const COLUMNS = [
  ['id', ({ id }: DeletedAccount) => id],
  ['name', ({ name }: DeletedAccount) => name],
  ['deleted', ({ deletedAt }: DeletedAccount) => (deletedAt === undefined ? '' : time(timestampDate(deletedAt)))],
  ['erased', ({ erasedAt }: DeletedAccount) => (erasedAt === undefined ? '' : time(timestampDate(erasedAt)))],
  ['by', ({ erasedBy }: DeletedAccount) => erasedBy],
] as const;
