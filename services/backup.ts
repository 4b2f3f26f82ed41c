import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { type StartFacts, startSentence } from './process/start-errors.ts';
import { askForDue, backupLines, progressLine, restoreLines } from './start/backup-words.ts';
import { backUpDeployment } from './start/backups.ts';
import { databaseFacts, readBackupConfig } from './start/config.ts';
import { restoreDeployment } from './start/restores.ts';

/*
 * `tocsin backup FILE` and `tocsin restore FILE` (facade/cli/commands/backup.ts): they need the database and not the RPC
 * port, so they are a process of the services. The command line has checked what is handed in here.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    due: { type: 'string' },
    physical: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const [command, path = ''] = positionals;
const file = resolve(path);
const due = values.due === 'send' || values.due === 'missed' ? values.due : null;
let facts: StartFacts = { ports: {}, databaseUrl: null };

/** For people at a terminal, and one line of JSON for everybody else. */
function tell(lines: readonly string[], value: object): void {
  const text = process.stdout.isTTY && !values.json ? lines.join('\n') : JSON.stringify(value);
  process.stdout.write(`${text}\n`);
}

try {
  const config = readBackupConfig(process.env);
  facts = { ...facts, ...databaseFacts(config.database) };
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const progress = progressLine(process.stderr);
  try {
    if (command === 'restore') {
      const restored = await restoreDeployment(config, file, log, {
        chooseDue: async past => due ?? (await askForDue(past, process)),
        onProgress: progress.show,
      });
      progress.end();
      tell(restoreLines(restored), { restored: true, file, ...restored });
    } else {
      const kind = values.physical ? 'physical' : 'logical';
      const done = await backUpDeployment(config, { file, kind }, log, progress.show);
      progress.end();
      tell(backupLines(done), { backedUp: true, ...done });
    }
  } finally {
    progress.end();
  }
} catch (fault) {
  process.exitCode = 1;
  const said = startSentence(fault, facts);
  const words = fault instanceof Error ? fault.message.split('\n')[0] : String(fault);
  process.stderr.write(`${said ?? `The ${command} failed, and nothing was changed: ${words}.`}\n`);
}
