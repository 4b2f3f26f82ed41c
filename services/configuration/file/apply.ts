import { Code, ConnectError } from '@connectrpc/connect';
import type { PoolClient } from 'pg';
import type { Actor } from '../../domain/actor.ts';
import type { AccountAccess } from '../../rpc/auth.ts';
import type { Pepper } from '../../store/secret.ts';
import { inTransaction } from '../../store/statement.ts';
import { managerWithin } from '../../store/store.ts';
import { type ChangeOn, changeAccount, changeWithin, type OpenAccount } from '../change.ts';
import { compare } from './compare.ts';
import type { Diff, PlannedChange, Prune } from './diff.ts';
import { ofWholeFile, type Problem } from './problem.ts';
import type { FileRead } from './read.ts';
import { readApart } from './reader.ts';
import type { Secrets } from './values.ts';
import { type NewSecret, writeDiff } from './write.ts';

/** A file and the options for applying it. */
export interface FileAsked {
  text: string;
  prune: Prune;
  secrets: Secrets;
}

export interface Progress {
  stage: 'reading' | 'comparing' | 'writing';
  done: number;
  total: number;
}

/** The result of applying a file. With problems, nothing was written. */
export interface Applied {
  outcome: 'applied' | 'unchanged' | 'refused';
  problems: Problem[];
  changes: PlannedChange[];
  newSecrets: NewSecret[];
  missingSecrets: string[];
}

/** A file that was read for a start. */
export interface FileToApply {
  /** References to secrets, such as `env:NAME`, that were not handed in. */
  missingSecrets: readonly string[];
  /**
   * Makes an account match the file, in a transaction of the caller, under the account's lock. `announce` announces the
   * changes; call it after the commit.
   */
  applyTo(client: PoolClient, accountId: string, actor: Actor): Promise<Applied & { announce(): void }>;
}

/** Reads a file for a start (readToApply). */
export type ReadFile = (text: string, secrets: Secrets) => Promise<FileToApply>;

/** What applying a file needs. */
export type FileOn = ChangeOn & { pepper: Pepper };

/** Comparing thousands of things while yielding to others may leave the transaction idle for long. */
const PATIENT = "SET LOCAL idle_in_transaction_session_timeout = '60s'";

/** Reports what is wrong in a file, and what applying it would change. Writes nothing. */
export async function checkFile(
  deps: FileOn,
  accountId: string,
  asked: FileAsked,
): Promise<Pick<Diff, 'problems' | 'changes'> & { missingSecrets: string[] }> {
  const file = await readApart(accountId, asked.text, asked.secrets);
  const diff = await compareOnly(deps, accountId, file, asked.prune);
  const changes = diff.changes.map(one => (one.action === 'create' ? { ...one, id: '' } : one));
  return { problems: diff.problems, changes, missingSecrets: file.missingSecrets };
}

/** Makes an account match a file, in one transaction, all or nothing. `progress` may throw to stop it. */
export async function applyFile(
  deps: FileOn,
  access: AccountAccess,
  asked: FileAsked,
  progress: (now: Progress) => void,
): Promise<Applied> {
  progress({ stage: 'reading', done: 0, total: 1 });
  const file = await readApart(access.accountId, asked.text, asked.secrets);
  progress({ stage: 'reading', done: 1, total: 1 });
  if (file.problems.length > 0) {
    // A file that cannot be applied keeps nobody waiting for the account.
    const { problems } = await compareOnly(deps, access.accountId, file, asked.prune);
    return refusal(problems, file.missingSecrets);
  }
  return changeAccount(deps, access, async open => {
    await open.client.query(PATIENT);
    return applyWithin(deps, open, file, asked.prune, progress);
  }).catch(refusedByStore);
}

/** Compares with one state of the account, without locking it. */
function compareOnly(deps: FileOn, accountId: string, file: FileRead, prune: Prune): Promise<Diff> {
  return inTransaction(deps.pool, async client => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    await client.query(PATIENT);
    const within = { client, em: managerWithin(deps.orm, client), accountId, seal: deps.seal, pepper: deps.pepper };
    return compare(within, file, prune, () => {});
  });
}

/** The same in an open transaction. */
async function applyWithin(
  deps: Pick<FileOn, 'pepper'>,
  open: OpenAccount,
  file: FileRead,
  prune: Prune,
  progress: (now: Progress) => void,
): Promise<Applied> {
  const within = { ...open, pepper: deps.pepper };
  const things = file.things.length;
  const diff = await compare(within, file, prune, done => progress({ stage: 'comparing', done, total: things }));
  progress({ stage: 'comparing', done: things, total: things });
  if (diff.problems.length > 0) return refusal(diff.problems, file.missingSecrets);
  const { changes } = diff;
  if (changes.length === 0 && diff.secrets.length === 0) {
    return { outcome: 'unchanged', problems: [], changes, newSecrets: [], missingSecrets: [] };
  }
  const total = diff.edits.length;
  const newSecrets = await writeDiff(open, deps.pepper, diff, done => progress({ stage: 'writing', done, total }));
  return { outcome: 'applied', problems: [], changes, newSecrets, missingSecrets: [] };
}

/** Reads a file for a start, which applies it in the transaction that creates the account. */
export async function readToApply(
  deps: Pick<FileOn, 'orm' | 'seal' | 'bus' | 'pepper' | 'kept'>,
  text: string,
  secrets: Secrets,
): Promise<FileToApply> {
  // Nobody else is there yet.
  const file = await readApart('', text, secrets);
  return {
    missingSecrets: file.missingSecrets,
    async applyTo(client, accountId, actor) {
      // The engine starts later and looks by itself.
      const within = { ...deps, nudge: () => {} };
      // Only the operator sets what a start applies.
      const author = { accountId, actor, vouched: 'vouched' } as const;
      const { result, announce } = await changeWithin(client, within, author, open =>
        applyWithin(deps, open, file, 'keep', () => {}),
      );
      return { ...result, announce };
    },
  };
}

function refusal(problems: Problem[], missingSecrets: string[]): Applied {
  return { outcome: 'refused', problems, changes: [], newSecrets: [], missingSecrets };
}

/** Reports what the change path refuses as a problem of the whole file; everything was rolled back. */
function refusedByStore(error: unknown): Applied {
  const ofTheFile = [Code.FailedPrecondition, Code.AlreadyExists, Code.InvalidArgument];
  if (!(error instanceof ConnectError) || !ofTheFile.includes(error.code)) throw error;
  return refusal([ofWholeFile(error.rawMessage)], []);
}
