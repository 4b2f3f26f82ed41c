import type { Account } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import { clean } from '../../services/process/text.ts';
import type { Ask } from './ask.ts';
import { readConnection } from './config.ts';
import { connect } from './rpc.ts';
import { openSession, type Session } from './session.ts';

const NEW = 'new';

/** A session on an account: the one of the token, or the one that the operator chooses or makes; `made` hears of a new one. */
export async function askAccount(session: Session, ask: Ask, made: (account: Account) => void): Promise<Session> {
  const { token, accountId } = await session.rpc.deployment.getDeployment({});
  if (token !== 'operator' || accountId !== '') return session;
  const { accounts } = await session.rpc.accounts.listAccounts({ pageSize: 50 });
  const choices = accounts.map(({ id, name }) => ({ value: id, label: clean(name), hint: id }));
  const chosen =
    choices.length === 0 ? NEW : await ask.choose('Which account?', [...choices, { value: NEW, label: 'A new one' }]);
  const account = chosen === NEW ? await newAccount(session, ask, made) : chosen;
  const { io, format, rpcUrl, flags } = session;
  return openSession({
    rpc: connect(readConnection(io.environment, { ...flags, account }), io.signal),
    rpcUrl,
    io,
    format,
    flags,
  });
}

async function newAccount({ rpc, io }: Session, ask: Ask, made: (account: Account) => void): Promise<string> {
  const name = await ask.text('What is the account called?', { proposed: 'Home' });
  const { account, token } = await rpc.accounts.createAccount({ account: { name } });
  made(account!);
  io.stdout.write(
    `Made the account ${clean(name)}.\n\nexport TOCSIN_ACCOUNT=${account!.id}\nexport TOCSIN_TOKEN=${token}\n\n`,
  );
  io.stdout.write('The token opens this account alone. It is shown only now.\n');
  return account!.id;
}
