import { signal } from '@preact/signals';
import type { Account } from '../../../../gen/tocsin/console/v1/accounts_pb.ts';
import type { GetSessionResponse, OpenAccount } from '../../../../gen/tocsin/console/v1/sessions_pb.ts';
import { go } from '../way/router.ts';
import { about, accounts, kindOf, nameAccount, READ, sessions } from './rpc.ts';

/** Who is signed in, and which account is looked at. */
export interface SignedIn {
  who: GetSessionResponse;
  /** Those that may be looked at. */
  open: Pick<OpenAccount, 'id' | 'name'>[];
  account: Account;
}

export type SessionState =
  | { is: 'loading' }
  | { is: 'away' }
  | { is: 'signed_out' }
  | { is: 'no_account'; kind: string }
  | ({ is: 'signed_in' } & SignedIn);

export const session = signal<SessionState>({ is: 'loading' });

/** Returns who looks at which account: tabs may differ in both. Empty: nobody. */
export function whoLooks(): string {
  const now = session.value;
  return now.is === 'signed_in' ? `${now.account.id} ${now.who.session?.id ?? ''}` : '';
}

/** The account that was looked at last on this device. An id is no secret. */
const LAST = 'tocsin.account';

/** The other tabs of this browser: those that stand behind the sign-in go on where they were when somebody signed in. */
const others = new BroadcastChannel('tocsin.session');
others.onmessage = () => {
  if (session.peek().is === 'signed_out') void loadSession();
};

/** Learns who is signed in; needs no words. */
export async function loadSession(): Promise<void> {
  try {
    nameAccount('');
    const who = await sessions.getSession({}, READ);
    const last = localStorage.getItem(LAST);
    const open = who.kind === 'operator' ? await accountsWith(last) : who.accounts;
    const chosen = open.find(({ id }) => id === last) ?? open[0];
    if (chosen === undefined) {
      session.value = { is: 'no_account', kind: who.kind };
      return;
    }
    nameAccount(chosen.id);
    const named = open.length > 1 && who.kind === 'member' ? await sessions.getSession({}, READ) : who;
    const { account } = await accounts.getAccount({}, READ);
    session.value = { is: 'signed_in', who: named, open, account: account! };
    others.postMessage('signed_in');
  } catch (fault) {
    session.value = { is: kindOf(fault) === 'signed_out' ? 'signed_out' : 'away' };
  }
}

/** Returns the first accounts of the deployment, and the one that was looked at last, wherever it stands among them. */
async function accountsWith(last: string | null): Promise<SignedIn['open']> {
  const { accounts: first } = await accounts.listAccounts({ pageSize: 200 }, READ);
  if (last === null || first.some(({ id }) => id === last)) return first;
  try {
    const { account } = await accounts.getAccount({}, { ...READ, ...about(last) });
    return [account!, ...first];
  } catch (fault) {
    if (kindOf(fault) === 'away' || kindOf(fault) === 'busy') throw fault;
    return first;
  }
}

/** Takes over a changed account: whatever shows its name or time zone shows the new one. */
export function accountIs(account: Account): void {
  const now = session.peek();
  if (now.is === 'signed_in' && now.account.id === account.id && now.account.version !== account.version)
    session.value = { ...now, account };
}

/** Switches to another account, on its first screen. */
export async function switchTo(id: string): Promise<void> {
  go('./');
  await enter(id);
}

/** Switches to another account, on this screen. */
export async function enter(id: string): Promise<void> {
  localStorage.setItem(LAST, id);
  session.value = { is: 'loading' };
  await loadSession();
}

/** Shows the sign-in over the present screen, after somebody else or time ended the session. */
export function lost(): void {
  session.value = { is: 'signed_out' };
}

/** Ends the session on this device, or all of the person's. Rejects if the services cannot be told. */
export async function signOut(where: 'here' | 'everywhere'): Promise<void> {
  if (session.value.is !== 'signed_in') return;
  const { session: own } = session.value.who;
  try {
    await (where === 'here' ? sessions.endSession({ sessionId: own?.id ?? '' }) : sessions.endAllSessions({}));
  } catch (fault) {
    if (kindOf(fault) !== 'signed_out') throw fault;
  }
  session.value = { is: 'signed_out' };
  go('sign-in');
}
