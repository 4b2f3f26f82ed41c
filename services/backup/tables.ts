import { type ClientBase, escapeIdentifier } from 'pg';
import { onOwnConnection } from '../store/session.ts';
import { plainSession } from './session.ts';

/** A table with the columns that are copied. */
export interface Table {
  name: string;
  columns: string[];
}

/** Exists in a database from the first step of a restore to its last: such a database is nobody's yet. */
export const MARKER = 'restore_under_way';

/** The schema that holds everything: the one in which tables are made. */
const HERE = 'current_schema()::regnamespace';

const tablesSql = `
SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
WHERE c.relnamespace = ${HERE} AND c.relkind = 'r' AND c.relname NOT IN ('migration', '${MARKER}')
GROUP BY 1 ORDER BY 1`;

const referencesSql = `
SELECT t.relname AS "childName", p.relname AS "parentName"
FROM pg_constraint f JOIN pg_class t ON t.oid = f.conrelid JOIN pg_class p ON p.oid = f.confrelid
WHERE f.contype = 'f' AND t.relnamespace = ${HERE}`;

/** Returns all tables but the record of migrations, each after those it refers to. */
export async function readTables(db: Pick<ClientBase, 'query'>): Promise<Table[]> {
  const { rows: tables } = await db.query<Table>(tablesSql);
  const { rows: references } = await db.query<{ childName: string; parentName: string }>(referencesSql);
  const byName = new Map(tables.map(table => [table.name, table]));
  const ordered = parentsFirst(
    [...byName.keys()],
    references.map(({ childName, parentName }) => [childName, parentName] as const),
  );
  return ordered.map(name => byName.get(name)!);
}

/** Orders names so that each stands after those it refers to. In a ring the first named one comes last. */
export function parentsFirst(
  names: readonly string[],
  references: readonly (readonly [child: string, parent: string])[],
): string[] {
  const ordered = new Set<string>();
  const visited = new Set<string>();
  const visit = (name: string) => {
    if (visited.has(name)) return;
    visited.add(name);
    for (const [child, parent] of references) if (child === name) visit(parent);
    ordered.add(name);
  };
  for (const name of names) visit(name);
  return [...ordered].filter(name => names.includes(name));
}

/** Returns `name (column, …)` as SQL writes it. */
export function withColumns({ name, columns }: Table): string {
  return `${escapeIdentifier(name)} (${columns.map(escapeIdentifier).join(', ')})`;
}

/** Returns how far each sequence has counted; those that were never used are absent. */
export async function readSequences(db: Pick<ClientBase, 'query'>): Promise<Record<string, string>> {
  const { rows } = await db.query<{ name: string; value: string }>(
    `SELECT sequencename AS name, last_value::text AS value FROM pg_sequences
     WHERE schemaname = current_schema() AND last_value IS NOT NULL`,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** Returns the names of the migrations that a database has run, in order; empty if it has none of our tables. */
export async function readMigrations(db: Pick<ClientBase, 'query'>): Promise<string[]> {
  const { rows: there } = await db.query<{ name: string | null }>("SELECT to_regclass('migration')::text AS name");
  if (there[0]?.name === null) return [];
  return (await db.query<{ name: string }>('SELECT name FROM migration ORDER BY id')).rows.map(({ name }) => name);
}

/**
 * Whether a restore may use a database: it holds nothing; it holds what is left of a restore that was cut short, which
 * nobody uses; or it holds something.
 */
export async function readContent(db: Pick<ClientBase, 'query'>): Promise<'empty' | 'cut_short' | 'filled'> {
  const { rows } = await db.query<{ content: 'empty' | 'cut_short' | 'filled' }>(`
SELECT CASE WHEN to_regclass('${MARKER}') IS NOT NULL THEN 'cut_short'
  WHEN EXISTS (SELECT FROM pg_class WHERE relnamespace = ${HERE} AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S'))
    THEN 'filled' ELSE 'empty' END AS content`);
  return rows[0]!.content;
}

/** Drops all that a restore made in a database, the marker last. */
export async function wipe(db: Pick<ClientBase, 'query'>): Promise<void> {
  await db.query(`
DO $$
DECLARE thing record;
BEGIN
  FOR thing IN SELECT relname, CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END AS kind FROM pg_class
    WHERE relnamespace = ${HERE} AND relkind IN ('r', 'p', 'v') AND relname <> '${MARKER}' LOOP
    EXECUTE format('DROP %s IF EXISTS %I CASCADE', thing.kind, thing.relname);
  END LOOP;
  FOR thing IN SELECT relname FROM pg_class WHERE relnamespace = ${HERE} AND relkind = 'S' LOOP
    EXECUTE format('DROP SEQUENCE IF EXISTS %I CASCADE', thing.relname);
  END LOOP;
  FOR thing IN SELECT oid::regprocedure AS written FROM pg_proc p WHERE pronamespace = ${HERE} AND prokind = 'f'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') LOOP
    EXECUTE format('DROP FUNCTION IF EXISTS %s CASCADE', thing.written);
  END LOOP;
  DROP TABLE IF EXISTS ${MARKER};
END $$`);
}

/** Tells whether a restore is filling a database, or was cut short in it. Throws errors of the database. */
export function restoreUnderWay(url: string): Promise<'yes' | 'no'> {
  return onOwnConnection(url, plainSession(), async client =>
    (await readContent(client)) === 'cut_short' ? 'yes' : 'no',
  );
}
