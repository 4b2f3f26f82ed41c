import type { Command } from 'commander';
import {
  type GetBackupsResponse,
  GetBackupsResponseSchema,
  SetBackupsResponseSchema,
} from '../../../gen/tocsin/console/v1/deployment_pb.ts';
import { clean, mismatch, shown } from '../../../services/process/text.ts';
import { askSecretAtTerminal } from '../ask.ts';
import { readBackupPassphrase } from '../config.ts';
import { formatDuration, parseDuration } from '../duration.ts';
import { usageFault } from '../exit.ts';
import { examples } from '../flags.ts';
import { PATIENT } from '../rpc.ts';
import type { Act, Session } from '../session.ts';
import { stamp } from '../timeline.ts';

/** `tocsin backups`: backups by schedule (DECISIONS.md "Backups set up in the console"). For the operator. */
export function addBackups(program: Command, act: Act): void {
  const backups = program.command('backups');

  const show = backups.command('show').description('shows where backups go, how often, and how the latest one went');
  examples(show, 'backups show').action(
    act(async session => {
      const here = await session.rpc.deployment.getBackups({});
      session.answer(GetBackupsResponseSchema, here, () => shownLines(here));
    }),
  );

  const set = backups
    .command('set')
    .description(
      'tries whether backups can be written into a folder, and has them made there; what is not named stays. The passphrase comes from BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE, or is asked for',
    )
    .argument('<folder>', 'its absolute path where Tocsin runs')
    .option('--every <duration>', 'from the beginning of one to the next, such as 12h or 7d; at first 24h')
    .option('--keep <count>', 'how many files stay; at first 7')
    .option('--ask', 'asks for another passphrase; without a terminal it is read from standard input');
  examples(set, 'backups set /backups', 'backups set /backups --every 12h --keep 14').action(
    act(async (session, flags: { every?: string; keep?: string; ask?: true }, folder: string) => {
      if (folder.trim() === '')
        throw usageFault('The folder is missing. To make no backups any more: tocsin backups off.');
      const everyS = flags.every === undefined ? 0 : parseDuration(flags.every, '--every');
      const keep = flags.keep === undefined ? 0 : countOf(flags.keep);
      const { version, setIn, leftOut } = await session.rpc.deployment.getBackups({});
      // Nobody is asked for what the environment refuses.
      const isNeeded = setIn === '' || leftOut !== '';
      const passphrase = await passphraseFor(session, flags.ask ? 'ask' : isNeeded ? 'need' : 'keep');
      const answer = await session.rpc.deployment.setBackups({ folder, everyS, keep, passphrase, version }, PATIENT);
      session.answer(SetBackupsResponseSchema, answer, () => [
        `Backups go to ${clean(folder)}.`,
        passphrase === ''
          ? 'Their passphrase stays.'
          : 'Keep the passphrase elsewhere: without it nobody can read them.',
      ]);
    }),
  );

  const off = backups.command('off').description('has no backups made any more; the files stay where they are');
  examples(off, 'backups off').action(
    act(async session => {
      const { version } = await session.rpc.deployment.getBackups({});
      const answer = await session.rpc.deployment.setBackups({ folder: '', version }, PATIENT);
      session.answer(SetBackupsResponseSchema, answer, () => ['No backups are made any more.']);
    }),
  );
}

function shownLines(here: GetBackupsResponse): string[] {
  const { state, folder, everyS, keep, setIn, environment, leftOut, last, failure } = here;
  const lines =
    state === 'not_set'
      ? ['Tocsin makes no backup by itself.']
      : [
          `Backups go to ${clean(folder)} every ${formatDuration(everyS)}; the newest ${keep} are kept.`,
          last === undefined ? 'There is none yet.' : `The latest is of ${stamp(last.at!)}: ${clean(last.file)}.`,
        ];
  return [
    ...lines,
    ...(failure === '' ? [] : [clean(failure)]),
    ...(setIn === 'environment' ? [`That is set in the environment: ${environment.join(', ')}.`] : []),
    ...(setIn === 'console' && leftOut === '' ? ['That was set in the console, or by this command.'] : []),
    ...(leftOut === '' ? [] : [`What was set up in the console does not count: ${clean(leftOut)}.`]),
  ];
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageFault(`--keep ${mismatch('a whole number from 1 to 1000', shown(text))}`);
}

/**
 * Returns the passphrase; empty: the one that is stored stays. In an argument it would stand in the list of processes. `keep`: it stays unless
 * there is one in the environment; `need`: none is stored.
 */
async function passphraseFor({ io }: Session, wish: 'ask' | 'keep' | 'need'): Promise<string> {
  const set = wish === 'ask' ? null : readBackupPassphrase(io.environment);
  if (set !== null) return set;
  if (wish === 'keep') return '';
  if (!io.stdin.isTerminal || !io.stderr.isTerminal) {
    const read = (await io.stdin.readAll()).replace(/\r?\n$/, '');
    if (read !== '') return read;
    throw usageFault(
      'The passphrase is missing: set BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE, or give it on standard input.',
    );
  }
  const first = await askSecretAtTerminal(io.signal, 'The passphrase of the backups, 12 characters or more');
  const again = await askSecretAtTerminal(io.signal, 'The same again');
  if (first === again) return first;
  throw usageFault('The passphrase was typed in two ways: nothing was stored.');
}
