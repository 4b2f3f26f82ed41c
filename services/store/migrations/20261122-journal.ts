import { Migration } from '@mikro-orm/migrations';
import { exclusion } from './20261122-journal/exclusion.ts';
import { gate, journal, numbers } from './20261122-journal/journal.ts';
import { log } from './20261122-journal/log.ts';
import { versions } from './20261122-journal/versions.ts';
import { waiting } from './20261122-journal/waiting.ts';

/**
 * The step to the journal. Everything that waits is moved within this transaction: the queue is as small as what was
 * accepted and not yet applied. The log of calls may be large: it is only put aside here, and carried over in small
 * steps afterwards (store/statements/carry-over.ts).
 *
 * This is the only step for which processes of the version before must be stopped. One that still runs finds its queue
 * refused: its accepts fail, which its callers see as 503, and store nothing where nobody would read it.
 */
export class Journal extends Migration {
  override name = '20261122-journal';

  up(): void {
    for (const statement of [...exclusion, ...versions, ...numbers, ...journal, ...gate, ...log, ...waiting])
      this.addSql(statement);
  }
}
