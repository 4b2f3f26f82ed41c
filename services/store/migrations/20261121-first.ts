import { Migration } from '@mikro-orm/migrations';
import { incidents } from './20261121-first/incidents.ts';
import { moving } from './20261121-first/moving.ts';
import { keys, owned } from './20261121-first/owned.ts';

/**
 * The first schema. All tables keep to these rules:
 *
 * - `account_id` is in every row, in every primary key that allows it and in every foreign key, so that no join can
 *   cross accounts and the schema can be spread by account.
 * - Identifiers are `text`, not `char(32)`: comparing a char column with a text parameter does not use its index.
 * - The closed words (verb, status, outcome, …) are text, the same words as in services/domain and the protos.
 * - The foreign keys between what owners configure are checked at commit, because the mapper writes rows in any order.
 */
export class First extends Migration {
  override name = '20261121-first';

  up(): void {
    for (const statement of [...clock, ...owned, ...keys, ...moving, ...incidents]) this.addSql(statement);
  }
}

/**
 * The one clock of all decisions. Whole milliseconds, so that a time read into JavaScript equals the stored one. Tests
 * replace the function by one that stands still until they move it. Compare with `(SELECT tocsin_now())`: a bare
 * volatile call in a WHERE clause would keep the index on a due time from being used.
 */
const clock = [
  `CREATE FUNCTION tocsin_now() RETURNS timestamptz LANGUAGE sql VOLATILE
     AS $$ SELECT date_trunc('milliseconds', clock_timestamp()) $$`,
];
