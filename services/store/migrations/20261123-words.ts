import { Migration } from '@mikro-orm/migrations';

/**
 * The words of DECISIONS.md "Delivery": `no_carrier` was `outbox`, and `acknowledged` was `taken`. The version before
 * keeps running beside this one: what it writes is translated into these words, and what it reads is translated back.
 * Sources may be of the kind `panic_button`, which the version after this one will write (domain/source.ts
 * `StoredKind`).
 */
export class Words extends Migration {
  override name = '20261123-words';

  up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  'ALTER TABLE delivery DROP CONSTRAINT delivery_kind_check, DROP CONSTRAINT delivery_status_check',
  'ALTER TABLE notice DROP CONSTRAINT notice_status_check',
  // In one statement: each pass rewrites a table of millions with all its indexes.
  `UPDATE delivery SET status = CASE status WHEN 'outbox' THEN 'no_carrier' ELSE status END,
     kind = CASE WHEN kind = 'taken' AND status <> 'sending' THEN 'acknowledged' ELSE kind END
   WHERE status = 'outbox' OR (kind = 'taken' AND status <> 'sending')`,
  "UPDATE notice SET status = 'no_carrier' WHERE status = 'outbox'",
  `ALTER TABLE delivery
     ADD CONSTRAINT delivery_status_check CHECK (status IN
       ('scheduled', 'suppressed', 'sending', 'sent', 'delivered', 'failed', 'cancelled', 'no_carrier')),
     ADD CONSTRAINT delivery_kind_check CHECK (kind IN ('alert', 'acknowledged', 'still_happening')
       OR (kind = 'taken' AND status = 'sending'))`,
  `ALTER TABLE notice ADD CONSTRAINT notice_status_check
     CHECK (status IN ('scheduled', 'sending', 'sent', 'failed', 'no_carrier'))`,
  // A session of the version before does not say which words it knows (store/session.ts).
  `CREATE FUNCTION tocsin_words() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF NEW.status = 'outbox' THEN NEW.status := 'no_carrier'; END IF;
     IF NEW.kind IN ('taken', 'acknowledged') THEN
       NEW.kind := CASE
         WHEN NEW.status = 'sending' AND current_setting('tocsin.words', true) IS DISTINCT FROM 'acknowledged' THEN 'taken'
         ELSE 'acknowledged'
       END;
     END IF;
     RETURN NEW;
   END $$`,
  `CREATE TRIGGER delivery_words BEFORE INSERT OR UPDATE ON delivery FOR EACH ROW
     WHEN (NEW.kind IN ('taken', 'acknowledged') OR NEW.status = 'outbox') EXECUTE FUNCTION tocsin_words()`,
  `CREATE TRIGGER notice_words BEFORE INSERT OR UPDATE ON notice FOR EACH ROW
     WHEN (NEW.status = 'outbox') EXECUTE FUNCTION tocsin_words()`,
  `ALTER TABLE source DROP CONSTRAINT source_kind_check, DROP CONSTRAINT source_check, DROP CONSTRAINT source_check1,
     ADD CONSTRAINT source_kind_check CHECK (kind IN ('alarm', 'panic', 'panic_button')),
     ADD CONSTRAINT source_response_check CHECK ((kind <> 'alarm') = (response_kind IS NOT NULL)),
     ADD CONSTRAINT source_policy_check CHECK (kind <> 'alarm' OR policy_id IS NULL)`,
];
