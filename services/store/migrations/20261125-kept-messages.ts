import { Migration } from '@mikro-orm/migrations';

/** Takes links and reply codes out of the messages that were kept with them (DECISIONS.md "Link and reply code"). */
export class KeptMessages extends Migration {
  override name = '20261125-kept-messages';

  up(): void {
    this.addSql(`
UPDATE delivery d SET message = (
  SELECT coalesce(string_agg(line, E'\\n' ORDER BY n), '')
  FROM regexp_split_to_table(d.message, E'\\n') WITH ORDINALITY AS lines (line, n)
  WHERE line !~ '/i/[a-z0-9]{32}' AND (i.reply_code = '' OR position(': ' || i.reply_code || ' (' IN line) = 0)
)
FROM incident i WHERE i.account_id = d.account_id AND i.id = d.incident_id AND d.message IS NOT NULL`);
  }
}
