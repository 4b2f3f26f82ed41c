import { Migration } from '@mikro-orm/migrations';

/** Finds incidents of one source that opened shortly before another: whether it flaps (domain/throttle.ts). */
export class Flapping extends Migration {
  override name = '20261122-flapping';

  up(): void {
    // On both ids together, so that the search for the one open incident of a source does not use this index and walk
    // all it ever had.
    this.addSql('CREATE INDEX incident_of_source ON incident ((account_id || source_id), opened_at)');
  }
}
