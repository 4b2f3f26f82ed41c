import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import { EXIT, type ExitCode } from '../exit.ts';
import { examples } from '../flags.ts';
import type { Act, Session } from '../session.ts';

/** What reads and fills databases: this command line knows the RPC port alone. */
const PROCESS = fileURLToPath(new URL('../../../services/backup.ts', import.meta.url));

/** `tocsin backup` and `tocsin restore`: where Tocsin runs, with its settings. */
export function addBackup(program: Command, act: Act): void {
  const file = 'the file, under the passphrase of BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE';
  const backup = program
    .command('backup')
    .argument('<file>', file)
    .option('--physical', 'the files of the embedded PostgreSQL in place of its tables: holds no snapshot');
  examples(backup, 'backup /backups/tocsin.backup', 'backup /backups/tocsin.backup --physical').action(
    act((session, { physical }: { physical?: true }, path: string) =>
      runBackup(session, 'backup', path, physical ? ['--physical'] : []),
    ),
  );
  const restore = program
    .command('restore')
    .argument('<file>', file)
    .addOption(
      new Option('--due <what>', 'what becomes of alerts that were due since the backup').choices(['send', 'missed']),
    );
  examples(restore, 'restore /backups/tocsin.backup', 'restore /backups/tocsin.backup --due send').action(
    act((session, { due }: { due?: string }, path: string) =>
      runBackup(session, 'restore', path, due === undefined ? [] : ['--due', due]),
    ),
  );
}

/** With this command's own streams, so that it can ask; Ctrl-C reaches both. */
async function runBackup(
  { format, io }: Session,
  command: 'backup' | 'restore',
  path: string,
  flags: readonly string[],
): Promise<ExitCode> {
  const words = [...flags, ...(format === 'json' ? ['--json'] : []), '--', command, path];
  const child = spawn(process.execPath, [PROCESS, ...words], { stdio: 'inherit', env: { ...io.environment } });
  const [code] = await once(child, 'exit');
  if (code === 0) return EXIT.ok;
  return io.signal.aborted ? EXIT.interrupted : EXIT.refused;
}
