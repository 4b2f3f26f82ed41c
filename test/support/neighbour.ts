import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyTree, type Replacement } from './tree.ts';

/*
 * A next version that is made up: this tree with a migration of its own, fields and words on the wire that this version
 * does not know, and other sentences. It does whatever a next version may do (DECISIONS.md "Versions side by side"), so
 * that this one, beside it, shows that it can live with that.
 */

/** The names of its migrations: each changes one of the tables that statements of this one read together. */
export const NEXT = ['29990101-delivery', '29990102-source', '29990103-incident'];

const PARTS = ['package.json', 'buf.yaml', 'proto', 'gen', 'services', 'facade', 'test/support'];

const MIGRATION_FILE = 'services/store/schema/next.ts';

/** A table, columns, a word more in a check, an index and a trigger, and rows of the version before brought up to date. */
const STATEMENTS: readonly (readonly string[])[] = [
  [
    'ALTER TABLE delivery ADD COLUMN tone text',
    "UPDATE delivery SET tone = 'plain'",
    'ALTER TABLE delivery DROP CONSTRAINT delivery_status_check',
    `ALTER TABLE delivery ADD CONSTRAINT delivery_status_check CHECK (status IN
       ('scheduled', 'suppressed', 'sending', 'sent', 'delivered', 'failed', 'cancelled', 'no_carrier', 'read'))`,
    'CREATE INDEX delivery_tone ON delivery (tone) WHERE tone IS NOT NULL',
  ],
  ["ALTER TABLE source ADD COLUMN nickname text NOT NULL DEFAULT ''"],
  [
    `CREATE FUNCTION tocsin_count_shift() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO shift (account_id, incidents) VALUES (NEW.account_id, 1)
       ON CONFLICT (account_id) DO UPDATE SET incidents = shift.incidents + 1;
       RETURN NULL;
     END $$`,
    'CREATE TRIGGER incident_shift AFTER INSERT ON incident FOR EACH ROW EXECUTE FUNCTION tocsin_count_shift()',
    'CREATE TABLE shift (account_id text PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE, incidents int NOT NULL)',
  ],
];

/** Its migrations, and one more with what breaks it. */
function migrations(broken: readonly string[]): string {
  const steps = NEXT.map((name, nth) => ({ name, statements: STATEMENTS[nth]! }));
  if (broken.length > 0) steps.push({ name: '29990104-break', statements: broken });
  return `
import { Migration } from '@mikro-orm/migrations';

export const Next = ${JSON.stringify(steps)}.map(
  ({ name, statements }) =>
    class extends Migration {
      override name = name;

      up(): void {
        for (const statement of statements) this.addSql(statement);
      }
    },
);
`;
}

/** A field more on the wire, in a message of this file. */
function field(file: string, message: string, line: string): Replacement {
  return { file, was: `message ${message} {\n`, is: `message ${message} {\n  // Made up.\n  ${line}\n` };
}

const ALARM = 'proto/tocsin/alarm/v1/alarm.proto';
const BATCH = 'proto/tocsin/internal/v1/batch.proto';
const MIGRATIONS = 'services/store/orm.ts';
const WRITES = 'services/store/statements/write.ts';

const CHANGES: readonly Replacement[] = [
  { file: MIGRATIONS, was: 'const MIGRATIONS = [First];', is: 'const MIGRATIONS = [First, ...Next];' },
  { file: MIGRATIONS, was: 'import { session }', is: "import { Next } from './schema/next.ts';\nimport { session }" },
  // What it writes into its column, the version before leaves empty.
  { file: WRITES, was: ', planned_at) SELECT', is: ', planned_at, tone) SELECT' },
  { file: WRITES, was: ', due_at FROM', is: ", due_at, 'urgent' FROM" },
  field(ALARM, 'ArmResponse', 'string advice = 15;'),
  field(BATCH, 'CarryRequest', 'string part = 15;'),
  field(BATCH, 'CarryResponse', 'uint32 took_ms = 15;'),
  {
    file: 'services/alarm/service.ts',
    was: '(schema, { environment, location });',
    is: "(schema, { environment, location, advice: 'Lock the door.' } as never);",
  },
  {
    file: 'services/rpc/batch.ts',
    was: 'answered: answered.map(',
    is: 'tookMs: 7, answered: answered.map(',
  },
  { file: 'facade/rpc/carrier.ts', was: 'return {\n    first,', is: "return {\n    part: 'a facade',\n    first," },
  // A word of signals, over NATS and to facades, that the version before does not know.
  {
    file: 'services/inventory/change-news.ts',
    was: "export const KINDS = ['inventory', 'state'] as const;",
    is: "export const KINDS = ['inventory', 'state', 'weather'] as const;",
  },
  {
    file: 'services/engine/engine.ts',
    was: "  bus.publish(subjects.change(accountId), { kind: 'state', alarmId: sourceId });",
    is: "  for (const kind of ['weather', 'state']) bus.publish(subjects.change(accountId), { kind, alarmId: sourceId, wind: 'north' });",
  },
  {
    file: 'services/words/en.ts',
    was: 'This ends the alarm for everyone. Nobody else will be alerted.',
    is: 'That is the end of it, for each and all.',
  },
];

/** A made-up version in a folder of its own. */
export interface Neighbour extends AsyncDisposable {
  folder: string;
}

/** A break that somebody could build into a next version. */
export interface Break {
  /** Further replacements. */
  changes?: readonly Replacement[];
  /** A further migration, by its statements. */
  sql?: readonly string[];
}

/** Makes the next version from this tree, with what a break changes beyond that. */
export async function makeNeighbour({ changes = [], sql = [] }: Break = {}): Promise<Neighbour> {
  const folder = await copyTree(PARTS, [...CHANGES, ...changes]);
  await writeFile(join(folder, MIGRATION_FILE), migrations(sql));
  await promisify(execFile)(process.execPath, [join(folder, 'test/support/write-generated.ts')], { cwd: folder });
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
