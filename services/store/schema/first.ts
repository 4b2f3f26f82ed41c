import { Migration } from '@mikro-orm/migrations';
import { access } from './access.ts';
import { audit } from './audit.ts';
import { clock } from './clock.ts';
import { deployment } from './deployment.ts';
import { incidents } from './incidents.ts';
import { journal } from './journal.ts';
import { judgedBy } from './judged-by.ts';
import { log } from './log.ts';
import { messages } from './messages.ts';
import { notices } from './notices.ts';
import { owned } from './owned.ts';
import { proofs } from './proofs.ts';
import { spending } from './spending.ts';

/**
 * The first schema (store/schema.sql shows what it makes). From the first release on it stays as it is, and migrations
 * follow it. All tables keep to these rules:
 *
 * - `account_id` is in every row, in every primary key that allows it and in every foreign key, so that no join can
 *   cross accounts and the schema can be spread by account. What every call writes bears the number of its account or
 *   source instead, and no foreign key.
 * - Identifiers are `text`, not `char(32)`: comparing a char column with a text parameter does not use its index.
 * - The closed words (verb, status, outcome, …) are text, the same words as in services/domain and the protos.
 * - The foreign keys between what owners configure are checked at commit, because the mapper writes rows in any order.
 */
export class First extends Migration {
  override name = '20261130-first';

  up(): void {
    const all = [
      ...clock,
      ...owned,
      ...access,
      ...audit,
      ...incidents,
      ...messages,
      ...spending,
      ...notices,
      ...proofs,
      ...journal,
      ...log,
      ...judgedBy,
      ...deployment,
    ];
    for (const statement of all) this.addSql(statement);
  }
}
