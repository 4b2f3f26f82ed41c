import { Migration } from '@mikro-orm/migrations';

/** Finds what people do to an incident, however many calls of its source wait in the queue (store/statements/queue.ts). */
export class People extends Migration {
  override name = '20261126-people';

  up(): void {
    this.addSql(
      `CREATE INDEX queued_action_people ON queued_action (source_seq, id)
       WHERE actor IS NOT NULL AND verb IN ('acknowledge', 'close')`,
    );
  }
}
