import { expect, test } from 'vitest';
import { startWorld } from './support/world.ts';

test('entities and migrations agree: every mapped column exists with the same presence, and keys are the same', async () => {
  const world = await startWorld();
  const columns = await world.rows<{ table: string; column: string; nullable: boolean }>(
    `SELECT table_name AS table, column_name AS column, is_nullable = 'YES' AS nullable
     FROM information_schema.columns WHERE table_schema = 'public'`,
  );
  const keys = await world.rows<{ table: string; column: string }>(
    `SELECT k.table_name AS table, k.column_name AS column
     FROM information_schema.table_constraints c JOIN information_schema.key_column_usage k USING (constraint_name)
     WHERE c.constraint_type = 'PRIMARY KEY' AND c.table_schema = 'public' ORDER BY k.ordinal_position`,
  );
  const entities = [...world.store.orm.getMetadata().getAll().values()].filter(meta => meta.tableName !== '');
  expect(entities.length).toBeGreaterThan(10);

  for (const meta of entities) {
    // What is worked out as it is read is no column.
    for (const property of meta.props.filter(({ formula }) => formula === undefined)) {
      const [name] = property.fieldNames;
      const column = columns.find(one => one.table === meta.tableName && one.column === name);
      expect(column, `${meta.tableName}.${name}`).toBeDefined();
      expect({ [`${meta.tableName}.${name}`]: column?.nullable }).toEqual({
        [`${meta.tableName}.${name}`]: property.nullable ?? false,
      });
    }
    const mapped = meta.getPrimaryProps().flatMap(property => property.fieldNames);
    const real = keys.filter(one => one.table === meta.tableName).map(one => one.column);
    expect({ [meta.tableName]: [...mapped].sort() }).toEqual({ [meta.tableName]: [...real].sort() });
  }
});

/** What no account owns, or what bears the account in a way of its own. */
const WITHOUT_ACCOUNT: Record<string, string> = {
  account: 'is the account',
  migration: 'of the deployment',
  unshown: 'of the deployment',
  test_clock: 'of the tests',
  journal: 'a group holds calls of many accounts, under the numbers of their sources',
  journal_cursor: 'one place in the journal of all accounts',
  unverified_sent: 'what all accounts together send to the address of a stranger',
  console_session: 'of a person, who may be a member of several accounts, or of a token, which may be the operator’s',
  sign_in_asker: 'of a person, before they are in any account',
  backup_state: 'of the deployment: how its backups go',
  deployment_setting: 'of the deployment: what its operator set up in the console',
  web_push_key: 'of the deployment: its key for the push services of browsers',
  clock: 'of the deployment: what its clocks last said',
  takeover: 'of the deployment: which servers had its database',
  watch: 'of the deployment: what the watchman last saw',
  listening: 'of the deployment: which process hears what is said to a bot',
  accepting: 'of the deployment: since when each process accepts calls',
  rotation: 'of the deployment: how far a change of its secrets is',
  secret_proof: 'the secrets of the deployment, not of an account',
};

/** What every call writes bears a number instead, and no foreign key: it belongs to whom that number belongs to. */
const NUMBERED: Record<string, 'account_seq' | 'source_seq'> = {
  logged_call: 'account_seq',
  window_end: 'account_seq',
  gate: 'source_seq',
};

test('every table of an account carries account_id, or its number, and every foreign key between them names it', async () => {
  const world = await startWorld();
  const tables = await world.rows<{ table: string; columns: string[] }>(
    `SELECT t.table_name AS table, array_agg(c.column_name::text) AS columns
     FROM information_schema.tables t JOIN information_schema.columns c USING (table_schema, table_name)
     WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE' GROUP BY t.table_name`,
  );
  const without = tables.filter(({ columns }) => !columns.includes('account_id')).map(({ table }) => table);
  expect(without.sort()).toEqual([...Object.keys(WITHOUT_ACCOUNT), ...Object.keys(NUMBERED)].sort());
  for (const [table, number] of Object.entries(NUMBERED)) {
    const columns = await world.rows(
      `SELECT is_nullable AS nullable FROM information_schema.columns WHERE table_name = $1 AND column_name = $2`,
      [table, number],
    );
    expect({ [table]: columns }).toEqual({ [table]: [{ nullable: 'NO' }] });
  }
  // A number names one account, and one only.
  const unique = await world.rows<{ table: string; column: string }>(
    `SELECT i.indrelid::regclass::text AS table, a.attname AS column FROM pg_index i
     JOIN pg_attribute a ON a.attrelid = i.indrelid AND i.indkey::text = a.attnum::text
     WHERE i.indisunique AND i.indpred IS NULL AND a.attname = 'seq' ORDER BY 1`,
  );
  expect(unique.map(({ table }) => table)).toEqual(['account', 'api_key', 'incident', 'source']);
  const crossing = await world.rows<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint f
     WHERE f.contype = 'f' AND f.confrelid <> 'account'::regclass AND NOT EXISTS (
       SELECT FROM pg_attribute a WHERE a.attrelid = f.conrelid AND a.attnum = ANY (f.conkey) AND a.attname = 'account_id')`,
  );
  expect(crossing).toEqual([]);
});

test('a false-alarm window is 0 to 120 seconds, stored default 0 (DECISIONS.md "False-alarm window")', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const id = await owner.alarm();
  const set = (seconds: number) => world.rows('UPDATE mode SET window_s = $2 WHERE source_id = $1', [id, seconds]);
  expect(await world.rows('SELECT DISTINCT window_s FROM mode')).toEqual([{ window_s: 0 }]);
  await set(120);
  for (const seconds of [121, -1]) await expect(set(seconds)).rejects.toThrow('mode_window_s_check');
});
