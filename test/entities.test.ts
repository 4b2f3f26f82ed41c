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
    for (const property of meta.props) {
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

test('every table of an account carries account_id, and every foreign key between them names it', async () => {
  const world = await startWorld();
  const without = await world.rows<{ table: string }>(
    `SELECT t.table_name AS table FROM information_schema.tables t
     WHERE t.table_schema = 'public' AND t.table_name NOT IN ('account', 'migration', 'test_clock', 'unshown')
       AND NOT EXISTS (SELECT FROM information_schema.columns c
         WHERE c.table_name = t.table_name AND c.column_name = 'account_id')`,
  );
  expect(without).toEqual([]);
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
